/* burst_blocks.h: the ChaCha20 blocks of a sweep (RFC 8439 section 2.3), each lane with its own key, number,
 * nonce, source and destination. Over the rounds and the vocabulary of chacha_blocks.h; burst_sweep_avx512.S
 * is the same in assembler. */
#ifndef BURST_BLOCKS_H
#define BURST_BLOCKS_H

#include "burst_sweep_lanes.h"
#include "chacha_blocks.h"

/* The LANES lanes from `first` on. */
INLINE void burst_lanes(const struct aead_sweep *s, unsigned first)
{
    static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    vec x[16], out[4];

    UNROLLED for (int i = 0; i < 4; i++) x[i] = vec_set1(sigma[i]);
    UNROLLED for (int i = 0; i < 12; i++) x[4 + i] = vec_load(&s->words[i][first]);
    for (int pair = 0; pair < 10; pair++) {
        BLOCKS_ROUND(0);
        BLOCKS_ROUND(1);
    }
    UNROLLED for (int i = 0; i < 4; i++) x[i] = vec_add(x[i], vec_set1(sigma[i]));
    UNROLLED for (int i = 0; i < 12; i++) x[4 + i] = vec_add(x[4 + i], vec_load(&s->words[i][first]));
    UNROLLED for (unsigned j = 0; j < 4; j++)
    {
        blocks_of(out, x, (int)j);
        UNROLLED for (unsigned i = 0; i < 4; i++)
        {
            unsigned lane = first + 4 * (i * LANES / 16) + j;
            size_t at = i * VEC_LEN % 64;

            vec_store(s->out[lane] + at, vec_xor(vec_load(s->in[lane] + at), out[i]));
        }
    }
}

/* The first n lanes, a multiple of LANES. */
static inline void burst_blocks(const struct aead_sweep *s, unsigned n)
{
    for (unsigned first = 0; first < n; first += LANES)
        burst_lanes(s, first);
}

#endif
