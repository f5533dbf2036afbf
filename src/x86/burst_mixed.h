/* burst_mixed.h: packets of mixed lengths sealed and opened (RFC 8439 section 2.8), the longest first. The
 * text; over the vocabulary of burst_mac.h and one of burst_mixed_sweep.h and burst_mixed_ifma.h.
 *
 * LANES64 packets, one behind the other in that order, are a group: their MACs run side by side. A row is
 * block i of a group's texts: a ChaCha20 block of each packet that has one, so that no lane of a sweep but
 * the last is idle, and a column of the MACs of those that have a whole one. The longest stand first, so
 * these are the first packets of a group. Sealing authenticates columns of sweeps that ran; opening those of
 * the sweep that is about to run and may overwrite them. What is left of a text, less than a block, has a
 * place of its own in which it goes through a lane. */
#ifndef BURST_MIXED_H
#define BURST_MIXED_H

#include <stddef.h>

#include "burst_alike_mac.h"
#include "burst_alike_words.h"

#ifndef MIXED_MAX
#define MIXED_MAX AEAD_ALIKE_MAX
#endif
#define MIXED_COLUMNS 20 /* that may wait */

/* A burst under way. What is no secret stands last, so that it need not be wiped. */
struct mixed {
    MIXED_SWEEP sweep; /* words, in and out of its lanes */
#ifndef ALIKE_ASM
    struct alike_group groups[MIXED_MAX / LANES64];
#endif
    uint32_t keys[8][AEAD_ALIKE_MAX]; /* of the packets, where there are several */
    uint8_t nobody[64];
#ifdef ALIKE_ASM
    _Alignas(64) uint8_t plain[MIXED_MAX][64]; /* what is left of the texts */
#endif
    _Alignas(64) uint8_t cipher[MIXED_MAX][64];
    /* Columns that wait, one after the other; behind the last there may be one of nobody's. */
    _Alignas(64) const uint8_t *row[MIXED_COLUMNS + 1][LANES64];
    struct alike_group *of[MIXED_COLUMNS];
    unsigned lanes[MIXED_COLUMNS];
    const uint8_t *const *text;                /* the ciphertexts, in or out of the packets */
    unsigned first_column, n_columns, n_ready; /* the first n_ready wait for nothing */
    unsigned filled;                           /* lanes of the next sweep */
    int opens;
};

/* Bytes without secrets at the upper end of the frames, and what these hold at most: `gcc -fstack-usage`. */
#define MIXED_UNUSED (sizeof(struct mixed) - offsetof(struct mixed, row))
#define MIXED_STACK 19520

/* One column, h goes on in the first lanes. */
ROWS_INLINE void mixed_column(struct alike_group *g, const uint8_t *const *row, unsigned lanes)
{
    vec t[8];

    v_get_columns(t, row, 0);
    g->h = mac_select(v_below64(v_steps64(1), v_set64(lanes)), mac_column(&g->p, g->h, t), g->h);
}

/* The first n columns, alone. */
static __attribute__((noinline)) void mixed_columns(struct mixed *w, unsigned n)
{
    for (unsigned i = w->first_column; i < w->first_column + n; i++)
        mixed_column(w->of[i], w->row[i], w->lanes[i]);
    w->first_column += n;
    w->n_columns -= n;
    w->n_ready -= n;
}

ROWS_INLINE void mixed_idle(struct mixed *w, unsigned n)
{
    for (unsigned i = w->filled; i < n; i++) {
        w->sweep.in[i] = alike_zeros;
        w->sweep.out[i] = w->nobody;
    }
}

#ifdef ALIKE_ASM
#include "burst_mixed_ifma.h"
#else
#include "burst_mixed_sweep.h"
#endif

/* The lanes that are filled; split: the last column's are not all there. */
static void mixed_run(struct mixed *w, unsigned split)
{
    if (w->opens)
        w->n_ready = w->n_columns;
    mixed_sweep(w);
    w->filled = 0;
    if (!w->opens)
        w->n_ready = w->n_columns - split;
}

