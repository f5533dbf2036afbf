/* chacha_avx2.c: the instance of chacha_blocks.h for ymm registers: the kernels of builds without
 * SEALANE_ASM, in place of chacha_avx2.S. Reached through the ladder of src/chacha. */
#include "vec_avx2.h"

#include "chacha_blocks.h"
#include "chacha_x86.h"

CHACHA_KERNEL(chacha_xor_1to8blocks_avx2)
{
    blocks_xor_part(dst, src, len, state, rounds);
}

CHACHA_KERNEL(chacha_xor_8blocks_avx2)
{
    blocks_xor_whole(dst, src, len, state, rounds);
}
