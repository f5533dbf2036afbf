/* burst_sweep.h: the sweep of a burst around the kernel of its blocks, and the instance's table of kernels.
 * An instance includes before it the vocabulary of its width, burst_rows_.., and burst_mac.h, and defines
 * BURST_STACK, and BURST_ALIKE_STACK where that differs, which `gcc -fstack-usage` tells (GCC 12 and Clang
 * 14, -O2 and -O3). Where assembler files are built it defines SWEEP_ASM, the name of its kernel in
 * burst_sweep_avx512.S. */
#ifndef BURST_SWEEP_H
#define BURST_SWEEP_H

#include <string.h>

#include "aead_burst_kernels.h"

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

/* A vector of pointers, 64 bytes apart. */
ROWS_INLINE void burst_fill_pointers(void *lanes, vec first, unsigned n)
{
    for (unsigned i = 0; i < n; i += LANES64) {
        vec_store((uint8_t *)lanes + 8 * i, first);
        first = v_add64(first, v_set64(64 * LANES64));
    }
}

static inline void burst_fill(struct aead_sweep *s, unsigned lane, unsigned n, const struct aead_run *run)
{
    const vec steps = v_steps64(64);
    uint32_t nonce[3];

    memcpy(nonce, run->nonce, 12);
    for (unsigned i = lane; i < lane + n; i += LANES) {
        vec_store(&s->words[8][i], vec_add(vec_set1(run->number + i - lane), vec_iota()));
        vec_store(&s->words[9][i], vec_set1(nonce[0]));
        vec_store(&s->words[10][i], vec_set1(nonce[1]));
        vec_store(&s->words[11][i], vec_set1(nonce[2]));
        if (run->key != NULL)
            for (int w = 0; w < 8; w++)
                vec_store(&s->words[w][i], vec_set1(run->key[w]));
    }
    burst_fill_pointers(&s->in[lane], v_add64(v_set64((uintptr_t)run->in), steps), n);
    burst_fill_pointers(&s->out[lane], v_add64(v_set64((uintptr_t)run->out), steps), n);
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

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

#ifndef BURST_ALIKE_STACK
#define BURST_ALIKE_STACK BURST_STACK
#endif

#define BURST_KERNELS(symbol)                                                                                \
    const struct aead_burst_kernels symbol = {                                                               \
        .name = #symbol,                                                                                     \
        .sweep_lanes = SWEEP_STEP,                                                                           \
        .mac_lanes = LANES64,                                                                                \
        .fill = burst_fill,                                                                                  \
        .sweep = burst_sweep,                                                                                \
        .macs = burst_macs,                                                                                  \
        .seal_alike = burst_seal_alike,                                                                      \
        .open_alike = burst_open_alike,                                                                      \
        .unused = BURST_UNUSED,                                                                              \
        .alike_stack = BURST_ALIKE_STACK,                                                                    \
        .stack = BURST_STACK,                                                                                \
    }

#endif
