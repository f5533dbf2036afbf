/* address_word.h: what tests that search memory for secret words leave out. */
#ifndef TESTS_ADDRESS_WORD_H
#define TESTS_ADDRESS_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Is the byte at i part of an address of a program or a library, or of a stack? These are other ones in each
 * run, and now and then four bytes of one are a secret word. */
static inline int address_word(const uint8_t *memory, size_t i, size_t len)
{
    uint64_t value;

    if (sizeof(void *) != 8 || i / 8 * 8 + 8 > len)
        return 0;
    memcpy(&value, memory + i / 8 * 8, 8);
    return value >> 40 == 0x55 || value >> 40 == 0x56 || value >> 40 == 0x7f;
}

#endif
