/* aead_burst_width.c: how many packets of one shape run together, by the ladder's prices and by where they
 * lie. */
#include "aead_burst_width.h"

#include <stdbool.h>

/* Outputs that begin in few sets of a first cache (64 sets of 64 bytes) push each other out of it where wide
 * lanes, a stream each, go through them: so they do in slots of 2048 or 4096 bytes. In slots of 4096 bytes,
 * eight streams in and eight out meet in one set, and even narrow lanes are dearer. AMD EPYC 9004 (Zen 4),
 * GCC 12, 30 November 2026, slots of 2048: 32 x 256 bytes cost the same in wide and in narrow lanes, 384
 * bytes 570 against 520 cycles a packet, 1420 bytes 1850 against 1380. Slots of 4096, narrow lanes against
 * alone: 704 bytes 880 and 1097, 1024 bytes 1293 and 1129, 1420 bytes 1696 and 1404; avx2 1417 and 1487, 1949
 * and 1796, 2664 and 2306. */
#define CROWDED_SETS 2
#define CROWDED_LEN 320               /* shorter packets do not care */
#define ONE_SET_PRICE(p) ((p)*7U / 5) /* of narrow lanes, where inputs and outputs begin in one set */

static uint64_t set_of(const uint8_t *p)
{
    return UINT64_C(1) << ((uintptr_t)p / 64 % 64);
}

static unsigned count_sets(uint64_t sets, unsigned most)
{
    unsigned n = 0;

    for (; n < most && sets != 0; n++)
        sets &= sets - 1;
    return n;
}

enum crowding { APART, CROWDED, ONE_SET };

static enum crowding crowding(struct sealane_job *const *jobs, unsigned n)
{
    uint64_t in = 0, out = 0;
    bool in_place = true;

    if (jobs[0]->len <= CROWDED_LEN)
        return APART;
    for (unsigned i = 0; i < n; i++) {
        in |= set_of(jobs[i]->in);
        out |= set_of(jobs[i]->out);
        in_place = in_place && jobs[i]->in == jobs[i]->out;
    }
    if (count_sets(out, CROWDED_SETS + 1) > CROWDED_SETS)
        return APART;
    return in_place || count_sets(in | out, 2) > 1 ? CROWDED : ONE_SET;
}

#define ALONE 10 /* what a message alone costs, where prices are told */

unsigned aead_burst_width(const struct aead_burst_rung *rung, struct sealane_job *const *jobs, unsigned n)
{
    unsigned best = 0, least = ALONE * n, widths;
    enum crowding place;

    if (least <= rung->price[0]) /* the lowest */
        return 0;
    place = crowding(jobs, n);
    widths = place == APART ? AEAD_ALIKE_WIDTHS : 1;
    for (unsigned w = 0; w < widths; w++) {
        const unsigned width = AEAD_ALIKE_MIN << w, rest = n & (width - 1);
        const unsigned price = place == ONE_SET ? ONE_SET_PRICE(rung->price[w]) : rung->price[w];
        const unsigned cost =
            n / AEAD_ALIKE_MIN / (1U << w) * price + (ALONE * rest < price ? ALONE * rest : price);

        if (cost < least) {
            best = n < width ? n : width;
            least = cost;
        }
    }
    return best;
}
