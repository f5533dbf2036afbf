/* aead_suite.c: which kernels serve a message, level by level. Called when a key is made. */
#include "aead_kernels.h"

/* The portable code wipes its own copies. */
static void clean_nothing(void)
{
}

static const struct aead_rung two_pass[] = {
    {SIZE_MAX, aead_seal_two_pass, aead_open_two_pass, "aead_two_pass"},
};

static const struct aead_suite portable = {
    .level = "portable",
    .chacha = &chacha_ladder_portable,
    .poly1305 = &poly1305_ladder_portable,
    .rungs = two_pass,
    .clean = clean_nothing,
};

const struct aead_suite *aead_suite_for(uint32_t cpu)
{
    (void)cpu;
    return &portable;
}

const struct aead_rung *aead_rung_for(const struct aead_suite *suite, size_t len)
{
    const struct aead_rung *rung = suite->rungs;

    while (len > rung->max_len)
        rung++;
    return rung;
}