/* Room for one more column. */
static __attribute__((noinline)) void mixed_make_room(struct mixed *w)
{
    if (w->n_columns == MIXED_COLUMNS) {
        if (w->n_ready == 0)
            mixed_run(w, 0);
        mixed_columns(w, w->n_ready);
    }
    memmove(w->row[0], w->row[w->first_column], w->n_columns * sizeof w->row[0]);
    memmove(&w->of[0], &w->of[w->first_column], w->n_columns * sizeof w->of[0]);
    memmove(&w->lanes[0], &w->lanes[w->first_column], w->n_columns * sizeof w->lanes[0]);
    w->first_column = 0;
}

/* A column of the group of packets first, first + 1, ..: the first `lanes` of them have it. */
ROWS_INLINE void mixed_wait(struct mixed *w, unsigned first, unsigned i, unsigned lanes)
{
    const vec text = v_add64(vec_load(w->text + first), v_set64(64 * (uint64_t)i));
    unsigned at;

    if (w->first_column + w->n_columns == MIXED_COLUMNS)
        mixed_make_room(w);
    at = w->first_column + w->n_columns++;
    vec_store(w->row[at], v_choose64(v_below64(v_steps64(1), v_set64(lanes)), text,
                                     v_set64((uint64_t)(uintptr_t)w->nobody)));
    w->of[at] = &MIXED_GROUPS(w)[first / LANES64];
    w->lanes[at] = lanes;
}

/* n lanes with block i of the texts of n packets from p on. */
ROWS_INLINE void mixed_fill(struct mixed *w, const struct aead_alike *a, unsigned p, unsigned n, unsigned i,
                            int room)
{
    const unsigned lane = w->filled;

    if (!a->one_key)
        for (unsigned k = 0; k < 8; k++)
            v_copy_words(&w->sweep.words[k][lane], &w->keys[k][p], n, room);
    v_put_words(&w->sweep.words[8][lane], _mm256_set1_epi32((int)i + 1), n, room);
    for (unsigned k = 0; k < 3; k++)
        v_copy_words(&w->sweep.words[9 + k][lane], &a->nonce[k][p], n, room);
    v_copy_pointers(&w->sweep.in[lane], &a->in[p], 64 * (size_t)i, n, room);
    v_copy_pointers(&w->sweep.out[lane], &a->out[p], 64 * (size_t)i, n, room);
}

/* Row i of the group of packets first, first + 1, ..: n of them have it, `whole` of them a whole block. */
ROWS_INLINE void mixed_row(struct mixed *w, const struct aead_alike *a, unsigned first, unsigned i,
                           unsigned n, unsigned whole)
{
    if (whole != 0)
        mixed_wait(w, first, i, whole);
    for (unsigned done = 0, k; done < n; done += k) {
        const unsigned room = AEAD_SWEEP_LANES - w->filled;

        k = n - done < room ? n - done : room;
        if (room >= 8)
            mixed_fill(w, a, first + done, k, i, 1);
        else
            mixed_fill(w, a, first + done, k, i, 0);
        for (unsigned rest = done < whole ? whole : done; rest < done + k; rest++) {
            const unsigned lane = w->filled + rest - done, p = first + rest;

            w->sweep.in[lane] = w->opens ? w->cipher[p] : MIXED_PLAIN(w)[p];
            w->sweep.out[lane] = w->opens ? MIXED_PLAIN(w)[p] : w->cipher[p];
        }
        w->filled += k;
        if (w->filled == AEAD_SWEEP_LANES)
            mixed_run(w, done + k < whole);
    }
}

