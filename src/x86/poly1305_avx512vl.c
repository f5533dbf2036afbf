/* poly1305_avx512vl.c: Poly1305 with IFMA in ymm registers. Called through the ladder (poly1305_ladder.c). */
#include "poly1305_kernels.h"

#define POLY1305_LANES 4
#define LANES_PLAIN poly1305_plain_avx512vl
#define LANES_AEAD poly1305_aead_avx512vl
#define LANES_BLOCKS poly1305_blocks_avx512vl
#include "poly1305_lanes_kernels.h"
