/* burst_sweep.h: the sweep of a burst around the kernel of its blocks, and the instance's table of kernels.
 * An instance includes before it the vocabulary of its width, burst_rows_.., and burst_mac.h, and defines
 * BURST_STACK, which `gcc -fstack-usage` tells of packets of one shape (GCC 12 and Clang 14, -O2 and -O3).
 * Where assembler files are built it defines SWEEP_ASM, the name of its kernel in burst_sweep_avx512.S. */
#ifndef BURST_SWEEP_H
#define BURST_SWEEP_H

#include <string.h>

#include "aead_burst_kernels.h"
#include "burst_sweep_lanes.h"

#ifdef EIGHT_SWEEP
#include "burst_alike_eight.h"
#endif
#ifdef SWEEP_ASM
#include "burst_sweep_asm.h"
#define SWEEP_BLOCKS SWEEP_ASM
#elif defined(EIGHT_SWEEP)
#define SWEEP_BLOCKS eight_blocks
#else
#include "burst_blocks.h"
#define SWEEP_BLOCKS burst_blocks
#endif

/* Tails go through their lanes' rows of spare, so that the kernel knows whole blocks alone. */
static inline void burst_sweep(struct aead_sweep *s, unsigned n)
{
    for (uint32_t left = s->tails; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        v_copy_tail(s->spare[i], s->tail_in[i], s->tail_len[i]);
    }
    SWEEP_BLOCKS(s, n);
    for (uint32_t left = s->tails; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        v_copy_tail(s->tail_out[i], s->spare[i], s->tail_len[i]);
    }
    _mm256_zeroupper();
}

#ifdef ALIKE_ASM
#include "burst_alike_ifma.h"
#elif !defined(EIGHT_SWEEP)
#include "burst_alike.h"
#define BURST_UNUSED                                                                                         \
    {                                                                                                        \
        0                                                                                                    \
    }
#endif

#ifdef ALIKE_ASM
#define MIXED_SWEEP struct alike_work
#else
#define MIXED_SWEEP struct aead_sweep
#endif
#include "burst_mixed.h"

#define BURST_KERNELS(symbol)                                                                                \
    const struct aead_burst_kernels symbol = {                                                               \
        .name = #symbol,                                                                                     \
        .seal_alike = burst_seal_alike,                                                                      \
        .open_alike = burst_open_alike,                                                                      \
        .unused = BURST_UNUSED,                                                                              \
        .alike_stack = BURST_STACK,                                                                          \
        .seal_mixed = burst_seal_mixed,                                                                      \
        .open_mixed = burst_open_mixed,                                                                      \
        .mixed_max = MIXED_MAX,                                                                              \
        .mixed_unused = MIXED_UNUSED,                                                                        \
        .mixed_stack = MIXED_STACK,                                                                          \
    }

#endif
