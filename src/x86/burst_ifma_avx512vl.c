/* burst_ifma_avx512vl.c: the burst kernels in ymm registers with IFMA: four MACs at a time. Reached through
 * their table by the ladder of bursts. */
#define BURST_MASK_REGISTERS 1
#include "burst_rows_avx2.h"

#define IFMA_BITS 256
#include "burst_arith_ifma.h"
#include "burst_mac.h"

#if SEALANE_ASM
#define SWEEP_ASM burst_blocks_avx512vl
#endif
#define BURST_STACK 10496
#define SWEEP_STEP 8
#include "burst_sweep.h"

BURST_KERNELS(burst_ifma_avx512vl);
