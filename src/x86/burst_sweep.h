/* burst_sweep.h: the ChaCha20 sweep of a burst (RFC 8439 section 2.3), one block a lane, each lane with its
 * own key, number and nonce. The text, over the vocabulary that the instance has included before it. */
#ifndef BURST_SWEEP_H
#define BURST_SWEEP_H

#include "aead_burst_kernels.h"

/* One step of four quarter rounds: x += y; z = (z ^ x) <<< bits; the rows x, y, z begin at columns dx, dy,
 * dz. */
#define SWEEP_STEP(x, dx, y, dy, z, dz, bits)                                                                \
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)                                                      \
    {                                                                                                        \
        x[(i + (dx)) % 4] = v_add32(x[(i + (dx)) % 4], y[(i + (dy)) % 4]);                                   \
        z[(i + (dz)) % 4] = v_rol32(v_xor(z[(i + (dz)) % 4], x[(i + (dx)) % 4]), bits);                      \
    }

#define SWEEP_ROUND(db, dc, dd)                                                                              \
    do {                                                                                                     \
        SWEEP_STEP(a, 0, b, db, d, dd, 16)                                                                   \
        SWEEP_STEP(c, dc, d, dd, b, db, 12)                                                                  \
        SWEEP_STEP(a, 0, b, db, d, dd, 8)                                                                    \
        SWEEP_STEP(c, dc, d, dd, b, db, 7)                                                                   \
    } while (0)

/* The LANES32 lanes from `first` on. */
static inline void sweep_lanes(struct aead_sweep *s, unsigned first)
{
    static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    vec a[4], b[4], c[4], d[4], x[16];

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        a[i] = v_set32(sigma[i]);
        b[i] = v_load(&s->words[i][first]);
        c[i] = v_load(&s->words[4 + i][first]);
        d[i] = v_load(&s->words[8 + i][first]);
    }
    for (int pair = 0; pair < 10; pair++) {
        SWEEP_ROUND(0, 0, 0);
        SWEEP_ROUND(1, 2, 3);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        x[i] = v_add32(a[i], v_set32(sigma[i]));
        x[4 + i] = v_add32(b[i], v_load(&s->words[i][first]));
        x[8 + i] = v_add32(c[i], v_load(&s->words[4 + i][first]));
        x[12 + i] = v_add32(d[i], v_load(&s->words[8 + i][first]));
    }
    v_put_blocks(x, s->in + first, s->out + first);
}

/* Tails go through their lanes' rows of spare, so that the sweep knows whole blocks alone. */
static inline void sweep_tails_in(struct aead_sweep *s)
{
    for (uint32_t left = s->tails; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        v_copy_tail(s->spare[i], s->tail_in[i], s->tail_len[i]);
    }
}

static inline void sweep_tails_out(const struct aead_sweep *s)
{
    for (uint32_t left = s->tails; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);

        v_copy_tail(s->tail_out[i], s->spare[i], s->tail_len[i]);
    }
}

static inline void sweep(struct aead_sweep *s, unsigned n)
{
    sweep_tails_in(s);
    for (unsigned first = 0; first < n; first += LANES32)
        sweep_lanes(s, first);
    sweep_tails_out(s);
}

#endif
