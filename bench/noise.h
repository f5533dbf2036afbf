/* noise.h: is somebody busy on the other thread of this core? Another process there, or another guest of the
 * same machine, takes issue slots, and takes more from code that uses many: ratios change, not only cycles.
 * Independent additions, as many a cycle as the core can do, tell. */
#ifndef BENCH_NOISE_H
#define BENCH_NOISE_H

#include <stdbool.h>

/* Core cycles of an addition among independent ones, now. */
double noise_probe(void);

/* The highest probe that counts as quiet, where it is known; 0: not known. */
void noise_set_limit(double limit);

/* Is this the level of an undisturbed core? Judged by the limit or, where there is none, by the lowest level
 * that probes of this process had often: then early answers may be wrong, and a process that never saw quiet
 * does not know. */
bool noise_is_quiet(double probe);

/* Waits until probes are quiet or the seconds are over; returns the seconds that are left. */
double noise_wait(double seconds);

#endif
