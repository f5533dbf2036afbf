/* chacha_portable_blocks.c: the instance of chacha_blocks.h for compilers that have vectors of their own.
 * Four blocks at a time cost less than one after another wherever there are vector registers (SSE2 is in the
 * baseline of x86-64, NEON in that of AArch64). Reached through the portable ladder. */
#include "chacha_kernels.h"

#if CHACHA_PORTABLE_BLOCKS

#include "vec_generic.h"

#include "chacha_blocks.h"

CHACHA_KERNEL(chacha_xor_1to4blocks_portable)
{
    blocks_xor_part(dst, src, len, state, rounds);
}

CHACHA_KERNEL(chacha_xor_4blocks_portable)
{
    blocks_xor_whole(dst, src, len, state, rounds);
}

#endif
