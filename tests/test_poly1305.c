/* test_poly1305.c: poly1305.h (RFC 8439 section 2.5) against plain arithmetic on big integers, on messages
 * that drive the accumulator to where limbs overflow and reductions go wrong; and the rules of its calls. */
#include "hex.h"
#include "level.h"
#include "rng.h"

#include <string.h>

#include <sealane/poly1305.h>

#include "bigpoly.h"

#define MAX_LEN 12488

/* Halves of a key: r before clamping. All ones gives the largest r; the others leave single limbs full or
 * empty. */
static const char *const hard_r[] = {
    "ffffffffffffffffffffffffffffffff", "ffffff0ffcffff0ffcffff0ffcffff0f",
    "01000000000000000000000000000000", "02000000000000000000000000000000",
    "04000000000000000000000000000000", "00000000000000000000000000000000",
    "ffffffffffffffff0000000000000000", "0000000000000000ffffffffffffffff",
    "000000000000000000000000fcffff0f", "00000000fcffff0f00000000fcffff0f",
    "ffffff0f00000000fcffff0f00000000", "00000000000000000400000000000000",
    "fbffff0ffcffff0ffcffff0ffcffff0f", "00000008000000080000000800000008",
};

#define N_HARD_R (sizeof hard_r / sizeof hard_r[0])

/* Numbers where a limb of 26, 32, 44 or 64 bits is full, and the neighbourhood of p = 2^130 - 5. The last
 * ones are small, and 2^130 - 5 more in limbs that are not carried through: a carry comes out of the top and
 * runs through the lowest limb into an odd second one (26 bits: 2^27, 2^28; 44 bits: 2^45, 2^46; 64 bits:
 * 2^65). */
static const char *const hard_h[] = {
    "0000000000000000000000000000000000",  "0100000000000000000000000000000000",
    "0400000000000000000000000000000000",  "0500000000000000000000000000000000",
    "0600000000000000000000000000000000",  "0a00000000000000000000000000000000",
    "f9ffffffffffffffffffffffffffffff03",  "faffffffffffffffffffffffffffffff03",
    "f8ffffffffffffffffffffffffffffff03",  "f5ffffffffffffffffffffffffffffff03",
    "ffffffffffffffffffffffffffffffff00",  "0000000000000000000000000000000001",
    "ffffffffffffffffffffffffffffffff01",  "0000000000000000000000000000000002",
    "ffffffffffffffffffffffffffffffff02",  "0000000000000000000000000000000003",
    "ffffff03000000000000000000000000 00", "00000004000000000000000000000000 00",
    "ffffffffffffff0f000000000000000000",  "0000000000000010000000000000000000",
    "ffffffffffff0f00000000000000000000",  "ffffffffffffffff000000000000000000",
    "0000000000000000010000000000000000",  "0000000000000000ffffffffffffffff00",
    "0000000000000000ffffffffffffffff03",  "ffffffffffffffff000000000000000003",
    "00000000000000000000000000ffffff03",  "0000000800000000000000000000000000",
    "0400000800000000000000000000000000",  "0100001000000000000000000000000000",
    "0000000000200000000000000000000000",  "0400000000400000000000000000000000",
    "0000000000000000020000000000000000",
};

#define N_HARD_H (sizeof hard_h / sizeof hard_h[0])

/* The one-shot call and the pieces, cut at random, both give the tag of the big integers. */
static void check_tag(struct rng *rng, const uint8_t *msg, size_t len, const uint8_t key[32])
{
    struct sealane_poly1305_state s;
    uint8_t want[16], tag[16];

    bigpoly_mac(want, msg, len, key);
    assert_int_equal(sealane_poly1305(tag, msg, len, key), 0);
    assert_memory_equal(tag, want, 16);

    memset(tag, 0, sizeof tag);
    assert_int_equal(sealane_poly1305_init(&s, key), 0);
    for (size_t done = 0, n; done < len; done += n) {
        n = 1 + rng_below(rng, rng_below(rng, 2) ? len - done : 40);
        if (n > len - done)
            n = len - done;
        assert_int_equal(sealane_poly1305_update(&s, msg + done, n), 0);
    }
    assert_int_equal(sealane_poly1305_final(&s, tag), 0);
    assert_memory_equal(tag, want, 16);
}

