/* poly1305_serial.h: Poly1305 (RFC 8439 section 2.5) of a few blocks, one after the other with mulx, in line:
 * what a call takes, and the way of the key and the accumulator through memory, would be a fifth of it.
 * Included by the AEAD kernels for short messages. */
#ifndef POLY1305_SERIAL_H
#define POLY1305_SERIAL_H

#include "poly1305_scalar.h"

/* h = h r + block + top 2^128. Before and after: h[2] <= 4. Bounds as in scalar_step (poly1305_scalar.h),
 * whose d1 and d2 get the block here: d1 < 2^125.1 + 2^64, and d2 one more. */
#define SERIAL_STEP(h, r, s1, block, top)                                                                    \
    do {                                                                                                     \
        uint64_t t0, t1, t2, x;                                                                              \
                                                                                                             \
        __asm__("movq %[h0], %%rdx\n\t"                                                                      \
                "mulxq %[r0], %[t0], %[x]\n\t"                                                               \
                "mulxq %[r1], %[t1], %[t2]\n\t"                                                              \
                "addq %[block0], %[t0]\n\t"                                                                  \
                "adcq %[block1], %[t1]\n\t"                                                                  \
                "adcq %[bit], %[t2]\n\t"                                                                     \
                "movq %[h1], %%rdx\n\t"                                                                      \
                "mulxq %[r0], %[h0], %[h1]\n\t"                                                              \
                "addq %[h0], %[t1]\n\t"                                                                      \
                "adcq %[h1], %[t2]\n\t"                                                                      \
                "mulxq %[s], %[h0], %[h1]\n\t"                                                               \
                "addq %[h0], %[t0]\n\t"                                                                      \
                "adcq %[h1], %[x]\n\t"                                                                       \
                "movq %[h2], %[h0]\n\t"                                                                      \
                "imulq %[s], %[h0]\n\t"                                                                      \
                "imulq %[r0], %[h2]\n\t"                                                                     \
                "addq %[h0], %[x]\n\t"                                                                       \
                "adcq %[h2], %[t2]\n\t"                                                                      \
                "addq %[x], %[t1]\n\t"                                                                       \
                "adcq $0, %[t2]\n\t"                                                                         \
                "movl %k[t2], %k[h2]\n\t"                                                                    \
                "andl $3, %k[h2]\n\t"                                                                        \
                "shrq $2, %[t2]\n\t"                                                                         \
                "leaq (%[t2], %[t2], 4), %[t2]\n\t"                                                          \
                "addq %[t2], %[t0]\n\t"                                                                      \
                "adcq $0, %[t1]\n\t"                                                                         \
                "adcq $0, %[h2]"                                                                             \
                : [h0] "+r"((h)[0]), [h1] "+r"((h)[1]), [h2] "+r"((h)[2]), [t0] "=&r"(t0), [t1] "=&r"(t1),   \
                  [t2] "=&r"(t2), [x] "=&r"(x)                                                               \
                : [r0] "r"((r)[0]), [r1] "r"((r)[1]), [s] "r"(s1), [block0] "m"((block)[0]),                 \
                  [block1] "m"((block)[1]), [bit] "i"(top)                                                   \
                : "rdx", "cc");                                                                              \
        (h)[0] = t0;                                                                                         \
        (h)[1] = t1;                                                                                         \
    } while (0)

/* The tag of n >= 1 blocks; words that may have been stored as vectors. r, s: the one-time key, r not yet
 * clamped. */
typedef uint64_t __attribute__((may_alias)) serial_word;

static inline __attribute__((always_inline)) void serial_tag(uint8_t tag[16], const serial_word (*block)[2],
                                                             size_t n, uint64_t r[2], const uint64_t s[2])
{
    static const uint64_t none[2] = {0, 0};
    struct poly1305_core p = {.h = {block[0][0], block[0][1], 1}, .s = {s[0], s[1]}};
    uint64_t s1;

    r[0] &= UINT64_C(0x0ffffffc0fffffff);
    r[1] &= UINT64_C(0x0ffffffc0ffffffc);
    s1 = r[1] + (r[1] >> 2);
    for (size_t i = 1; i < n; i++)
        SERIAL_STEP(p.h, r, s1, block[i], 1);
    SERIAL_STEP(p.h, r, s1, none, 0);
    scalar_finish(&p, tag);
}

#endif