/* All rows of the group that begins with packet first. */
static void mixed_rows(struct mixed *w, const struct aead_alike *a, unsigned first)
{
    unsigned n = a->n - first < LANES64 ? a->n - first : LANES64, i = 0;

    while (n != 0) { /* packets that go on */
        const unsigned end = (unsigned)(a->lens[first + n - 1] / 64);
        unsigned whole = n;

        for (; i < end; i++)
            mixed_row(w, a, first, i, n, n);
        while (whole != 0 && a->lens[first + whole - 1] / 64 == end)
            whole--;
        while (n != whole && a->lens[first + n - 1] % 64 == 0)
            n--;
        if (n != 0)
            mixed_row(w, a, first, i++, n, whole);
        n = whole;
    }
}

static void mixed_texts(struct mixed *w, const struct aead_alike *a)
{
    for (unsigned first = 0; first < a->n; first += LANES64)
        mixed_rows(w, a, first);
    if (w->filled != 0)
        mixed_run(w, 0);
    mixed_columns(w, w->n_columns);
}

/* The AAD of a group: columns that end with it, so that what is missing stands in front, where h is 0. */
static __attribute__((noinline)) void mixed_aad(struct alike_group *g, const struct aead_alike *a,
                                                unsigned first)
{
    unsigned most = 0;

    g->h = mac_zero();
    for (unsigned i = first; i < first + LANES64 && i < a->n; i++)
        most = a->aad_lens[i] > most ? (unsigned)a->aad_lens[i] : most;
    for (unsigned columns = (most + 63) / 64; columns-- != 0;) {
        _Alignas(64) uint64_t skip[LANES64];
        struct rows rows;
        vec t[8];

        for (unsigned i = 0; i < LANES64; i++) {
            const unsigned len = first + i < a->n ? (unsigned)a->aad_lens[first + i] : 0;
            const int blocks = (int)(len + 15) / 16 - 4 * (int)columns; /* in this column or before it */
            const int from = 16 * (blocks - 4);                         /* counted from the AAD */

            skip[i] = blocks >= 4 ? 0 : blocks > 0 ? (uint64_t)(4 - blocks) : 4;
            rows.bytes[i] = 0;
            rows.at[i] = alike_zeros;
            if (blocks > 0) {
                rows.at[i] = row_at(a->aad[first + i], from);
                rows.bytes[i] = from < 0 ? rows_bytes(len) << -from : rows_bytes(len - (unsigned)from);
            }
        }
        v_get_rows(t, &rows);
        g->h = mac_row_column(&g->p, g->h, t, vec_load(skip));
    }
}

/* Powers are there: the AAD of all groups. */
ROWS_INLINE void mixed_aads(struct mixed *w, const struct aead_alike *a)
{
    uint64_t other = 0;

    for (unsigned i = 1; i < a->n; i++)
        other |= a->aad_lens[i] ^ a->aad_lens[0];
    for (unsigned first = 0; first < a->n; first += LANES64) {
        struct alike_group *g = &MIXED_GROUPS(w)[first / LANES64];
        const uint8_t *aad[LANES64];

        if (other != 0) {
            mixed_aad(g, a, first);
            continue;
        }
        for (unsigned i = 0; i < LANES64; i++)
            aad[i] = a->aad[first + i < a->n ? first + i : 0];
        g->h = alike_mac_aad(&g->p, aad, (size_t)a->aad_lens[0]);
    }
}

/* Rows of what is left of a group's texts: those bytes of each, behind as many blocks of zeros as its skip.
 */
ROWS_INLINE void mixed_get_rest(vec t[8], const struct mixed *w, unsigned first, vec bytes, vec skip)
{
    const vec text = v_add64(v_set64((uint64_t)(uintptr_t)w->cipher[first]), v_steps64(64));
    const vec zeros = v_left64(skip, v_set64(4)); /* bytes */
    struct rows rows;

    vec_store(rows.at, v_sub64(text, zeros));
    vec_store(rows.bytes, v_left64(bytes, zeros));
    v_get_rows(t, &rows);
}

