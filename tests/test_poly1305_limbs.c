/* test_poly1305_limbs.c: the Poly1305 arithmetic of the vector kernels, bursts and single messages
 * (poly1305_ifma.h, poly1305_limb26.h, burst_arith_limb26.h), with limbs up to their stated bounds, against
 * big integers. Results must stay below their bounds as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bigpoly.h"
#include "level.h"
#include "poly1305_hard.h"
#include "poly1305_parts.h"
#include "rng.h"

#define ROUNDS 400

static const struct part_arith *const ariths[] = {&part_limb26_avx2, &part_ifma_avx512vl, &part_ifma_avx512};
static const struct part_arith *a; /* the one that is tested */
static struct rng rng;

/* A number below the bound: near it, near 0, near a multiple of 2^width, or any. */
static uint64_t below(uint64_t bound)
{
    const uint64_t x = rng_next(&rng), little = x >> 8 & 15, unit = UINT64_C(1) << a->limbs_at[1];
    const uint64_t multiple = bound > unit ? (x >> 16) % (bound / unit + 1) * unit : 0;

    switch (x & 7) {
    case 0:
    case 1:
    case 2:
        return bound - 1 - little / 4;
    case 3:
        return little / 4;
    case 4:
        return multiple + little < bound ? multiple + little : 0;
    case 5:
        return multiple > little ? multiple - 1 - little : bound - 1;
    default:
        return rng_next(&rng) % bound;
    }
}

/* All parts of every lane; the bounds are `step` places apart. */
static void fill(struct part_number *x, unsigned n, const uint64_t *bound, unsigned step)
{
    memset(x, 0, sizeof *x);
    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < a->lanes; lane++)
            x->v[i][lane] = below(bound[i * step]);
}

/* A lane as a number below p. */
static void number(uint8_t out[17], const struct part_number *x, unsigned lane, const unsigned *at,
                   unsigned n)
{
    uint64_t v[6];

    for (unsigned i = 0; i < n; i++)
        v[i] = x->v[i][lane];
    bigpoly_from_limbs(out, v, at, n);
}

static void limbs(uint8_t out[17], const struct part_number *x, unsigned lane)
{
    number(out, x, lane, a->limbs_at, a->n_limbs);
}

/* A lane of the result is what was expected, and below its bounds, which are `step` places apart. */
static void check(const struct part_number *x, unsigned lane, const uint8_t expected[17],
                  const uint64_t *bound, unsigned step, const char *what)
{
    uint8_t got[17];

    limbs(got, x, lane);
    if (memcmp(got, expected, 17) != 0)
        fail_msg("%s: %s", a->name, what);
    for (unsigned i = 0; i < a->n_limbs; i++)
        if (x->v[i][lane] >= bound[i * step])
            fail_msg("%s: %s: limb %u is %#llx", a->name, what, i, (unsigned long long)x->v[i][lane]);
}

static void carries(void **state)
{
    struct part_number sums, out;
    uint8_t expected[17];

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(&sums, a->n_sums, a->sums, 1);
        a->carry(&out, &sums);
        for (unsigned lane = 0; lane < a->lanes; lane++) {
            number(expected, &sums, lane, a->sums_at, a->n_sums);
            check(&out, lane, expected, a->carried, 1, "carry");
        }
    }
}

/* x y + plus in a lane. */
static void product(uint8_t out[17], unsigned lane, const struct part_number *x, const struct part_number *y,
                    const struct part_number *plus)
{
    uint8_t of_x[17], of_y[17], of_plus[17];

    limbs(of_x, x, lane);
    limbs(of_y, y, lane);
    limbs(of_plus, plus, lane);
    bigpoly_mul_add(out, of_x, of_y, of_plus);
}

static void products(void **state)
{
    struct part_number x, y, plus, out;
    uint8_t expected[17];

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(&x, a->n_limbs, &a->loose, 0);
        fill(&y, a->n_limbs, a->carried, 1);
        fill(&plus, a->n_limbs, &a->loose, 0);
        a->multiply(&out, &x, &y, &plus);
        for (unsigned lane = 0; lane < a->lanes; lane++) {
            product(expected, lane, &x, &y, &plus);
            check(&out, lane, expected, a->carried, 1, "product");
        }
    }
}

static void at_once(void **state)
{
    const struct part_number nothing = {{{0}}};
    struct part_number x, y, plus, out, squared, sums, carried;
    uint8_t expected[17];

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(&x, a->n_limbs, &a->loose, 0);
        fill(&y, a->n_limbs, &a->at_once, 0);
        fill(&plus, a->n_limbs, &a->loose, 0);
        a->fold(&out, &x, &y, &plus);
        a->square(&squared, &y);
        fill(&sums, a->n_sums, a->sums_at_once, 1);
        a->carry_at_once(&carried, &sums);
        for (unsigned lane = 0; lane < a->lanes; lane++) {
            product(expected, lane, &x, &y, &plus);
            check(&out, lane, expected, &a->at_once, 0, "fold");
            product(expected, lane, &y, &y, &nothing);
            check(&squared, lane, expected, &a->at_once, 0, "square");
            number(expected, &sums, lane, a->sums_at, a->n_sums);
            check(&carried, lane, expected, &a->at_once, 0, "carry at once");
        }
    }
}

