/* burst_alike_ifma.h: packets of one shape sealed and opened (RFC 8439 section 2.8) by the sweeps of
 * burst_alike_avx512.S, in whose rounds their MACs run. Over burst_mac.h in zmm registers with IFMA; takes
 * the place of burst_alike.h where assembler files are built.
 *
 * 32 lanes are 32, 16 or 8 packets with one, two or four neighbouring blocks of each; 16 lanes are enough for
 * 8 packets of a block of text or less. The first sweep begins with block 0, so that 16 or 8 packets have
 * text in it. Sealing authenticates what the sweep before wrote; opening what the sweep itself is about to
 * read, and in the first sweep, before there are keys, a copy of it. */
#ifndef BURST_ALIKE_IFMA_H
#define BURST_ALIKE_IFMA_H

#include <stddef.h>

#include "burst_alike_mac.h"
#include "burst_alike_words.h"

struct alike_work {
    uint32_t words[12][AEAD_ALIKE_MAX]; /* 4 .. 15 of each lane */
    const uint8_t *in[AEAD_ALIKE_MAX];  /* where the block would be that a sweep at 0 makes */
    uint8_t *out[AEAD_ALIKE_MAX];
    const uint8_t *rows[AEAD_ALIKE_MAX]; /* the ciphertext: in or out */
    uint64_t bytes[4];                   /* of lanes 8 g .. 8 g + 7, in a sweep under masks */
    size_t at, out_at;                   /* added to in and out */
    struct alike_group *of[4];           /* whose the columns beside a sweep are: rows 0 .. 7, 8 .. 15, .. */
    uint64_t ended[4];                   /* their lanes that have no such column, as bits */
    union {
        vec keys[2][8]; /* words 0 .. 7 of block 0, 16 packets each */
        vec scratch[20];
    };
    uint8_t nobody[64];
    unsigned width, depth; /* packets, blocks of each */
    int brief;             /* alike_is_brief: no r^4, no h before the end */
    size_t done;           /* bytes of text that sweeps have made */
    union {                /* at the end of the frame: a narrow run leaves what it has no use for as it was */
        _Alignas(64) struct alike_group groups[4];
        struct {
            struct alike_group only[2];
            uint8_t copy[AEAD_ALIKE_MAX - 8]
                        [64]; /* of the first sweep's input, where 8 or 16 packets are opened */
        };
    };
};

void alike_first_avx512(struct alike_work *w, unsigned depth);
void alike_first_half_avx512(struct alike_work *w);
void alike_sweep_avx512(struct alike_work *w, const uint8_t *const *rows, size_t rows_at, unsigned halves,
                        unsigned masked);
void alike_half_avx512(struct alike_work *w);
void alike_columns_avx512(struct alike_work *w, const uint8_t *const *rows, size_t at, unsigned groups,
                          unsigned n);

/* What burst_alike_avx512.S knows. */
_Static_assert(sizeof((struct alike_work *)0)->words[0] == 128, "WORD_STEP");
_Static_assert(offsetof(struct alike_work, in) == 1536, "IN");
_Static_assert(offsetof(struct alike_work, out) == 1792, "OUT");
_Static_assert(offsetof(struct alike_work, bytes) == 2304, "BYTES");
_Static_assert(offsetof(struct alike_work, at) == 2336, "AT");
_Static_assert(offsetof(struct alike_work, out_at) == 2344, "OUT_AT");
_Static_assert(offsetof(struct alike_work, of) == 2352, "OF");
_Static_assert(offsetof(struct alike_work, ended) == 2384, "ENDED");
_Static_assert(offsetof(struct alike_work, scratch) == 2432, "SCRATCH");
_Static_assert(offsetof(struct alike_work, groups) == 3840, "GROUPS");
_Static_assert(sizeof(struct mac_power) == 320, "POWER_STEP");
_Static_assert(offsetof(struct alike_group, h) == 1280, "H");
_Static_assert(sizeof(struct alike_group) == 1600, "GROUP_SIZE");

#define BURST_UNUSED                                                                                         \
    {                                                                                                        \
        3 * sizeof(struct alike_group), 2 * sizeof(struct alike_group), 0                                    \
    }

