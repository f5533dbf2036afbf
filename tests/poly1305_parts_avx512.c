/* poly1305_parts_avx512.c: see poly1305_parts.h. The parts in zmm registers. */
#include "poly1305_parts.h"

#define POLY1305_LANES 8
#include "aead_fused.h"

#define PARTS_NAME part_ifma_avx512
#define PARTS_LEVEL SEALANE_LEVEL_AVX512
#include "poly1305_parts_ifma.h"

#if SEALANE_ASM
void part_end_avx512(uint8_t tag[16], const struct part_end *e)
{
    const struct aead_message m = {.aad_len = e->lengths[0], .len = e->lengths[1]};
    struct fused_sweep w;
    uint64_t h[3][8];

    memset(&w, 0xa5, sizeof w);
    memcpy(w.r, e->r, sizeof w.r);
    memcpy(w.powers.s, e->s, sizeof w.powers.s);
    for (int i = 0; i < 8; i++) {
        lanes_put(&w.powers, lanes_of_block[7 - i], e->power[i]);
        for (int limb = 0; limb < 3; limb++)
            h[limb][lanes_of_block[i]] = e->h[i][limb];
    }
    lanes_put(&w.powers, LANES_2_GROUPS, e->power16);
    aead_end_avx512(tag, e->text, e->len, &w, e->tail, &m, _mm512_loadu_si512(h[0]), _mm512_loadu_si512(h[1]),
                    _mm512_loadu_si512(h[2]));
}

static void beside(fused_mac_sweep *sweep, uint64_t h[3], const uint64_t r[2], const uint8_t *blocks,
                   size_t n)
{
    struct fused_sweeps w;
    uint8_t nothing[1] = {0};

    memset(&w, 0xa5, sizeof w);
    memcpy(w.first.r, r, sizeof w.first.r);
    sweep(nothing, nothing, 0, &w, blocks, n);
    memcpy(h, w.first.h, sizeof w.first.h);
}

#define BESIDE(layout)                                                                                       \
    static void run_##layout(uint64_t h[3], const uint64_t r[2], const uint8_t *blocks, size_t n)            \
    {                                                                                                        \
        beside(aead_mac_##layout##_avx512, h, r, blocks, n);                                                 \
    }

BESIDE(rows8)
BESIDE(columns16)
BESIDE(columns24)
BESIDE(columns32)

const struct part_beside parts_beside_avx512[4] = {
    {"aead_mac_rows8_avx512", SEALANE_LEVEL_AVX512, 2, 8, 0, run_rows8},
    {"aead_mac_columns16_avx512", SEALANE_LEVEL_AVX512, 4, 8, 0, run_columns16},
    {"aead_mac_columns24_avx512", SEALANE_LEVEL_AVX512, 4, 8, 0, run_columns24},
    {"aead_mac_columns32_avx512", SEALANE_LEVEL_AVX512, 8, 8, 0, run_columns32},
};
#endif
