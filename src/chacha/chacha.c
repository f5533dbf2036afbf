/* chacha.c: the public stream cipher of chacha.h over the ladder of kernels. */
#include <sealane/chacha.h>
#include <sealane/cpu.h>

#include "bytes.h"
#include "chacha_kernels.h"
#include "secret.h"

#define MADE UINT64_C(0x5ea1a9ec4ac4a001)
#define SCALAR_STACK 512 /* what the frames of the portable helpers take at most */
#define MAX_BLOCKS (UINT64_C(1) << 32)

/* What struct sealane_chacha holds. */
struct __attribute__((may_alias)) stream {
    uint64_t made; /* MADE, or the state was never set up */
    uint64_t next; /* number of the next block; 2^32 when none is left */
    const struct chacha_ladder *ladder;
    uint32_t words[16]; /* words[12] is filled in at each call */
    int rounds;
};

_Static_assert(sizeof(struct stream) <= sizeof(struct sealane_chacha), "stream fits its public shape");
_Static_assert(_Alignof(struct stream) <= _Alignof(struct sealane_chacha), "and its alignment");

int sealane_chacha_init(struct sealane_chacha *s, int rounds, const uint8_t key[32], const uint8_t nonce[12],
                        uint32_t counter)
{
    struct stream *st = (struct stream *)s;
    uint32_t key_words[8];

    if (s == NULL || key == NULL || nonce == NULL || (rounds != 8 && rounds != 12 && rounds != 20))
        return SEALANE_EINVAL;
    st->made = MADE;
    st->next = counter;
    st->ladder = chacha_ladder_for(sealane_cpu_used());
    st->rounds = rounds;
    chacha_load_key(key_words, key);
    chacha_setup(st->words, key_words, counter, nonce);
    secret_wipe(key_words, sizeof key_words);
    secret_leave(SCALAR_STACK);
    return SEALANE_OK;
}

/* The way out of a call, as far as the kernels have not been that themselves. */
static void leave(const struct chacha_ladder *ladder)
{
    if (ladder->stack != 0)
        secret_leave(ladder->stack);
}

/* May len bytes be crypted from block number next on? In *n_blocks how many that takes. */
static int check_run(const void *dst, const void *src, size_t len, uint64_t next, uint64_t *n_blocks)
{
    if (len != 0 && (dst == NULL || src == NULL))
        return SEALANE_EINVAL;
    if (spans_shifted(src, dst, len))
        return SEALANE_EOVERLAP;
    *n_blocks = (uint64_t)len / 64 + (len % 64 != 0);
    return *n_blocks > MAX_BLOCKS - next ? SEALANE_ELIMIT : SEALANE_OK;
}

int sealane_chacha_crypt(struct sealane_chacha *s, void *dst, const void *src, size_t len)
{
    struct stream *st = (struct stream *)s;
    uint64_t n_blocks;

    if (s == NULL || st->made != MADE)
        return SEALANE_EINVAL;

    int err = check_run(dst, src, len, st->next, &n_blocks);

    if (err != SEALANE_OK)
        return err;
    st->words[12] = (uint32_t)st->next;
    chacha_xor(st->ladder, dst, src, len, st->words, st->rounds);
    st->next += n_blocks;
    leave(st->ladder);
    return SEALANE_OK;
}

void sealane_chacha_wipe(struct sealane_chacha *s)
{
    if (s != NULL)
        secret_wipe(s, sizeof *s);
}

int sealane_chacha20_xor(void *dst, const void *src, size_t len, const uint8_t key[32],
                         const uint8_t nonce[12], uint32_t counter)
{
    struct {
        uint32_t key[8], state[16];
    } words;
    uint64_t n_blocks;

    if (key == NULL || nonce == NULL)
        return SEALANE_EINVAL;

    int err = check_run(dst, src, len, counter, &n_blocks);

    if (err != SEALANE_OK || len == 0)
        return err;

    const struct chacha_ladder *ladder = chacha_ladder_for(sealane_cpu_used());

    chacha_load_key(words.key, key);
    chacha_setup(words.state, words.key, counter, nonce);
    chacha_xor(ladder, dst, src, len, words.state, 20);
    secret_wipe(&words, sizeof words);
    leave(ladder);
    return SEALANE_OK;
}

void sealane_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t in[16])
{
    uint32_t key_words[8], sub[8];

    chacha_load_key(key_words, key);
    chacha_hchacha20(sub, key_words, in);
    for (int i = 0; i < 8; i++)
        store_le32(out + 4 * i, sub[i]);
    secret_wipe(key_words, sizeof key_words);
    secret_wipe(sub, sizeof sub);
    secret_leave(SCALAR_STACK);
}