static void every_length(void **unused)
{
    struct rng rng = {1};
    static uint8_t msg[640 + 64];
    uint8_t key[32];

    (void)unused;
    for (size_t len = 0; len <= 640; len++) {
        uint8_t *at = msg + rng_below(&rng, 64);

        rng_fill(&rng, key, sizeof key);
        rng_fill(&rng, at, len);
        check_tag(&rng, at, len, key);
    }
}

static void long_messages(void **unused)
{
    struct rng rng = {2};
    static uint8_t msg[MAX_LEN];
    uint8_t key[32];

    (void)unused;
    for (int i = 0; i < 24; i++) {
        size_t len = i == 0 ? MAX_LEN : rng_below(&rng, MAX_LEN + 1);

        rng_fill(&rng, key, sizeof key);
        rng_fill(&rng, msg, len);
        check_tag(&rng, msg, len, key);
    }
}

/* Blocks of all ones, of zeros, and of both in turn, under each hard r and under s of all ones. */
static void limbs_at_their_bounds(void **unused)
{
    struct rng rng = {3};
    static uint8_t msg[1200];
    uint8_t key[32];

    (void)unused;
    for (size_t i = 0; i < N_HARD_R; i++) {
        unhex_exactly(key, 16, hard_r[i]);
        for (int pattern = 0; pattern < 6; pattern++) {
            memset(key + 16, pattern % 2 ? 0xff : 0, 16);
            for (size_t j = 0; j < sizeof msg; j++)
                msg[j] = pattern / 2 == 0 || (pattern / 2 == 1 && j / 16 % 2) ? 0xff : 0;
            for (size_t len = 0; len <= sizeof msg; len += len < 520 ? 13 : 97)
                check_tag(&rng, msg, len, key);
        }
    }
}

/* The last block, or one in the middle, takes the accumulator to each hard value, after 0 .. 40 blocks. */
static void accumulator_at_hard_values(void **unused)
{
    struct rng rng = {4};
    int reached = 0;

    (void)unused;
    for (size_t i = 0; i < N_HARD_H; i++) {
        uint8_t target[17], key[32], msg[16 * 42 + 5];

        unhex_exactly(target, 17, hard_h[i]);
        for (size_t before = 0; before <= 40; before++) {
            struct bigpoly b;

            rng_fill(&rng, key, sizeof key);
            if (before % 3 == 0)
                memset(key + 16, 0xff, 16);
            rng_fill(&rng, msg, sizeof msg);
            bigpoly_init(&b, key);
            for (size_t j = 0; j < before; j++)
                bigpoly_block(&b, msg + 16 * j, 16);
            if (!bigpoly_block_to(&b, target, msg + 16 * before))
                continue; /* three of four have no block that leads there */
            bigpoly_block(&b, msg + 16 * before, 16);
            assert_memory_equal(b.h, target, 17);
            reached++;
            check_tag(&rng, msg, 16 * (before + 1), key);
            check_tag(&rng, msg, 16 * (before + 1) + 5, key);
            memset(msg + 16 * (before + 1), 0xff, 16);
            check_tag(&rng, msg, 16 * (before + 2), key);
        }
    }
    assert_true(reached > 100);
}

/* With r = 1 the accumulator is the plain sum of the blocks, each with its 2^128. The last three blocks make
 * it 2^130 + d, d = -6 .. 5, the values between which the last subtraction of p decides. 4 n blocks of zeros
 * before them are worth 5 n.
 */
