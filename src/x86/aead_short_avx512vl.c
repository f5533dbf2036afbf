/* aead_short_avx512vl.c: short messages sealed or opened (RFC 8439 section 2.8) in ymm registers with IFMA:
 * the block of the one-time key is block 0 of the keystream's own sweep. The MAC of up to six blocks is
 * serial (poly1305_serial.h), of more a tree (poly1305_tree.h). Called through the rungs of aead_suite.c.
 *
 * Rows: a state is four registers a, b, c, d, each one row of two blocks, a block in each half. */
#include "aead_short.h"

/* ---------------------------------------------------------------------------------------------------- rows
 */

struct rows {
    __m256i a, b, c, d;
};

/* The rounds, in assembler for the order of their instructions. p += q; x = (x ^ p) <<< n is a step of a
 * quarter round. ROWS_QUICK: x was turned before, away from the way from p to x, which is then 3 cycles long
 * where a rotate takes two and a shift one, and not 4; for two more operations. Each step turns its q for the
 * next quick step. */
#define ROWS_ADD(p, q) "vpaddd %[" #q "], %[" #p "], %[" #p "]\n\t"
#define ROWS_XOR(x, p) "vpxor %[" #p "], %[" #x "], %[" #x "]\n\t"
#define ROWS_ROL(x, n) "vprold $" #n ", %[" #x "], %[" #x "]\n\t"
#define ROWS_SHUF(x, order) "vpshufd $" #order ", %[" #x "], %[" #x "]\n\t"
#define ROWS_SHIFTS(p, t, u, n)                                                                              \
    "vpslld $" #n ", %[" #p "], %[" #t "]\n\tvpsrld $32-" #n ", %[" #p "], %[" #u "]\n\t"
#define ROWS_XOR3(x, t, u) "vpternlogd $0x96, %[" #t "], %[" #u "], %[" #x "]\n\t"

#define ROWS_QUICK(p, q, x, n) ROWS_ADD(p, q) ROWS_SHIFTS(p, t, u, n) ROWS_XOR3(x, t, u)

#define ROUND_OF_1(to_a, to_c)                                                                               \
    ROWS_QUICK(a, b, d, 16)                                                                                  \
    ROWS_ROL(b, 12)                                                                                          \
    ROWS_QUICK(c, d, b, 12)                                                                                  \
    ROWS_ROL(d, 8)                                                                                           \
    ROWS_QUICK(a, b, d, 8)                                                                                   \
    ROWS_ROL(b, 7)                                                                                           \
    ROWS_QUICK(c, d, b, 7) ROWS_ROL(d, 16) ROWS_SHUF(a, to_a) ROWS_SHUF(d, 0x4e) ROWS_SHUF(c, to_c)

#define ROWS_STEP2(p, q, x, n)                                                                               \
    ROWS_ADD(p, q) ROWS_ADD(p##2, q##2) ROWS_XOR(x, p) ROWS_XOR(x##2, p##2) ROWS_ROL(x, n) ROWS_ROL(x##2, n)

#define ROUND_OF_2(to_a, to_c)                                                                               \
    ROWS_ADD(a, b)                                                                                           \
    ROWS_ADD(a2, b2)                                                                                         \
    ROWS_SHIFTS(a, t, u, 16)                                                                                 \
    ROWS_SHIFTS(a2, t2, u2, 16)                                                                              \
    ROWS_XOR3(d, t, u)                                                                                       \
    ROWS_XOR3(d2, t2, u2) ROWS_STEP2(c, d, b, 12) ROWS_STEP2(a, b, d, 8) ROWS_ADD(c, d) ROWS_ADD(c2, d2)     \
        ROWS_ROL(d, 16) ROWS_ROL(d2, 16) ROWS_XOR(b, c) ROWS_XOR(b2, c2) ROWS_ROL(b, 7) ROWS_ROL(b2, 7)      \
            ROWS_SHUF(a, to_a) ROWS_SHUF(a2, to_a) ROWS_SHUF(d, 0x4e) ROWS_SHUF(d2, 0x4e) ROWS_SHUF(c, to_c) \
                ROWS_SHUF(c2, to_c)

#define ROWS_LOOP(round) "1:\n\t" round(0x93, 0x39) round(0x39, 0x93) "decl %[n]\n\tjnz 1b"

SHORT_INLINE void rounds_of_1(struct rows *s)
{
    __m256i t, u;
    int n = 10;

    s->d = _mm256_rol_epi32(s->d, 16);
    __asm__(ROWS_LOOP(ROUND_OF_1)
            : [a] "+x"(s->a), [b] "+x"(s->b), [c] "+x"(s->c), [d] "+x"(s->d), [t] "=&x"(t), [u] "=&x"(u),
              [n] "+r"(n)
            :
            : "cc");
    s->d = _mm256_rol_epi32(s->d, 16);
}

SHORT_INLINE void rounds_of_2(struct rows *s, struct rows *s2)
{
    __m256i t, u, t2, u2;
    int n = 10;

    s->d = _mm256_rol_epi32(s->d, 16);
    s2->d = _mm256_rol_epi32(s2->d, 16);
    __asm__(ROWS_LOOP(ROUND_OF_2)
            : [a] "+x"(s->a), [b] "+x"(s->b), [c] "+x"(s->c), [d] "+x"(s->d), [t] "=&x"(t), [u] "=&x"(u),
              [a2] "+x"(s2->a), [b2] "+x"(s2->b), [c2] "+x"(s2->c), [d2] "+x"(s2->d), [t2] "=&x"(t2),
              [u2] "=&x"(u2), [n] "+r"(n)
            :
            : "cc");
    s->d = _mm256_rol_epi32(s->d, 16);
    s2->d = _mm256_rol_epi32(s2->d, 16);
}

SHORT_INLINE struct rows rows_add(struct rows s, struct rows t)
{
    return (struct rows){_mm256_add_epi32(s.a, t.a), _mm256_add_epi32(s.b, t.b), _mm256_add_epi32(s.c, t.c),
                         _mm256_add_epi32(s.d, t.d)};
}

/* The input of the blocks 0 and 1. Words of the nonce one by one: it may have been written in any pieces of
 * four. */
SHORT_INLINE struct rows rows_input(const struct aead_message *m)
{
    const __m128i sigma = _mm_setr_epi32(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
    const __m128i d = _mm_setr_epi32(0, (int)load_le32(m->nonce), (int)load_le32(m->nonce + 4),
                                     (int)load_le32(m->nonce + 8));

    return (struct rows){
        _mm256_broadcastsi128_si256(sigma),
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)m->key)),
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(m->key + 4))),
        _mm256_add_epi32(_mm256_broadcastsi128_si256(d), _mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0))};
}

