/* burst_ifma_avx512.c: the burst kernels in zmm registers with IFMA: eight MACs at a time. Reached through
 * their table by the ladder of bursts. */
#include "burst_vec_avx512.h"

#define IFMA_BITS 512
#include "poly1305_ifma.h"
#define MAC(name) ifma_##name
#include "burst_mac.h"

#if SEALANE_ASM
#include "burst_sweep_asm.h"
#define SWEEP_BLOCKS burst_blocks_avx512
#else
#include "burst_blocks.h"
#define SWEEP_BLOCKS blocks_in_lanes
#endif
#include "burst_sweep.h"

const struct aead_burst_kernels burst_ifma_avx512 = {
    .name = "burst_ifma_avx512",
    .sweep_lanes = LANES32,
    .mac_lanes = LANES64,
    .macs_len = sizeof(struct mac_group) / LANES64,
    .sweep = sweep,
    .mac_keys = mac_keys,
    .mac_rows = mac_rows,
    .mac_text = mac_text,
    .mac_finish = mac_finish,
};
