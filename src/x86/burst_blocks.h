/* burst_blocks.h: the ChaCha20 sweep of a burst (RFC 8439 section 2.3), one block a lane, each lane with its
 * own key, number and nonce. The text, over the vocabulary that the instance has included before it;
 * burst_sweep_avx512.S is the same for assemblers that take it. */
#ifndef BURST_BLOCKS_H
#define BURST_BLOCKS_H

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
VEC_INLINE void sweep_lanes(const struct aead_sweep *s, unsigned first)
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

static inline void blocks_in_lanes(const struct aead_sweep *s, unsigned n)
{
    for (unsigned first = 0; first < n; first += LANES32)
        sweep_lanes(s, first);
}

#endif
