/* burst_ifma_avx512.c: the burst kernels in zmm registers with IFMA: eight MACs at a time. Reached through
 * their table by the ladder of bursts. */
#include "burst_rows_avx512.h"

#define IFMA_BITS 512
#include "burst_arith_ifma.h"
#include "burst_mac.h"

#if SEALANE_ASM
#define SWEEP_ASM burst_blocks_avx512
#define ALIKE_ASM 1
#endif
#define BURST_STACK 12288
#define SWEEP_STEP 16
#include "burst_sweep.h"

BURST_KERNELS(burst_ifma_avx512);