/* What is left of a group's texts, less than a block of each, and the lengths. */
static __attribute__((noinline)) void mixed_rest(const struct mixed *w, struct alike_group *g,
                                                 const struct aead_alike *a, unsigned first)
{
    const vec none = v_set64(0), lens = vec_load(a->lens + first), aad_lens = vec_load(a->aad_lens + first);
    const vec there = v_choose64(v_below64(v_steps64(1), v_set64(a->n - first)), lens, none);
    const vec rest = v_and64(there, v_set64(63));
    const vec blocks = v_right64(v_add64(rest, v_set64(15)), v_set64(4)); /* 4: a column of its own */
    const vec skip = v_sub64(v_set64(3), v_and64(blocks, v_set64(3)));
    vec bytes = v_sub64(v_left64(v_set64(1), rest), v_set64(1)), t[8];
    unsigned any = 0, any_four = 0;

    for (unsigned i = first; i < first + LANES64 && i < a->n; i++) {
        any |= (unsigned)a->lens[i] % 64;
        any_four |= a->lens[i] % 64 > 48;
    }
    if (!any) {
        t[0] = aad_lens;
        t[1] = lens;
        g->h = mac_blocks(&g->p, g->h, t, 1);
        return;
    }
    if (any_four) {
        mixed_get_rest(t, w, first, v_choose64(v_equal64(blocks, v_set64(4)), bytes, none), none);
        g->h = mac_select(v_equal64(blocks, v_set64(4)), mac_column(&g->p, g->h, t), g->h);
        bytes = v_choose64(v_equal64(blocks, v_set64(4)), none, bytes);
    }
    mixed_get_rest(t, w, first, bytes, skip);
    t[6] = aad_lens;
    t[7] = lens;
    g->h = mac_row_column(&g->p, g->h, t, skip);
}

static void mixed_end(struct mixed *w, const struct aead_alike *a, uint8_t (*tags)[16])
{
    for (unsigned first = 0; first < a->n; first += LANES64)
        mixed_rest(w, &MIXED_GROUPS(w)[first / LANES64], a, first);
    for (unsigned first = 0; first < a->n; first += LANES64) {
        const struct alike_group *g = &MIXED_GROUPS(w)[first / LANES64];
        vec s[2] = {g->s[0], g->s[1]};

        mac_tag(g->h, &s[0], &s[1]);
        v_put_tags(tags + first, s[0], s[1]);
    }
}

static void burst_mixed(const struct aead_alike *a, uint8_t (*tags)[16], int opens)
{
    struct mixed w;

    w.opens = opens;
    w.text = opens ? a->in : (const uint8_t *const *)a->out;
    w.filled = w.first_column = w.n_columns = w.n_ready = 0;
    alike_words(w.sweep.words[0], sizeof w.sweep.words[0] / 4, a, AEAD_ALIKE_MAX);
    if (!a->one_key)
        for (unsigned k = 0; k < 8; k++)
            memcpy(w.keys[k], w.sweep.words[k], sizeof w.keys[k]);
    mixed_keys(&w, a);
    mixed_aads(&w, a);
    for (unsigned i = 0; i < a->n; i++)
        if (a->lens[i] % 64 != 0)
            v_copy_tail(opens ? w.cipher[i] : MIXED_PLAIN(&w)[i], a->in[i] + a->lens[i] / 64 * 64,
                        (unsigned)a->lens[i] % 64);
    mixed_texts(&w, a);
    mixed_end(&w, a, tags);
    for (unsigned i = 0; i < a->n; i++)
        if (a->lens[i] % 64 != 0)
            v_copy_tail(a->out[i] + a->lens[i] / 64 * 64, opens ? MIXED_PLAIN(&w)[i] : w.cipher[i],
                        (unsigned)a->lens[i] % 64);
    _mm256_zeroupper(); /* at -Os GCC does not care for it */
}

static void burst_seal_mixed(const struct aead_alike *a, uint8_t (*tags)[16])
{
    burst_mixed(a, tags, 0);
}

static void burst_open_mixed(const struct aead_alike *a, uint8_t (*tags)[16])
{
    burst_mixed(a, tags, 1);
}

#endif
