/* chacha_avx2.c: the instance of chacha_blocks.h for ymm registers; of its parts that which looks after the
 * end of a message, where chacha_avx2.S makes the blocks. Reached through the ladder of src/chacha. */
#include "vec_avx2.h"

#include "chacha_blocks.h"
#include "chacha_x86.h"

#if SEALANE_ASM
void chacha_keystream_8blocks_avx2(uint8_t keystream[SWEEP_LEN], const uint32_t state[16], int rounds);

CHACHA_KERNEL(chacha_xor_1to8blocks_avx2)
{
    uint8_t keystream[SWEEP_LEN];

    chacha_keystream_8blocks_avx2(keystream, state, rounds);
    blocks_xor_stream(dst, src, len, keystream);
}
#else
CHACHA_KERNEL(chacha_xor_1to8blocks_avx2)
{
    blocks_xor_part(dst, src, len, state, rounds);
}

CHACHA_KERNEL(chacha_xor_8blocks_avx2)
{
    blocks_xor_whole(dst, src, len, state, rounds);
}
#endif
