/* chacha_ssse3.c: the instance of chacha_blocks.h for xmm registers: the kernels of builds without
 * SEALANE_ASM, in place of chacha_ssse3.S. Reached through the ladder of src/chacha. */
#include "vec_ssse3.h"

#include "chacha_blocks.h"
#include "chacha_x86.h"

CHACHA_KERNEL(chacha_xor_1to4blocks_ssse3)
{
    blocks_xor_part(dst, src, len, state, rounds);
}

CHACHA_KERNEL(chacha_xor_4blocks_ssse3)
{
    blocks_xor_whole(dst, src, len, state, rounds);
}
