/* chacha_ladder.c: which ChaCha kernel serves which length, level by level. Called when a key or a state is
 * made. */
#include "chacha_kernels.h"

static const struct chacha_rung portable_rungs[] = {
    {SIZE_MAX, chacha_xor_portable, "chacha_xor_portable"},
};

const struct chacha_ladder chacha_ladder_portable = {"portable", portable_rungs};

const struct chacha_ladder *chacha_ladder_for(uint32_t cpu)
{
    (void)cpu;
    return &chacha_ladder_portable;
}

const struct chacha_rung *chacha_rung_for(const struct chacha_ladder *ladder, size_t len)
{
    const struct chacha_rung *rung = ladder->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}

void chacha_xor(const struct chacha_ladder *ladder, uint8_t *dst, const uint8_t *src, size_t len,
                const uint32_t state[16], int rounds)
{
    if (len != 0)
        chacha_rung_for(ladder, len)->run(dst, src, len, state, rounds);
}
