/* poly1305_parts_avx2.c: see poly1305_parts.h. The arithmetic in limbs of 26 bits, with the bursts' own. */
#include "poly1305_parts.h"

#include <sealane/cpu.h>

#include "burst_arith_limb26.h"

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
