/* noise.c: the probe, and what is normal for it. */
#include "noise.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define BINS 400
#define BINS_FOR_DOUBLING 35 /* two percent each */

/* How often each level was seen: bin i holds probes from 2^(i / 35 - 5) cycles on. */
static unsigned seen[BINS], seen_all;

static size_t bin_of(double probe)
{
    double bin = (log2(probe) + 5) * BINS_FOR_DOUBLING;

    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin;
}

static double known_limit = -1; /* not asked yet */

/* Zen 3 and 4 have four units for additions; 0.265 measured on Zen 4 (EPYC, November 2026), 0.30 to 0.50
 * beside busy neighbours. Other cores learn. */
static double limit_of_cpu(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    if (__get_cpuid(1, &a, &b, &c, &d) && (a >> 8 & 15) + (a >> 20 & 255) == 0x19)
        return 0.28;
#endif
    return 0;
}

void noise_set_limit(double limit)
{
    known_limit = limit;
}

/* Eight chains, unrolled so that they stay in registers. */
static double independent_additions(void)
{
    uint64_t a[8] = {0}, b = 1;
    uint64_t start = clock_ticks();

    for (int i = 0; i < 500; i++) {
#pragma GCC unroll 16
        for (size_t k = 0; k < 16; k++)
            ADD(a[k % 8], b);
    }
    return ((double)(clock_ticks() - start) - clock_cost()) / 8000;
}

double noise_probe(void)
{
    double cycle = clock_cycle();
    double add = independent_additions();
    double cycle_after = clock_cycle();
    double probe = add / (cycle_after < cycle ? cycle_after : cycle);

    if (probe > 0) {
        seen[bin_of(probe)]++;
        seen_all++;
    }
    return probe;
}

/* The lowest bin that holds, with its neighbour, a fiftieth of all probes: single low ones are errors of a
 * clock that was interrupted. */
static size_t quiet_bin(void)
{
    for (size_t i = 0; i + 1 < BINS; i++)
        if ((seen[i] + seen[i + 1]) * 50 > seen_all + 100)
            return i + 1;
    return BINS - 1;
}

bool noise_is_quiet(double probe)
{
    if (known_limit < 0)
        known_limit = limit_of_cpu();
    if (known_limit > 0)
        return probe > 0 && probe <= known_limit;
    return probe > 0 && bin_of(probe) <= quiet_bin() + 2;
}

double noise_wait(double seconds)
{
    while (seconds > 0) {
        uint64_t start = clock_ticks();
        bool quiet = noise_is_quiet(noise_probe());

        seconds -= (double)(clock_ticks() - start) * clock_ns_per_tick() * 1e-9;
        if (quiet)
            break;
    }
    return seconds;
}