/* Pointers of 32 lanes, from those of the packets. */
ROWS_INLINE void alike_pointers(void *lanes, const void *packets, unsigned width)
{
#pragma GCC unroll 4
    for (unsigned lane = 0; lane < AEAD_ALIKE_MAX; lane += 8)
        vec_store(
            (uint8_t *)lanes + 8 * lane,
            v_add64(vec_load((const uint8_t *)packets + 8 * (lane % width)), v_set64(64 * (lane / width))));
}

/* Lanes without a packet read packet 0 and write to nobody. */
static inline void alike_idle(struct alike_work *w, const struct aead_alike *a)
{
    for (unsigned of_0 = 0; of_0 < w->width * w->depth; of_0 += w->width)
        for (unsigned lane = of_0 + a->n; lane < of_0 + w->width; lane++) {
            w->in[lane] = w->in[of_0];
            w->rows[lane] = w->rows[of_0];
            w->out[lane] = w->nobody;
        }
}

/* out_at moves over the text with at, unless there are lanes without a packet: then pointers do. */
ROWS_INLINE void alike_move(struct alike_work *w, const struct aead_alike *a, size_t at)
{
    if (a->n == w->width)
        w->out_at = at;
    else
        for (unsigned of_0 = 0; of_0 < w->width * w->depth; of_0 += w->width)
            for (unsigned lane = of_0; lane < of_0 + a->n; lane++)
                w->out[lane] = (uint8_t *)((uintptr_t)w->out[lane] + at - w->at);
    w->at = at;
}

/* Which bytes of the text a sweep at w->at has in its lanes. */
ROWS_INLINE void alike_mask(struct alike_work *w, size_t len)
{
    for (unsigned g = 0; g < 4; g++) {
        const size_t from = w->at + 64 * (size_t)(8 * g / w->width); /* wraps where a lane is block 0 */

        w->bytes[g] = from >= len ? 0 : _bzhi_u64(UINT64_MAX, len - from < 64 ? (unsigned)(len - from) : 64);
    }
}

/* Block numbers of the first sweep, and of the next one. */
ROWS_INLINE void alike_number(struct alike_work *w)
{
    for (unsigned lane = 0; lane < AEAD_ALIKE_MAX; lane += 8)
        _mm256_storeu_si256((__m256i *)(void *)&w->words[8][lane], _mm256_set1_epi32((int)(lane / w->width)));
}

ROWS_INLINE void alike_number_next(struct alike_work *w)
{
    const vec depth = vec_set1(w->depth);

    vec_store(&w->words[8][0], vec_add(vec_load(&w->words[8][0]), depth));
    vec_store(&w->words[8][16], vec_add(vec_load(&w->words[8][16]), depth));
}

/* The first halves of eight one-time keys, as numbers of 64 bits, out of words in lanes. */
ROWS_INLINE void alike_key(vec t[4], const vec words[8], unsigned upper)
{
    const vec lanes =
        upper ? _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15) : _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);

#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        t[i] = _mm512_permutex2var_epi64(vec_lo32(words[2 * i], words[2 * i + 1]), lanes,
                                         vec_hi32(words[2 * i], words[2 * i + 1]));
}

ROWS_INLINE struct mac_power alike_power_of(const struct mac_power *x, const struct mac_power *y)
{
    return mac_power(mac_mul((struct mac_num){x->r0, x->r1, x->r2}, y));
}

ROWS_INLINE void alike_aads(const uint8_t *aad[AEAD_ALIKE_MAX], const struct alike_work *w,
                            const struct aead_alike *a)
{
    for (unsigned i = 0; i < w->width; i++)
        aad[i] = a->aad[i < a->n ? i : 0];
}

/* Powers of all groups, without r^4 for brief packets, step by step: the groups have nothing to do with each
 * other, so that one's step runs while that of another waits for its results. */
ROWS_INLINE void alike_powers(struct alike_work *w)
{
    struct alike_group *const begin = w->groups, *const end = begin + w->width / 8;

    for (struct alike_group *g = begin; g != end; g++) {
        const size_t i = (size_t)(g - begin);
        vec t[4];

        alike_key(t, w->keys[i / 2], i % 2);
        g->p.r[0] = mac_power(mac_clamp(t[0], t[1]));
        g->s[0] = t[2];
        g->s[1] = t[3];
    }
    for (struct alike_group *g = begin; g != end; g++)
        g->p.r[1] = alike_power_of(&g->p.r[0], &g->p.r[0]);
    for (struct alike_group *g = begin; g != end; g++)
        g->p.r[2] = alike_power_of(&g->p.r[1], &g->p.r[0]);
    if (w->brief)
        return;
    for (struct alike_group *g = begin; g != end; g++)
        g->p.r[3] = alike_power_of(&g->p.r[1], &g->p.r[1]);
}

