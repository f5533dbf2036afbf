/* hex.h: byte strings of published vectors, as hexadecimal text. */
#ifndef TESTS_HEX_H
#define TESTS_HEX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* Decodes text, blanks ignored, into out; fails the test on anything else. Returns the number of bytes. */
static inline size_t unhex(uint8_t *out, size_t cap, const char *text)
{
    size_t n = 0;
    int high = -1;

    for (; *text != '\0'; text++) {
        if (*text == ' ' || *text == '\n')
            continue;
        int d = hex_digit(*text);
        if (d < 0)
            fail_msg("not a hexadecimal digit: %c", *text);
        if (high < 0) {
            high = d;
            continue;
        }
        if (n == cap)
            fail_msg("vector longer than its buffer");
        out[n++] = (uint8_t)(high << 4 | d);
        high = -1;
    }
    assert_int_equal(high, -1);
    return n;
}

/* Decodes a text of exactly len bytes. */
static inline void unhex_exactly(uint8_t *out, size_t len, const char *text)
{
    assert_int_equal(unhex(out, len, text), len);
}

#endif
