/* chacha_ssse3.c: the instance of chacha_blocks.h for xmm registers; of its parts that which looks after the
 * end of a message, where chacha_ssse3.S makes the blocks. Reached through the ladder of src/chacha. */
#include "vec_ssse3.h"

#include "chacha_blocks.h"
#include "chacha_x86.h"

#if SEALANE_ASM
void chacha_keystream_4blocks_ssse3(uint8_t keystream[SWEEP_LEN], const uint32_t state[16], int rounds);

CHACHA_KERNEL(chacha_xor_1to4blocks_ssse3)
{
    uint8_t keystream[SWEEP_LEN];

    chacha_keystream_4blocks_ssse3(keystream, state, rounds);
    blocks_xor_stream(dst, src, len, keystream);
}
#else
CHACHA_KERNEL(chacha_xor_1to4blocks_ssse3)
{
    blocks_xor_part(dst, src, len, state, rounds);
}

CHACHA_KERNEL(chacha_xor_4blocks_ssse3)
{
    blocks_xor_whole(dst, src, len, state, rounds);
}
#endif
