/* burst_avx512vl.c: the burst kernels in ymm registers without IFMA. Reached through
 * their table by the ladder of bursts. */
#define BURST_MASK_REGISTERS 0
#include "burst_rows_avx2.h"

#include "burst_arith_limb26.h"
#include "burst_mac.h"

#if SEALANE_ASM
#include "burst_sweep_asm.h"
#define SWEEP_BLOCKS burst_blocks_avx512vl
#else
#include "burst_blocks.h"
#define SWEEP_BLOCKS burst_blocks
#endif
#include "burst_sweep.h"

const struct aead_burst_kernels burst_avx512vl = {
    .name = "burst_avx512vl",
    .sweep_lanes = 8,
    .mac_lanes = LANES64,
    .macs_len = sizeof(struct mac_group) / LANES64,
    .sweep = burst_sweep,
    .mac_keys = burst_mac_keys,
    .mac_rows = burst_mac_rows,
    .mac_text = burst_mac_text,
    .mac_finish = burst_mac_finish,
};