/* Tags of h with s, which is 0, all ones or random. */
static void check_finish(const struct part_number *h)
{
    uint64_t s[2][8], of[2][8];
    uint8_t got[16], expected[16];
    struct bigpoly b;

    for (unsigned lane = 0; lane < 8; lane++) {
        const uint64_t x = rng_next(&rng);

        for (unsigned i = 0; i < 2; i++)
            s[i][lane] = of[i][lane] = x >> i & 1 ? rng_next(&rng) : x >> i & 4 ? UINT64_MAX : 0;
    }
    a->finish_with(s, h);
    for (unsigned lane = 0; lane < a->lanes; lane++) {
        limbs(b.h, h, lane);
        for (unsigned i = 0; i < 2; i++) {
            memcpy(b.s + 8 * i, &of[i][lane], 8);
            memcpy(got + 8 * i, &s[i][lane], 8);
        }
        bigpoly_tag(&b, expected);
        if (memcmp(got, expected, 16) != 0)
            fail_msg("%s: finish", a->name);
    }
}

/* k p + d, d little, in a lane, or (k - 1) p + d where that is too much; and where bounds allow, limbs that
 * have 2^width from the one above. */
static void put_near_multiple(struct part_number *h, unsigned lane, uint64_t k, int64_t d)
{
    const unsigned width = a->limbs_at[1], n = a->n_limbs;
    int64_t v[5] = {d - 5 * (int64_t)k};

    v[n - 1] += (int64_t)(k << (130 - a->limbs_at[n - 1]));
    for (unsigned i = 0; i + 1 < n; i++) {
        const int64_t c = v[i] >> width;

        v[i] -= c * (INT64_C(1) << width);
        v[i + 1] += c;
    }
    if ((uint64_t)v[n - 1] >= a->finish[n - 1]) {
        put_near_multiple(h, lane, k - 1, d);
        return;
    }
    for (unsigned i = n - 1; i > 0; i--)
        for (uint64_t times = rng_next(&rng) % 8; times != 0; times--)
            if (v[i] > 0 && (uint64_t)v[i - 1] + (UINT64_C(1) << width) < a->finish[i - 1]) {
                v[i]--;
                v[i - 1] += INT64_C(1) << width;
            }
    for (unsigned i = 0; i < n; i++)
        h->v[i][lane] = (uint64_t)v[i];
}

/* Every multiple of p, a little less and a little more, and limbs at their bounds. */
static void finishes(void **state)
{
    const uint64_t k_end = a->finish[a->n_limbs - 1] >> (130 - a->limbs_at[a->n_limbs - 1]);
    struct part_number h;

    (void)state;
    memset(&h, 0, sizeof h);
    for (uint64_t k = 0; k <= k_end; k++)
        for (int64_t d = -12; d <= 200; d += (int64_t)a->lanes) {
            for (unsigned lane = 0; lane < a->lanes; lane++)
                put_near_multiple(&h, lane, k, k == 0 && d < 0 ? -d : d + (int64_t)lane);
            check_finish(&h);
        }
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill(&h, a->n_limbs, a->finish, 1);
        check_finish(&h);
    }
}

#if SEALANE_ASM
/* h = (h + b0) power[3] + b1 power[2] + .. in a lane. */
static void column(uint8_t h[17], unsigned lane, const uint8_t text[64], const struct part_number power[4])
{
    uint8_t sum[17] = {0};

    for (unsigned i = 0; i < 4; i++) {
        uint8_t block[17] = {[16] = 1}, p[17];

        memcpy(block, text + 16 * i, 16);
        bigpoly_mul_add(block, block, one, i == 0 ? h : zero);
        limbs(p, &power[3 - i], lane);
        bigpoly_mul_add(sum, block, p, sum);
    }
    memcpy(h, sum, 17);
}

/* The columns of bursts in assembler, over rows of ones, zeros or anything. */
static void columns(void **state)
{
    static uint8_t text[8][128];
    struct part_number h, expected_h, power[4];
    const uint8_t *rows[8];

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t n = 1 + round % 2;

        for (unsigned lane = 0; lane < 8; lane++) {
            rows[lane] = text[lane];
            rng_fill(&rng, text[lane], 128);
            if (rng_below(&rng, 2))
                memset(text[lane], rng_below(&rng, 4) ? 0xff : 0, 128);
        }
        fill(&h, 3, a->carried, 1);
        for (unsigned i = 0; i < 4; i++)
            fill(&power[i], 3, a->carried, 1);
        expected_h = h;
        part_alike_columns_avx512(&h, power, rows, n);
        for (unsigned lane = 0; lane < 8; lane++) {
            uint8_t sum[17];

            limbs(sum, &expected_h, lane);
            for (size_t at = 0; at < 128 && at < 64 * n; at += 64)
                column(sum, lane, text[lane] + at, power);
            check(&h, lane, sum, a->carried, 1, "columns");
        }
    }
}
#endif

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries),
        cmocka_unit_test(products),
        cmocka_unit_test(finishes),
    };
    const struct CMUnitTest ifma[] = {cmocka_unit_test(at_once)};
    int failed = cmocka_run_group_tests_name(a->name, tests, NULL, NULL);

    if (a->fold != NULL)
        failed += cmocka_run_group_tests_name(a->name, ifma, NULL, NULL);
#if SEALANE_ASM
    if (a == &part_ifma_avx512) {
        const struct CMUnitTest bursts[] = {cmocka_unit_test(columns)};

        failed += cmocka_run_group_tests_name(a->name, bursts, NULL, NULL);
    }
#endif
    return failed;
}

int main(void)
{
    int failed = 0, ran = 0;

    for (size_t i = 0; i < sizeof ariths / sizeof ariths[0]; i++) {
        a = ariths[i];
        if (!can_run(a->needs, a->name))
            continue;
        ran = 1;
        rng.state = i;
        failed += run();
    }
    return failed != 0 ? 1 : ran ? 0 : LEVEL_SKIPPED;
}
