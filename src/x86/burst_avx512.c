/* burst_avx512.c: the burst kernels for CPUs without IFMA: sweeps in zmm registers, MACs in ymm. Reached
 * through their table by the ladder of bursts. */
#define BURST_MASK_REGISTERS 0
#include "burst_rows_avx2.h"

#include "burst_arith_limb26.h"
#include "burst_mac.h"

#if SEALANE_ASM
#define SWEEP_ASM burst_blocks_avx512
#define EIGHT_SWEEP burst_eight_avx512vl
#define EIGHT_MACS burst_eight_macs_avx512vl
#define BURST_STACK 5120
#else
#define BURST_STACK 14720
#endif
#define MIXED_MAX 16
#define SWEEP_STEP 16
#include "burst_sweep.h"

BURST_KERNELS(burst_avx512);
