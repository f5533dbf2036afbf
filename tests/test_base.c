/* test_base.c: the helpers of src/base, the texts of errors, the mask of cpu.h, and the kernel of the
 * compare. */
#include "hex.h"
#include "level.h"
#include "rng.h"

#include <string.h>

#include <sealane/sealane.h>

#include "bytes.h"
#include "secret.h"

static void loads_and_stores(void **unused)
{
    const uint8_t bytes[9] = {0xff, 1, 2, 3, 0x84, 5, 6, 7, 0x88};
    uint8_t out[9] = {0};

    (void)unused;
    assert_int_equal(load_le32(bytes + 1), 0x84030201);
    assert_int_equal(load_be32(bytes + 1), 0x01020384);
    assert_true(load_le64(bytes + 1) == UINT64_C(0x8807060584030201));
    store_le32(out + 1, 0x84030201);
    assert_memory_equal(out + 1, bytes + 1, 4);
    store_be32(out + 1, 0x01020384);
    assert_memory_equal(out + 1, bytes + 1, 4);
    store_le64(out + 1, UINT64_C(0x8807060584030201));
    assert_memory_equal(out + 1, bytes + 1, 8);
    store_be64(out + 1, UINT64_C(0x0102038405060788));
    assert_memory_equal(out + 1, bytes + 1, 8);
    assert_int_equal(out[0], 0);
}

static void spans(void **unused)
{
    const uint8_t *p = (const uint8_t *)(uintptr_t)1000;

    (void)unused;
    for (int a_len = 0; a_len <= 4; a_len++)
        for (int b_len = 0; b_len <= 4; b_len++)
            for (int shift = -6; shift <= 6; shift++) {
                int shared = 0;

                for (int i = 0; i < a_len; i++)
                    shared |= i >= shift && i < shift + b_len;
                assert_int_equal(spans_overlap(p, (size_t)a_len, p + shift, (size_t)b_len), shared);
                if (a_len == b_len)
                    assert_int_equal(spans_shifted(p, p + shift, (size_t)a_len), shared && shift != 0);
            }
    assert_int_equal(spans_overlap(NULL, 0, NULL, 0), 0);
    assert_int_equal(spans_overlap(NULL, 0, p, 5), 0);
    assert_int_equal(spans_overlap(p, SIZE_MAX - 2000, p + 1999, 1), 1);
    copy_bytes(NULL, NULL, 0);
    zero_bytes(NULL, 0);
    secret_wipe(NULL, 0);
}

/* Equal only when every bit is. */
static void compare(void **unused)
{
    struct rng rng = {1};
    uint8_t a[32], b[32];

    (void)unused;
    for (int trial = 0; trial < 20; trial++) {
        rng_fill(&rng, a, sizeof a);
        memcpy(b, a, sizeof b);
        assert_int_equal(secret_equal16(a, b), 1);
        assert_int_equal(secret_equal32(a, b), 1);
        for (int bit = 0; bit < 256; bit++) {
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(secret_equal16(a, b), bit >= 128);
            assert_int_equal(secret_equal32(a, b), 0);
            b[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t i = 0; i < sizeof b; i++)
            b[i] = (uint8_t)~a[i]; /* differences that cancel each other in a sum or an XOR of bytes */
        assert_int_equal(secret_equal16(a, b), 0);
        assert_int_equal(secret_equal32(a, b), 0);
    }
}

static void wipe(void **unused)
{
    uint8_t bytes[64];

    (void)unused;
    for (size_t len = 0; len <= 40; len++) {
        memset(bytes, 0xa5, sizeof bytes);
        secret_wipe(bytes + 10, len);
        for (size_t i = 0; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], i >= 10 && i < 10 + len ? 0 : 0xa5);
    }
}

/* Every code has a sentence of its own; anything else gets one too. */
static void error_texts(void **unused)
{
    (void)unused;
    for (int a = SEALANE_EFORMAT - 1; a <= 1; a++) {
        assert_non_null(sealane_strerror(a));
        assert_true(strlen(sealane_strerror(a)) > 5);
        for (int b = SEALANE_EFORMAT - 1; b < a && a <= 0; b++)
            assert_string_not_equal(sealane_strerror(a), sealane_strerror(b));
    }
    assert_string_equal(sealane_strerror(1), sealane_strerror(SEALANE_EFORMAT - 1));
    assert_string_equal(sealane_strerror(1), sealane_strerror(-1000));
    assert_string_equal(sealane_strerror(1), sealane_strerror(INT32_MIN));
}

/* used = found & mask, whatever the mask; found stays. */
static void masks(void **unused)
{
    const uint32_t found = sealane_cpu_found(), used = sealane_cpu_used();

    (void)unused;
    assert_int_equal(used & ~found, 0);
    for (size_t i = 0; i < N_LEVELS; i++) {
        sealane_cpu_use(levels[i].mask);
        assert_int_equal(sealane_cpu_used(), found & levels[i].mask);
    }
    sealane_cpu_use(UINT32_MAX);
    assert_int_equal(sealane_cpu_used(), found);
    sealane_cpu_use(0);
    assert_int_equal(sealane_cpu_used(), 0);
    assert_int_equal(sealane_cpu_found(), found);
    sealane_cpu_use(used);
    assert_int_equal(sealane_cpu_used(), used);
    for (size_t i = 2; i < N_LEVELS; i++) /* each level holds the levels below it */
        assert_int_equal(SEALANE_LEVEL_SSSE3 & ~levels[i].mask, 0);
    assert_int_equal(SEALANE_LEVEL_AVX2 & ~SEALANE_LEVEL_AVX512VL, 0);
    assert_int_equal(SEALANE_LEVEL_AVX512VL & ~SEALANE_LEVEL_AVX512, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores), cmocka_unit_test(spans),
        cmocka_unit_test(compare),          cmocka_unit_test(wipe),
        cmocka_unit_test(error_texts),      cmocka_unit_test(masks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
