/* poly1305_parts_avx2.c: see poly1305_parts.h. The arithmetic in limbs of 26 bits, with the bursts' own. */
#include "poly1305_parts.h"

#include <sealane/cpu.h>

#include "burst_arith_limb26.h"

#include "vec_avx2.h"

#define COLUMNS_SWEEP 512
#define COLUMNS_MAC 4
#define columns_first_run aead_first_columns8_avx2
#define columns_sweep_run aead_sweep_columns8_avx2
#include "aead_columns.h"

static __m256i *vector(const uint64_t *lanes)
{
    return (__m256i *)(void *)(uintptr_t)lanes;
}

static struct limb26_num get(const struct part_number *x)
{
    struct limb26_num a;

    for (int i = 0; i < 5; i++)
        a.v[i] = _mm256_loadu_si256(vector(x->v[i]));
    return a;
}

static void put(struct part_number *x, struct limb26_num a)
{
    for (int i = 0; i < 5; i++)
        _mm256_storeu_si256(vector(x->v[i]), a.v[i]);
}

static void finish(uint64_t s[2][8], const struct part_number *h)
{
    __m256i lo = _mm256_loadu_si256(vector(s[0])), hi = _mm256_loadu_si256(vector(s[1]));

    mac_tag(get(h), &lo, &hi);
    _mm256_storeu_si256(vector(s[0]), lo);
    _mm256_storeu_si256(vector(s[1]), hi);
}

static void carry(struct part_number *out, const struct part_number *sums)
{
    const struct limb26_acc acc = limb26_acc(get(sums));

    put(out, limb26_carry(&acc));
}

static void multiply(struct part_number *out, const struct part_number *loose,
                     const struct part_number *carried, const struct part_number *plus)
{
    const struct limb26_power p = limb26_power(get(carried));
    struct limb26_acc acc = limb26_acc(get(plus));

    limb26_mac(&acc, get(loose), &p);
    put(out, limb26_carry(&acc));
}

#define M26 (UINT64_C(1) << 26)
#define LOOSE UINT64_C(143850000)                                    /* 2^27.1 */
#define SUM (9 * UINT64_C(268892000000000000) + (UINT64_C(1) << 28)) /* 9 2^57.9 + 2^28 */

const struct part_arith part_limb26_avx2 = {
    .name = "limbs of 26 bits in ymm",
    .needs = SEALANE_LEVEL_AVX2,
    .lanes = 4,
    .n_limbs = 5,
    .limbs_at = {0, 26, 52, 78, 104},
    .n_sums = 5,
    .sums_at = {0, 26, 52, 78, 104},
    .carried = {M26, M26 + 4096, M26, M26, M26 + 4096},
    .loose = LOOSE,
    .sums = {SUM, SUM, SUM, SUM, SUM},
    .finish = {M26, M26 + 4096, M26, M26, M26 + 4096},
    .finish_with = finish,
    .carry = carry,
    .multiply = multiply,
};

#if SEALANE_ASM
static void get_core(struct poly1305_core *p, const uint64_t h[3], const uint64_t r[2])
{
    memset(p, 0xa5, sizeof *p);
    memcpy(p->h, h, sizeof p->h);
    memcpy(p->r, r, sizeof p->r);
}

#define BESIDE(layout)                                                                                       \
    static void run_##layout(uint64_t h[3], const uint64_t r[2], const uint8_t *blocks, size_t n)            \
    {                                                                                                        \
        struct columns_work w = {.state = {0}};                                                              \
        uint8_t nothing[1] = {0};                                                                            \
                                                                                                             \
        get_core(&w.mac, h, r);                                                                              \
        aead_sweep_##layout(nothing, nothing, &w, blocks, n, 0);                                             \
        memcpy(h, w.mac.h, sizeof w.mac.h);                                                                  \
    }

BESIDE(columns4_ssse3)
BESIDE(columns8_avx2)

static void run_alone(uint64_t h[3], const uint64_t r[2], const uint8_t *blocks, size_t n)
{
    struct poly1305_core p;

    get_core(&p, h, r);
    aead_mac_blocks(&p, blocks, 16 * n);
    memcpy(h, p.h, sizeof p.h);
}

const struct part_beside parts_beside_avx2[3] = {
    {"aead_sweep_columns4_ssse3", SEALANE_LEVEL_AVX2, 2, 10, 1, run_columns4_ssse3},
    {"aead_sweep_columns8_avx2", SEALANE_LEVEL_AVX2, 4, 10, 1, run_columns8_avx2},
    {"aead_mac_blocks", SEALANE_LEVEL_AVX2, 1, 40, 1, run_alone},
};
#endif
