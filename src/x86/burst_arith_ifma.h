/* burst_arith_ifma.h: the arithmetic of burst_mac.h in 44-bit limbs. The instance defines IFMA_BITS first. */
#ifndef BURST_ARITH_IFMA_H
#define BURST_ARITH_IFMA_H

#include "poly1305_ifma.h"

#define mac_num ifma_num
#define mac_power ifma_power
#define mac_acc ifma_acc
#define mac_zero ifma_zero
#define mac_add ifma_add
#define mac_mul_add ifma_mac
#define mac_carry ifma_carry
#define mac_mul ifma_mul
#define mac_clamp ifma_clamp
#define mac_select ifma_select
#define mac_tag ifma_finish
#define mac_block ifma_block

/* Block `at` of a row: a block in the lanes that do not skip it, zero in the others. */
#define mac_block_unless(skip, at, lo, hi) ifma_block_in(v_not_above64(skip, v_set64(at)), lo, hi)

#endif