/* And AAD. */
static __attribute__((noinline)) void alike_macs_begin(struct alike_work *w, const struct aead_alike *a)
{
    const uint8_t *aad[AEAD_ALIKE_MAX];

    alike_powers(w);
    if (w->brief)
        return;
    alike_aads(aad, w, a);
    for (unsigned i = 0; i < w->width; i += 8)
        w->groups[i / 8].h = alike_mac_aad(&w->groups[i / 8].p, aad + i, a->aad_len);
}

ROWS_INLINE void alike_tags(struct alike_work *w, unsigned groups, uint8_t (*tags)[16])
{
    for (unsigned g = 0; g < groups; g++) {
        vec s[2] = {w->groups[g].s[0], w->groups[g].s[1]};

        mac_tag(w->groups[g].h, &s[0], &s[1]);
        v_put_tags(tags + 8 * g, s[0], s[1]);
    }
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

/* All of brief packets' MACs. */
static __attribute__((noinline)) void alike_macs_brief(struct alike_work *w, const struct aead_alike *a,
                                                       uint8_t (*tags)[16])
{
    const unsigned groups = (a->n + 7) / 8;
    const uint8_t *aad[AEAD_ALIKE_MAX];

    alike_aads(aad, w, a);
    for (unsigned g = 0; g < groups; g++)
        w->groups[g].h = alike_mac_brief(&w->groups[g].p, aad + 8 * g, w->rows + 8 * g, a->aad_len, a->len);
    alike_tags(w, groups, tags);
}

/* The rest of the others', from byte `from` of the texts on. */
static __attribute__((noinline)) void alike_macs_rest(struct alike_work *w, const struct aead_alike *a,
                                                      size_t from, uint8_t (*tags)[16])
{
    const unsigned groups = (a->n + 7) / 8, columns = (unsigned)(a->len / 64 - from / 64);

    if (columns != 0)
        alike_columns_avx512(w, w->rows, from, groups, columns);
    for (unsigned g = 0; g < groups; g++)
        w->groups[g].h = alike_mac_rest(&w->groups[g].p, w->groups[g].h, w->rows + 8 * g, a->aad_len, a->len);
    alike_tags(w, groups, tags);
}

ROWS_INLINE void alike_macs_end(struct alike_work *w, const struct aead_alike *a, size_t from,
                                uint8_t (*tags)[16])
{
    if (w->brief)
        alike_macs_brief(w, a, tags);
    else
        alike_macs_rest(w, a, from, tags);
}

static void alike_begin(struct alike_work *w, const struct aead_alike *a, const void *text)
{
    w->width = alike_width(a->n);
    w->depth = w->width == 8 && a->len <= 64 ? 2 : AEAD_ALIKE_MAX / w->width;
    w->brief = alike_is_brief(a->aad_len, a->len);
    for (unsigned i = 0; i < 4; i++) {
        w->of[i] = &w->groups[i % (w->width / 8)];
        w->ended[i] = 0;
    }
    alike_words(w->words[0], AEAD_ALIKE_MAX, a, w->width);
    alike_number(w);
    alike_pointers(w->in, a->in, w->width);
    alike_pointers(w->out, a->out, w->width);
    alike_pointers(w->rows, text, w->width);
    w->at = w->out_at = 0;
    if (a->n != w->width)
        alike_idle(w, a);
    alike_move(w, a, (size_t)-64);
    if (w->depth > 1)
        alike_mask(w, a->len);
}

/* The next sweep of text. rows: those whose MACs run beside it, 0, 1 or 2 halves of them. */
ROWS_INLINE void alike_sweep(struct alike_work *w, const struct aead_alike *a, const uint8_t *const *rows,
                             size_t rows_at, unsigned halves)
{
    const size_t step = 64 * (size_t)w->depth;
    const int masked = a->len - w->done < step;

    alike_number_next(w);
    alike_move(w, a, w->done);
    if (masked)
        alike_mask(w, a->len);
    alike_sweep_avx512(w, rows, rows_at, halves, (unsigned)masked);
    w->done += step;
}

/* Is what is left, more than nothing, in the first half of the lanes? */
ROWS_INLINE int alike_half_left(const struct alike_work *w, const struct aead_alike *a)
{
    return a->len - w->done <= 32 * (size_t)w->depth && w->depth > 1;
}

ROWS_INLINE void alike_half(struct alike_work *w, const struct aead_alike *a)
{
    alike_number_next(w);
    alike_move(w, a, w->done);
    alike_mask(w, a->len);
    alike_half_avx512(w);
    w->done = a->len;
}

/* The first sweep: the keys, and the text that it has lanes for. */
ROWS_INLINE void alike_first(struct alike_work *w, const struct aead_alike *a)
{
    if (w->width * w->depth < AEAD_ALIKE_MAX)
        alike_first_half_avx512(w);
    else
        alike_first_avx512(w, w->depth);
    alike_macs_begin(w, a);
    w->done = 64 * (size_t)(w->depth - 1);
}

static void burst_seal_alike(const struct aead_alike *a, uint8_t (*tags)[16])
{
    struct alike_work w;
    size_t mac = 0;

    alike_begin(&w, a, a->out);
    alike_first(&w, a);
    if (w.done < a->len && !alike_half_left(&w, a)) {
        if (w.depth == 4) /* three columns: two of them beside the next rounds */
            alike_columns_avx512(&w, w.rows, 0, 1, 1);
        mac = w.done;
        alike_sweep(&w, a, w.rows + 16, (size_t)-64, w.depth > 1);
    }
    while (w.done < a->len && !alike_half_left(&w, a)) {
        mac = w.done;
        alike_sweep(&w, a, w.rows, w.at, 2);
    }
    if (w.done < a->len)
        alike_half(&w, a);
    alike_macs_end(&w, a, mac, tags);
}

/* The input of the first sweep, which may be overwritten before there are keys. */
ROWS_INLINE void alike_copy(struct alike_work *w)
{
    for (unsigned lane = w->width; lane < w->width * w->depth; lane++)
        vec_store(
            w->copy[lane - 8],
            _mm512_maskz_loadu_epi8(w->bytes[lane / 8], (const uint8_t *)((uintptr_t)w->in[lane] + w->at)));
}

/* The MACs over the copy; whether that was all. */
static int alike_macs_copy(struct alike_work *w, const struct aead_alike *a, uint8_t (*tags)[16])
{
    const size_t whole = w->brief ? 0 : a->len / 64 * 64; /* bytes for columns */
    const size_t copied = 64 * (size_t)(w->depth - 1), row_step = 64 * (size_t)w->width;
    const uint8_t *rows[16];

    for (unsigned i = 0; i < w->width; i++)
        rows[i] = w->copy[w->width - 8 + i];
    for (size_t at = 0; at < copied && at + 64 <= whole; at += 64) {
        alike_columns_avx512(w, rows, 0, w->width / 8, 1);
        for (unsigned i = 0; i < w->width; i++)
            rows[i] += row_step;
    }
    if (a->len > copied)
        return 0;
    for (unsigned i = 0; i < w->width; i++) /* the rows stand for the end of the text */
        w->rows[i] = (const uint8_t *)((uintptr_t)rows[i] - whole);
    alike_macs_end(w, a, a->len, tags);
    return 1;
}

static void burst_open_alike(const struct aead_alike *a, uint8_t (*tags)[16])
{
    struct alike_work w;

    alike_begin(&w, a, a->in);
    if (w.depth > 1)
        alike_copy(&w);
    alike_first(&w, a);
    if (w.depth > 1 && alike_macs_copy(&w, a, tags))
        return;
    while (!w.brief && a->len - w.done >= 64 * (size_t)w.depth)
        alike_sweep(&w, a, w.rows, w.done, 2);
    alike_macs_end(&w, a, w.done, tags);
    if (w.done == a->len)
        return;
    if (alike_half_left(&w, a))
        alike_half(&w, a);
    else
        alike_sweep(&w, a, w.rows, 0, 0);
    _mm256_zeroupper();
}

#endif
