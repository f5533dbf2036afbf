/* aead_short.h: what the kernels of short messages with IFMA share (aead_short_avx512vl.c,
 * aead_rows_avx512.c): the blocks of the MAC in places of their own, and pieces of the text. */
#ifndef AEAD_SHORT_H
#define AEAD_SHORT_H

#include "aead_kernels.h"
#include "bytes.h"
#include "poly1305_serial.h"
#include "poly1305_tree.h"

#define SHORT_INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------------------------------- the text's MAC
 *
 * The blocks of the MAC, as poly1305_tree.h wants them. Nothing here is secret: the text is ciphertext. */

/* Declares t: n places for blocks. */
#define MAC_TEXT(t, n) uint8_t t[n][16] __attribute__((aligned(64)))

/* Where the text begins among n blocks: behind it stand its lengths, and the last block. */
SHORT_INLINE size_t text_first(size_t n, size_t len)
{
    return n - 2 - (len + 15) / 16;
}

/* AAD of up to 16 bytes in front of the text. Returns the first block that counts. */
SHORT_INLINE size_t mac_begin(uint8_t (*t)[16], size_t n, const struct aead_message *m)
{
    const size_t first = text_first(n, m->len);

    if (m->aad_len == 0)
        return first;
    _mm_store_si128((__m128i *)(void *)t[first - 1],
                    _mm_maskz_loadu_epi8((__mmask16)((1U << m->aad_len) - 1), m->aad));
    return first - 1;
}

/* Behind the text, whose last block may have been written over. */
SHORT_INLINE void mac_end(uint8_t (*t)[16], size_t n, const struct aead_message *m)
{
    _mm_store_si128((__m128i *)(void *)t[n - 2], _mm_set_epi64x((long long)m->len, (long long)m->aad_len));
}

SHORT_INLINE void serial_mac(uint8_t tag[16], uint8_t (*t)[16], size_t first, size_t n, __m128i r, __m128i s)
{
    uint64_t rr[2] = {(uint64_t)_mm_cvtsi128_si64(r), (uint64_t)_mm_extract_epi64(r, 1)};
    const uint64_t ss[2] = {(uint64_t)_mm_cvtsi128_si64(s), (uint64_t)_mm_extract_epi64(s, 1)};

    serial_tag(tag, (const serial_word(*)[2])(const void *)t[first], n - 1 - first, rr, ss);
}

/* n: vectors of the tree. */
SHORT_INLINE void tree_mac(uint8_t tag[16], uint8_t (*t)[16], size_t first, size_t n, __m128i r, __m128i s)
{
    const __m256i rr = _mm256_broadcastsi128_si256(r);

    tree_tag(tag, t[0], n, first, _mm256_unpacklo_epi64(rr, rr), _mm256_unpackhi_epi64(rr, rr),
             (uint64_t)_mm_cvtsi128_si64(s), (uint64_t)_mm_extract_epi64(s, 1));
}

/* ------------------------------------------------------------------------------------ pieces of 32 bytes */

/* 32 bytes at p + 32 i, of which those below len exist. */
SHORT_INLINE __m256i piece_load(const uint8_t *p, size_t len, size_t i)
{
    if (len >= 32 * (i + 1))
        return _mm256_loadu_si256((const __m256i *)(const void *)(p + 32 * i));
    return _mm256_maskz_loadu_epi8(_bzhi_u32(UINT32_MAX, (unsigned)(len - 32 * i)), p + 32 * i);
}

SHORT_INLINE void piece_store(uint8_t *p, size_t len, size_t i, __m256i x)
{
    if (len >= 32 * (i + 1))
        _mm256_storeu_si256((__m256i *)(void *)(p + 32 * i), x);
    else
        _mm256_mask_storeu_epi8(p + 32 * i, _bzhi_u32(UINT32_MAX, (unsigned)(len - 32 * i)), x);
}

SHORT_INLINE void text_put(uint8_t (*t)[16], size_t first, size_t i, __m256i x)
{
    _mm256_storeu_si256((__m256i *)(void *)t[first + 2 * i], x);
}

/* Piece i, when there is one: sealed, and put among the blocks of the MAC; or opened. */
SHORT_INLINE void piece_crypt(const struct aead_message *m, uint8_t (*t)[16], size_t first, size_t i,
                              __m256i keystream, int opening)
{
    __m256i x;

    if (m->len <= 32 * i)
        return;
    x = _mm256_xor_si256(piece_load(m->in, m->len, i), keystream);
    piece_store(m->out, m->len, i, x);
    if (opening)
        return;
    if (m->len < 32 * (i + 1)) /* what is behind the text counts as zeros */
        x = _mm256_maskz_mov_epi8(_bzhi_u32(UINT32_MAX, (unsigned)(m->len - 32 * i)), x);
    text_put(t, first, i, x);
}

/* All pieces of a text of len bytes. */
SHORT_INLINE void text_copy(const uint8_t *text, size_t len, uint8_t (*t)[16], size_t first)
{
    for (size_t i = 0; 32 * i < len; i++)
        text_put(t, first, i, piece_load(text, len, i));
}

/* Longer AAD is not what packets have: a kernel of another layout takes it, and its frames (struct
 * aead_frames) are wiped here, which is why link-time optimization must not see what it could inline. */
#define LONG_AAD(deed, kernel, skip, stack)                                                                  \
    static __attribute__((noinline)) AEAD_KERNEL(deed##_long_aad)                                            \
    {                                                                                                        \
        aead_kernel *run = kernel;                                                                           \
                                                                                                             \
        __asm__("" : "+r"(run));                                                                             \
        run(suite, m, tag);                                                                                  \
        suite->clean(skip, stack);                                                                           \
    }

#endif
