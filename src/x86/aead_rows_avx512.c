/* aead_rows_avx512.c: messages of up to 8 blocks sealed or opened (RFC 8439 section 2.8) with rows of blocks
 * in zmm registers and the block of the one-time key in general ones beside them (aead_rows_avx512.S); the
 * MAC is a tree in ymm (poly1305_tree.h). Called through the rungs of aead_suite.c. */
#include "aead_fused_key.h"
#include "aead_short.h"

#include "chacha_kernels.h"

/* Text behind an AAD of up to 16 bytes, in the 4 n places of t: a text to open before it may be written over.
 */
SHORT_INLINE void rows(const struct aead_message *m, uint8_t tag[16], uint8_t (*t)[16],
                       fused_key_sweep *sweep, size_t n, int opening)
{
    struct fused_key key;
    const size_t first = text_first(4 * n, m->len), counted = mac_begin(t, 4 * n, m);

    if (opening)
        text_copy(m->in, m->len, t, first);
    chacha_setup(key.state, m->key, 1, m->nonce);
    sweep(m->out, m->in, m->len, &key);
    if (!opening)
        text_copy(m->out, m->len, t, first);
    mac_end(t, 4 * n, m);
    /* By halves, as they were stored just before: a load of both would wait for the stores. */
    tree_tag(tag, t[0], n, counted, _mm256_set1_epi64x((long long)key.r[0]),
             _mm256_set1_epi64x((long long)key.r[1]), key.s[0], key.s[1]);
}

LONG_AAD(seal, aead_seal_columns16_avx512, 0, 1536)
LONG_AAD(open, aead_open_columns16_avx512, 1024, 1536)

/* The places of the MAC's blocks hold ciphertext. They lie in a frame of their own above those that the
 * clean-up wipes (aead_suite.c), which is why what works on them is not inlined. */
#define ROWS(deed, layout, places, opening)                                                                  \
    static __attribute__((noinline)) void deed##_##layout##_##places(const struct aead_message *m,           \
                                                                     uint8_t tag[16], uint8_t(*t)[16])       \
    {                                                                                                        \
        rows(m, tag, t, aead_key_##layout##_avx512, (places) / 4, opening);                                  \
    }

ROWS(seal, rows4, 20, 0)
ROWS(open, rows4, 20, 1)
ROWS(seal, rows8, 36, 0)
ROWS(open, rows8, 36, 1)

/* The places hold the text, one block each of AAD and lengths, and the end. */
#define ROWS_KERNELS(deed)                                                                                   \
    AEAD_KERNEL(aead_##deed##_rows4_avx512)                                                                  \
    {                                                                                                        \
        MAC_TEXT(t, 20);                                                                                     \
                                                                                                             \
        if (m->aad_len > 16)                                                                                 \
            deed##_long_aad(suite, m, tag);                                                                  \
        else                                                                                                 \
            deed##_rows4_20(m, tag, t);                                                                      \
    }                                                                                                        \
    AEAD_KERNEL(aead_##deed##_rows8_avx512)                                                                  \
    {                                                                                                        \
        MAC_TEXT(t, 36);                                                                                     \
                                                                                                             \
        if (m->aad_len > 16)                                                                                 \
            deed##_long_aad(suite, m, tag);                                                                  \
        else                                                                                                 \
            deed##_rows8_36(m, tag, t);                                                                      \
    }

ROWS_KERNELS(seal)
ROWS_KERNELS(open)
