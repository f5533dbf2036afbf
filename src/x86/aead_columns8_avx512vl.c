/* aead_columns8_avx512vl.c: messages of up to 7 blocks sealed or opened (RFC 8439 section 2.8) in ymm
 * registers with IFMA: one sweep of 8 columns, whose first lane makes the block of the one-time key; the MAC
 * is a tree (poly1305_tree.h). Called through the rungs of aead_suite.c. */
#include "aead_short.h"

/* Sixteen registers, one for each word of the state; lane i belongs to block i. */
struct columns {
    __m256i x[16];
};

/* p += q; x = (x ^ p) <<< n: a step of a quarter round. */
#define STEP(p, q, x, n)                                                                                     \
    do {                                                                                                     \
        (p) = _mm256_add_epi32(p, q);                                                                        \
        (x) = _mm256_rol_epi32(_mm256_xor_si256(x, p), n);                                                   \
    } while (0)

/* A step of four quarter rounds, whose words of each row begin at a column of their own. */
#define STEPS(p, q, t, i, j, k, n)                                                                           \
    do {                                                                                                     \
        STEP(s.x[p + i % 4], s.x[q + j % 4], s.x[t + k % 4], n);                                             \
        STEP(s.x[p + (i + 1) % 4], s.x[q + (j + 1) % 4], s.x[t + (k + 1) % 4], n);                           \
        STEP(s.x[p + (i + 2) % 4], s.x[q + (j + 2) % 4], s.x[t + (k + 2) % 4], n);                           \
        STEP(s.x[p + (i + 3) % 4], s.x[q + (j + 3) % 4], s.x[t + (k + 3) % 4], n);                           \
    } while (0)

#define ROUND(j, k, l)                                                                                       \
    do {                                                                                                     \
        STEPS(0, 4, 12, 0, j, l, 16);                                                                        \
        STEPS(8, 12, 4, k, l, j, 12);                                                                        \
        STEPS(0, 4, 12, 0, j, l, 8);                                                                         \
        STEPS(8, 12, 4, k, l, j, 7);                                                                         \
    } while (0)

SHORT_INLINE struct columns columns_rounds(struct columns s)
{
    for (int i = 0; i < 10; i++) {
        ROUND(0, 0, 0);
        ROUND(1, 2, 3);
    }
    return s;
}

SHORT_INLINE __m256i word(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

/* s plus the input of the blocks 0 .. 7; words of the nonce one by one: it may have been written in any
 * pieces of four. */
SHORT_INLINE struct columns columns_add_input(struct columns s, const struct aead_message *m)
{
    static const uint32_t sigma[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        s.x[i] = _mm256_add_epi32(s.x[i], word(sigma[i]));
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        s.x[4 + i] = _mm256_add_epi32(s.x[4 + i], word(m->key[i]));
    s.x[12] = _mm256_add_epi32(s.x[12], _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        s.x[13 + i] = _mm256_add_epi32(s.x[13 + i], word(load_le32(m->nonce + 4 * i)));
    return s;
}

SHORT_INLINE struct columns columns_zero(void)
{
    struct columns s;

#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        s.x[i] = _mm256_setzero_si256();
    return s;
}

/* The four words of a row as quads: those of the blocks i and i + 4 in x[i]. */
SHORT_INLINE void quads(__m256i x[4])
{
    const __m256i a = _mm256_unpacklo_epi32(x[0], x[1]), b = _mm256_unpackhi_epi32(x[0], x[1]),
                  c = _mm256_unpacklo_epi32(x[2], x[3]), d = _mm256_unpackhi_epi32(x[2], x[3]);

    x[0] = _mm256_unpacklo_epi64(a, c);
    x[1] = _mm256_unpackhi_epi64(a, c);
    x[2] = _mm256_unpacklo_epi64(b, d);
    x[3] = _mm256_unpackhi_epi64(b, d);
}

/* Two quads of block i. */
SHORT_INLINE __m256i columns_half(__m256i a, __m256i b, size_t i)
{
    return i < 4 ? _mm256_permute2x128_si256(a, b, 0x20) : _mm256_permute2x128_si256(a, b, 0x31);
}

/* n: vectors of the MAC's tree. */
SHORT_INLINE void columns(const struct aead_message *m, uint8_t tag[16], uint8_t (*t)[16], size_t n,
                          int opening)
{
    const size_t first = text_first(4 * n, m->len), counted = mac_begin(t, 4 * n, m);
    struct columns s;

    if (opening)
        text_copy(m->in, m->len, t, first);
    s = columns_add_input(columns_rounds(columns_add_input(columns_zero(), m)), m);
    quads(s.x);
    quads(s.x + 4);
    quads(s.x + 8);
    quads(s.x + 12);
#pragma GCC unroll 7
    for (size_t i = 1; i < 8; i++) {
        const __m256i *x = s.x + i % 4;

        piece_crypt(m, t, first, 2 * i - 2, columns_half(x[0], x[4], i), opening);
        piece_crypt(m, t, first, 2 * i - 1, columns_half(x[8], x[12], i), opening);
    }
    mac_end(t, 4 * n, m);
    tree_mac(tag, t, counted, n, _mm256_castsi256_si128(s.x[0]), _mm256_castsi256_si128(s.x[4]));
}

LONG_AAD(seal, aead_seal_columns8_avx2, 0, 1536)
LONG_AAD(open, aead_open_columns8_avx2, 0, 1536)

/* The places of the MAC's blocks hold ciphertext. They lie in a frame of their own above those that the
 * clean-up wipes (aead_suite.c), which is why what works on them is not inlined. */
#define COLUMNS(deed, places, opening)                                                                       \
    static __attribute__((noinline)) void deed##_##places(const struct aead_message *m, uint8_t tag[16],     \
                                                          uint8_t(*t)[16])                                   \
    {                                                                                                        \
        columns(m, tag, t, (places) / 4, opening);                                                           \
    }

/* What the places hold: the text, one block each of AAD and lengths, and the end. */
#define LEN_OF(places) (((places)-3) * (size_t)16)

#define COLUMNS_KERNEL(deed)                                                                                 \
    AEAD_KERNEL(aead_##deed##_columns8_avx512vl)                                                             \
    {                                                                                                        \
        MAC_TEXT(t, 32);                                                                                     \
                                                                                                             \
        if (m->aad_len > 16)                                                                                 \
            deed##_long_aad(suite, m, tag);                                                                  \
        else if (m->len <= LEN_OF(20))                                                                       \
            deed##_20(m, tag, t);                                                                            \
        else if (m->len <= LEN_OF(24))                                                                       \
            deed##_24(m, tag, t);                                                                            \
        else                                                                                                 \
            deed##_32(m, tag, t);                                                                            \
    }

COLUMNS(seal, 20, 0)
COLUMNS(open, 20, 1)
COLUMNS(seal, 24, 0)
COLUMNS(open, 24, 1)
COLUMNS(seal, 32, 0)
COLUMNS(open, 32, 1)
COLUMNS_KERNEL(seal)
COLUMNS_KERNEL(open)
