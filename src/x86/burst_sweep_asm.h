/* burst_sweep_asm.h: what burst_sweep_avx512.S knows of struct aead_sweep. Included by the instances that use
 * it. */
#ifndef BURST_SWEEP_ASM_H
#define BURST_SWEEP_ASM_H

#include "burst_sweep_lanes.h"

void burst_blocks_avx512(const struct aead_sweep *s, unsigned n);
void burst_blocks_avx512vl(const struct aead_sweep *s, unsigned n);

_Static_assert(sizeof((struct aead_sweep *)0)->words[0] == 192, "WORD_STEP");
_Static_assert(offsetof(struct aead_sweep, words) == 0, "words");
_Static_assert(offsetof(struct aead_sweep, in) == 2304, "IN");
_Static_assert(offsetof(struct aead_sweep, out) == 2688, "OUT");

#endif
