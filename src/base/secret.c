/* secret.c: see secret.h. */
#include "secret.h"

#include "bytes.h"

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

/* 1 for 0, else 0. */
static int secret_is_zero(uint64_t diff)
{
    HIDE(diff);
    return (int)(~(diff | (0 - diff)) >> 63);
}

int secret_equal16(const uint8_t a[16], const uint8_t b[16])
{
    return secret_is_zero((load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8)));
}

int secret_equal32(const uint8_t a[32], const uint8_t b[32])
{
    uint64_t diff = 0;

    for (size_t i = 0; i < 32; i += 8)
        diff |= load_le64(a + i) ^ load_le64(b + i);
    return secret_is_zero(diff);
}
