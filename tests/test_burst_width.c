/* test_burst_width.c: how many packets of one shape run together: by prices, and by the sets of the cache in
 * which they begin. */
#include "hex.h"

#include "aead_burst_width.h"

enum { N = 32, LEN = 1420 };

/* Eight lanes for 6.1 messages alone, 16 for 11.8, 32 for 22.9. */
static const struct aead_burst_rung rung = {2048, {61, 118, 229}, 0};

static _Alignas(4096) uint8_t memory[2 * N * 4096];

/* The width of n packets of len bytes, slot bytes apart, read from `in` and written to `out`. */
static unsigned width(uint8_t *in, uint8_t *out, size_t slot, size_t len, unsigned n)
{
    struct sealane_job job[N] = {0}, *jobs[N];

    for (unsigned i = 0; i < n; i++) {
        job[i].in = in + i * slot;
        job[i].out = out + i * slot;
        job[i].len = len;
        jobs[i] = &job[i];
    }
    return aead_burst_width(&rung, jobs, n);
}

static void by_price(void **unused)
{
    uint8_t *in = memory, *out = memory + N * 4096;

    (void)unused;
    assert_int_equal(width(in, out, 1500, LEN, 32), 32);
    assert_int_equal(width(in, out, 1500, LEN, 31), 31); /* an idle lane: 229, and 4 * 61 is more */
    assert_int_equal(width(in, out, 1500, LEN, 24), 8);  /* 3 * 61 */
    assert_int_equal(width(in, out, 1500, LEN, 16), 16);
    assert_int_equal(width(in, out, 1500, LEN, 8), 8);
    assert_int_equal(width(in, out, 1500, LEN, 7), 7); /* one idle lane */
    assert_int_equal(width(in, out, 1500, LEN, 6), 0);
}

static void by_place(void **unused)
{
    uint8_t *in = memory, *out = memory + N * 4096;

    (void)unused;
    assert_int_equal(width(in, out, 2048, LEN, 32), 8);
    assert_int_equal(width(out, out, 4096, LEN, 32), 8);     /* in place */
    assert_int_equal(width(in + 64, out, 4096, LEN, 32), 8); /* in another set */
    assert_int_equal(width(in, out, 4096, LEN, 32), 0);      /* 61 * 7 / 5 is more than 80 */
    assert_int_equal(width(in, out, 4096, 320, 32), 32);     /* short packets do not care */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_price),
        cmocka_unit_test(by_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
