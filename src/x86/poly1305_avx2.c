/* poly1305_avx2.c: Poly1305 in 26-bit limbs in ymm registers. Called through the ladder (poly1305_ladder.c).
 */
#include "poly1305_kernels.h"

#define POLY1305_AVX2
#define POLY1305_LANES 4
#define LANES_PLAIN poly1305_plain_avx2
#define LANES_AEAD poly1305_aead_avx2
#define LANES_BLOCKS poly1305_blocks_avx2
#include "poly1305_lanes_kernels.h"
