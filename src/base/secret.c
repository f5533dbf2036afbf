/* secret.c: see secret.h. */
#include "secret.h"

/* The compiler knows nothing of x any more: no branch can be made of what it thinks x is. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))

#if !SEALANE_X86 /* a machine's folder has its own */
/* Not inlined: its frame has to lie where the frames before it lay. */
__attribute__((noinline)) void secret_leave(size_t stack)
{
    uint8_t area[SECRET_STACK_MAX];

    secret_wipe(area + sizeof area - stack, stack);
}
#endif

static int secret_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint32_t diff = 0;

    for (size_t i = 0; i < len; i++)
        diff |= (uint32_t)(a[i] ^ b[i]);
    HIDE(diff);
    return (int)((diff - 1) >> 31); /* diff is 0 .. 255: only 0 - 1 has the top bit */
}

int secret_equal16(const uint8_t a[16], const uint8_t b[16])
{
    return secret_equal(a, b, 16);
}

int secret_equal32(const uint8_t a[32], const uint8_t b[32])
{
    return secret_equal(a, b, 32);
}
