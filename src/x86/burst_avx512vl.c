/* burst_avx512vl.c: the burst kernels in ymm registers without IFMA. Reached through
 * their table by the ladder of bursts. */
#define BURST_MASK_REGISTERS 0
#include "burst_rows_avx2.h"

#include "burst_arith_limb26.h"
#include "burst_mac.h"

#if SEALANE_ASM
#define SWEEP_ASM burst_blocks_avx512vl
#define EIGHT_SWEEP burst_eight_avx512vl
#define EIGHT_MACS burst_eight_macs_avx512vl
#define BURST_STACK 5120
#else
#define BURST_STACK 14720
#endif
#define MIXED_MAX 16
#define SWEEP_STEP 8
#include "burst_sweep.h"

BURST_KERNELS(burst_avx512vl);
