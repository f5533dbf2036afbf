/* burst_avx2.c: the burst kernels in ymm registers, AVX2. Reached through
 * their table by the ladder of bursts. */
#define BURST_MASK_REGISTERS 0
#include "burst_rows_avx2.h"

#include "burst_arith_limb26.h"
#include "burst_mac.h"

#if SEALANE_ASM
#define EIGHT_SWEEP burst_eight_avx2
#define EIGHT_MACS burst_eight_macs_avx2
#define BURST_STACK 5120
#else
#define BURST_STACK 15616
#endif
#define MIXED_MAX 16
#define SWEEP_STEP 8
#include "burst_sweep.h"

BURST_KERNELS(burst_avx2);