static void sums_around_the_prime(void **unused)
{
    struct rng rng = {5};

    (void)unused;
    for (int d = -6; d <= 5; d++) {
        for (int n = 0; n < 12; n++) {
            uint8_t key[32] = {1}, msg[16 * (3 + 4 * 12)] = {0}, h[17] = {0};
            uint8_t *a = msg + 64 * n, *b = a + 16, *c = b + 16;
            struct bigpoly sum;

            rng_fill(&rng, key + 16, 16);
            rng_fill(&rng, a, 16);
            a[0] &= 0x7f;
            for (int i = 0; i < 16; i++)
                b[i] = (uint8_t)~a[i];
            b[0] = (uint8_t)(b[0] - 100);      /* a + b = 2^128 - 101 */
            c[0] = (uint8_t)(101 + d - 5 * n); /* 5 n + a + b + c = 2^128 + d */
            memset(h, d < -5 ? 0xff : 0, 16);  /* 2^130 + d mod p is d + 5, or p - 1 */
            h[0] = (uint8_t)(d < -5 ? 0xfa : d + 5);
            h[16] = d < -5 ? 3 : 0;
            bigpoly_init(&sum, key);
            for (uint8_t *block = msg; block <= c; block += 16)
                bigpoly_block(&sum, block, 16);
            assert_memory_equal(sum.h, h, 17);
            check_tag(&rng, msg, (size_t)(c + 16 - msg), key);
        }
    }
}

static void tag_may_overlap(void **unused)
{
    struct rng rng = {6};
    uint8_t bytes[512], key[32], want[16];

    (void)unused;
    for (size_t at = 0; at <= 256; at++) {
        rng_fill(&rng, bytes, sizeof bytes);
        rng_fill(&rng, key, sizeof key);
        bigpoly_mac(want, bytes, 256, key);
        assert_int_equal(sealane_poly1305(bytes + at, bytes, 256, key), 0);
        assert_memory_equal(bytes + at, want, 16);
    }
    for (size_t at = 0; at <= 16; at++) {
        rng_fill(&rng, key, sizeof key);
        bigpoly_mac(want, bytes, 100, key);
        assert_int_equal(sealane_poly1305(key + at, bytes, 100, key), 0);
        assert_memory_equal(key + at, want, 16);
    }
}

static void refusals(void **unused)
{
    struct sealane_poly1305_state s;
    uint8_t key[32] = {1, 2, 3}, tag[16], msg[16] = {0};

    (void)unused;
    memset(&s, 0, sizeof s);
    assert_int_equal(sealane_poly1305(NULL, msg, 16, key), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305(tag, NULL, 16, key), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305(tag, msg, 16, NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305(tag, NULL, 0, key), 0);
    assert_int_equal(sealane_poly1305_update(&s, msg, 16), SEALANE_EINVAL); /* never set up */
    assert_int_equal(sealane_poly1305_final(&s, tag), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_init(NULL, key), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_init(&s, NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_init(&s, key), 0);
    assert_int_equal(sealane_poly1305_update(NULL, msg, 16), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_update(&s, NULL, 1), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_update(&s, NULL, 0), 0);
    assert_int_equal(sealane_poly1305_final(NULL, tag), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_final(&s, NULL), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_final(&s, tag), 0);
    assert_memory_equal(tag, key + 16, 16); /* of the empty message: s; the refused calls changed nothing */
    assert_int_equal(sealane_poly1305_final(&s, tag), SEALANE_EINVAL);
    assert_int_equal(sealane_poly1305_update(&s, msg, 16), SEALANE_EINVAL);
    for (size_t i = 0; i < sizeof s; i++)
        assert_int_equal(((const uint8_t *)&s)[i], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(long_messages),
        cmocka_unit_test(limbs_at_their_bounds),
        cmocka_unit_test(accumulator_at_hard_values),
        cmocka_unit_test(sums_around_the_prime),
        cmocka_unit_test(tag_may_overlap),
        cmocka_unit_test(refusals),
    };

    level_from_environment();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
