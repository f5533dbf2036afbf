/* test_wipe.c: wiping and comparing as an optimizer sees them that knows the whole program: built with -O3
 * and link-time optimization, and with secret.c in the same unit (WHOLE). */
#include "hex.h"
#include "own_stack.h"

#include <string.h>

#if WHOLE
#include "../src/base/secret.c"
#endif

#include "secret.h"

#define LEN 64

static volatile uint8_t seed = 0x5a; /* nothing here can be computed at compile time */
static volatile unsigned sink;

/* 64 bytes that occur nowhere else. */
static inline uint8_t pattern(unsigned i)
{
    return (uint8_t)((seed + 37 * i) ^ 0xc3 ^ (i << 3));
}

/* A function with a secret on its stack, which it uses; wiped or not. */
static inline void work(int wiped)
{
    uint8_t secret[LEN];
    unsigned sum = 0;

    for (unsigned i = 0; i < LEN; i++)
        secret[i] = pattern(i);
    for (unsigned i = 0; i < LEN; i++)
        sum = sum * 31 + secret[(i + sum) % LEN]; /* by address: the bytes have to be in memory */
    sink = sum;
    if (wiped)
        secret_wipe(secret, sizeof secret);
}

static void *work_wiped(void *unused)
{
    work(1);
    return unused;
}

static void *work_plain(void *unused)
{
    work(0);
    return unused;
}

static int found(const uint8_t *memory, size_t len)
{
    uint8_t want[16];

    for (unsigned i = 0; i < 16; i++)
        want[i] = pattern(16 + i);
    for (size_t at = 0; at + 16 <= len; at++)
        if (memcmp(memory + at, want, 16) == 0)
            return 1;
    return 0;
}

static void stack_is_wiped(void **unused)
{
    uint8_t *stack = own_stack_run(work_plain, NULL);

    (void)unused;
    assert_true(found(stack, OWN_STACK_SEARCHED)); /* without a wipe it is there: the search works */
    own_stack_free(stack);
    stack = own_stack_run(work_wiped, NULL);
    assert_false(found(stack, OWN_STACK_SEARCHED));
    own_stack_free(stack);
}

static void compare_is_right(void **unused)
{
    uint8_t a[32], b[32];

    (void)unused;
    for (unsigned i = 0; i < 32; i++)
        a[i] = b[i] = pattern(i);
    assert_int_equal(secret_equal16(a, b), 1);
    assert_int_equal(secret_equal32(a, b), 1);
    for (unsigned bit = 0; bit < 256; bit++) {
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(secret_equal16(a, b), bit >= 128);
        assert_int_equal(secret_equal32(a, b), 0);
        b[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_is_wiped),
        cmocka_unit_test(compare_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
