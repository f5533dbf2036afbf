/* poly1305_parts_ifma.h: the arithmetic of poly1305_ifma.h as a struct part_arith, PARTS_NAME and
 * PARTS_LEVEL. Included behind poly1305_ifma.h in one width. */
#ifndef TESTS_POLY1305_PARTS_IFMA_H
#define TESTS_POLY1305_PARTS_IFMA_H

#include "poly1305_parts.h"

#include <sealane/cpu.h>

#define PARTS_MAC_HI UINT64_C(5803257000000) /* 2^42.4: what a product adds to hi */

static struct ifma_num parts_get(const struct part_number *x)
{
    return (struct ifma_num){IFMA_OP(loadu_epi64)(x->v[0]), IFMA_OP(loadu_epi64)(x->v[1]),
                             IFMA_OP(loadu_epi64)(x->v[2])};
}

static void parts_put(struct part_number *x, struct ifma_num a)
{
    IFMA_OP(storeu_epi64)(x->v[0], a.v0);
    IFMA_OP(storeu_epi64)(x->v[1], a.v1);
    IFMA_OP(storeu_epi64)(x->v[2], a.v2);
}

static struct ifma_acc parts_get_acc(const struct part_number *x)
{
    return (struct ifma_acc){IFMA_OP(loadu_epi64)(x->v[0]), IFMA_OP(loadu_epi64)(x->v[1]),
                             IFMA_OP(loadu_epi64)(x->v[2]), IFMA_OP(loadu_epi64)(x->v[3]),
                             IFMA_OP(loadu_epi64)(x->v[4]), IFMA_OP(loadu_epi64)(x->v[5])};
}

static void parts_finish(uint64_t s[2][8], const struct part_number *h)
{
    ifma_vec lo = IFMA_OP(loadu_epi64)(s[0]), hi = IFMA_OP(loadu_epi64)(s[1]);

    ifma_finish(parts_get(h), &lo, &hi);
    IFMA_OP(storeu_epi64)(s[0], lo);
    IFMA_OP(storeu_epi64)(s[1], hi);
}

static void parts_carry(struct part_number *out, const struct part_number *sums)
{
    const struct ifma_acc acc = parts_get_acc(sums);

    parts_put(out, ifma_carry(&acc));
}

static void parts_multiply(struct part_number *out, const struct part_number *loose,
                           const struct part_number *carried, const struct part_number *plus)
{
    const struct ifma_power p = ifma_power(parts_get(carried));
    struct ifma_acc acc = ifma_acc(parts_get(plus));

    ifma_mac(&acc, parts_get(loose), &p);
    parts_put(out, ifma_carry(&acc));
}

static void parts_carry_at_once(struct part_number *out, const struct part_number *sums)
{
    const struct ifma_acc acc = parts_get_acc(sums);

    parts_put(out, ifma_carry_at_once(&acc));
}

static void parts_fold(struct part_number *out, const struct part_number *loose, const struct part_number *of,
                       const struct part_number *plus)
{
    const struct ifma_power p = ifma_power(parts_get(of));

    parts_put(out, ifma_fold(parts_get(loose), &p, parts_get(plus)));
}

static void parts_square(struct part_number *out, const struct part_number *a)
{
    const struct ifma_power p = ifma_power(parts_get(a));

    parts_put(out, ifma_square(parts_get(a), &p));
}

#define PARTS_LO(n) ((n) * (UINT64_C(1) << 52) + (UINT64_C(1) << 46))
#define PARTS_HI(n) ((n)*PARTS_MAC_HI)

const struct part_arith PARTS_NAME = {
    .name = IFMA_BITS == 512 ? "ifma in zmm" : "ifma in ymm",
    .needs = PARTS_LEVEL,
    .lanes = IFMA_BITS / 64,
    .n_limbs = 3,
    .limbs_at = {0, 44, 88},
    .n_sums = 6,
    .sums_at = {0, 44, 88, 52, 96, 140},
    .carried = {UINT64_C(1) << 44, (UINT64_C(1) << 44) + (UINT64_C(1) << 16), UINT64_C(1) << 44},
    .loose = UINT64_C(1) << 46,
    .sums = {PARTS_LO(27), PARTS_LO(27), PARTS_LO(27), PARTS_HI(27), PARTS_HI(27), PARTS_HI(27)},
    .finish = {UINT64_C(1) << 47, UINT64_C(1) << 47, UINT64_C(1) << 47},
    .at_once = (UINT64_C(1) << 44) + (UINT64_C(1) << 16),
    .sums_at_once = {PARTS_LO(3), PARTS_LO(3), PARTS_LO(3), PARTS_HI(3), PARTS_HI(3), PARTS_HI(3)},
    .finish_with = parts_finish,
    .carry = parts_carry,
    .multiply = parts_multiply,
    .carry_at_once = parts_carry_at_once,
    .fold = parts_fold,
    .square = parts_square,
};

#endif
