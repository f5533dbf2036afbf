/* chacha_avx512.c: the instance of chacha_blocks.h for zmm registers, in the place of chacha_avx512.S where
 * assembler files are not built. Reached through the ladder of src/chacha. */
#include "vec_avx512.h"

#include "chacha_blocks.h"
#include "chacha_x86.h"

CHACHA_KERNEL(chacha_xor_1to16blocks_avx512)
{
    blocks_xor_part(dst, src, len, state, rounds);
}

CHACHA_KERNEL(chacha_xor_16blocks_avx512)
{
    blocks_xor_whole(dst, src, len, state, rounds);
}
