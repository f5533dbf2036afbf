/* burst_sweep.h: the tails of a sweep around the kernel of its blocks. An instance includes before it the
 * vocabulary of its width, burst_rows_.., and defines SWEEP_BLOCKS(s, n), the first n lanes. */
#ifndef BURST_SWEEP_H
#define BURST_SWEEP_H

#include "aead_burst_kernels.h"

/* Tails go through their lanes' rows of spare, so that the sweep knows whole blocks alone. */
static inline void burst_tails_in(struct aead_sweep *s)
{
    for (uint32_t left = s->tails; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        v_copy_tail(s->spare[i], s->tail_in[i], s->tail_len[i]);
    }
}

static inline void burst_tails_out(const struct aead_sweep *s)
{
    for (uint32_t left = s->tails; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        v_copy_tail(s->tail_out[i], s->spare[i], s->tail_len[i]);
    }
}

static inline void burst_sweep(struct aead_sweep *s, unsigned n)
{
    burst_tails_in(s);
    SWEEP_BLOCKS(s, n);
    burst_tails_out(s);
}

#endif