/* The halves of a block of keystream: of the low (0x20) or high (0x31) block of a state. */
#define ROWS_FIRST_HALF(s, which) _mm256_permute2x128_si256((s).a, (s).b, which)
#define ROWS_SECOND_HALF(s, which) _mm256_permute2x128_si256((s).c, (s).d, which)

/* ------------------------------------------------------------------------------------------------ kernels */

/* Up to 64 bytes, 16 bytes of AAD. */
SHORT_INLINE void rows2(const struct aead_message *m, uint8_t tag[16], int opening)
{
    const struct rows in = rows_input(m);
    struct rows s = in;
    MAC_TEXT(t, 8);
    const size_t first = text_first(8, m->len), counted = mac_begin(t, 8, m);

    if (opening)
        text_copy(m->in, m->len, t, first);
    rounds_of_1(&s);
    s = rows_add(s, in);
    piece_crypt(m, t, first, 0, ROWS_FIRST_HALF(s, 0x31), opening);
    piece_crypt(m, t, first, 1, ROWS_SECOND_HALF(s, 0x31), opening);
    mac_end(t, 8, m);
    serial_mac(tag, t, counted, 8, _mm256_castsi256_si128(s.a), _mm256_castsi256_si128(s.b));
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

/* Up to 192 bytes, 16 bytes of AAD. */
SHORT_INLINE void rows4(const struct aead_message *m, uint8_t tag[16], int opening)
{
    enum { N = 4 };
    const __m256i two = _mm256_setr_epi32(2, 0, 0, 0, 2, 0, 0, 0);
    const struct rows in = rows_input(m), in2 = {in.a, in.b, in.c, _mm256_add_epi32(in.d, two)};
    struct rows s = in, s2 = in2;
    MAC_TEXT(t, 4 * N);
    const size_t first = text_first(4 * N, m->len), counted = mac_begin(t, 4 * N, m);

    if (opening)
        text_copy(m->in, m->len, t, first);
    rounds_of_2(&s, &s2);
    s = rows_add(s, in);
    s2 = rows_add(s2, in2);
    piece_crypt(m, t, first, 0, ROWS_FIRST_HALF(s, 0x31), opening);
    piece_crypt(m, t, first, 1, ROWS_SECOND_HALF(s, 0x31), opening);
    piece_crypt(m, t, first, 2, ROWS_FIRST_HALF(s2, 0x20), opening);
    piece_crypt(m, t, first, 3, ROWS_SECOND_HALF(s2, 0x20), opening);
    piece_crypt(m, t, first, 4, ROWS_FIRST_HALF(s2, 0x31), opening);
    piece_crypt(m, t, first, 5, ROWS_SECOND_HALF(s2, 0x31), opening);
    mac_end(t, 4 * N, m);
    tree_mac(tag, t, counted, N, _mm256_castsi256_si128(s.a), _mm256_castsi256_si128(s.b));
}

LONG_AAD(seal, aead_seal_rows4_avx2, 0, 1152)
LONG_AAD(open, aead_open_rows4_avx2, 0, 1152)

#define SHORT_KERNELS(layout)                                                                                \
    AEAD_KERNEL(aead_seal_##layout##_avx512vl)                                                               \
    {                                                                                                        \
        if (m->aad_len > 16)                                                                                 \
            seal_long_aad(suite, m, tag);                                                                    \
        else                                                                                                 \
            layout(m, tag, 0);                                                                               \
    }                                                                                                        \
    AEAD_KERNEL(aead_open_##layout##_avx512vl)                                                               \
    {                                                                                                        \
        if (m->aad_len > 16)                                                                                 \
            open_long_aad(suite, m, tag);                                                                    \
        else                                                                                                 \
            layout(m, tag, 1);                                                                               \
    }

SHORT_KERNELS(rows2)
SHORT_KERNELS(rows4)
