/* aead_burst_width.c: how many packets of one shape run together, by the ladder's prices and by where they
 * lie. */
#include "aead_burst_width.h"

/* Do the jobs' outputs begin in so few sets of a first cache (64 sets of 64 bytes) that wide lanes, a stream
 * each, push each other out of it? So they do in slots of 2048 or 4096 bytes. Packets in slots of 2048 bytes
 * on an AMD EPYC 9004 (Zen 4), GCC 12, 30 November 2026: 32 x 256 bytes cost the same in wide and in narrow
 * lanes, 384 bytes 570 against 520 cycles a packet, 1420 bytes 1850 against 1380. */
#define CROWDED_SETS 2
#define CROWDED_LEN 320 /* shorter packets do not care */

static int crowded(struct sealane_job *const *jobs, unsigned n)
{
    uint64_t sets = 0;

    for (unsigned i = 0; i < n; i++)
        sets |= UINT64_C(1) << ((uintptr_t)jobs[i]->out / 64 % 64);
    for (unsigned i = 0; i < CROWDED_SETS; i++)
        sets &= sets - (sets != 0);
    return sets == 0;
}

#define ALONE 10 /* what a message alone costs, where prices are told */

unsigned aead_burst_width(const struct aead_burst_rung *rung, struct sealane_job *const *jobs, unsigned n)
{
    const unsigned widths = jobs[0]->len > CROWDED_LEN && crowded(jobs, n) ? 1 : AEAD_ALIKE_WIDTHS;
    unsigned best = 0, least = ALONE * n;

    for (unsigned w = 0; w < widths; w++) {
        const unsigned width = AEAD_ALIKE_MIN << w, rest = n & (width - 1), price = rung->price[w];
        const unsigned cost =
            n / AEAD_ALIKE_MIN / (1U << w) * price + (ALONE * rest < price ? ALONE * rest : price);

        if (cost < least) {
            best = n < width ? n : width;
            least = cost;
        }
    }
    return best;
}
