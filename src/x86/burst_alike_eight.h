/* burst_alike_eight.h: packets of one shape sealed and opened (RFC 8439 section 2.8) eight at a time, by
 * sweeps in ymm registers in whose rounds the MACs run in general registers. Takes the place of burst_alike.h
 * where assembler files are built. An instance defines EIGHT_SWEEP and EIGHT_MACS, its functions in
 * burst_eight_*.S.
 *
 * Each group of eight packets has a sweep for its keys and one for every 64 bytes of text. The input of a MAC
 * is a row of blocks: AAD, text, lengths. Beside each sweep go four blocks of eight MACs, or two each of the
 * last of a group and the first of the next, or as many as there are by then: sealing authenticates what
 * earlier sweeps wrote, opening what this one or later ones will overwrite. What no sweep is left for goes
 * alone.
 *
 * Steps are functions of their own, each once, and short loops in them unrolled: with cold caches and branch
 * predictors a burst is as fast as it has few lines and few branches to meet. */
#ifndef BURST_ALIKE_EIGHT_H
#define BURST_ALIKE_EIGHT_H

#include <stddef.h>
#include <string.h>

#include "aead_burst_kernels.h"
#include "burst_alike_words.h"
#include "burst_sweep_lanes.h"
#include "poly1305_scalar.h"

#define EIGHT_STEP static __attribute__((noinline))

enum { EIGHT_LANES = 8, EIGHT_BLOCKS = 4 };

/* A MAC under way, as in struct poly1305_core. */
struct eight_mac {
    uint64_t h[3], r[2], s[2], s1; /* 5 r[1] / 4 */
};

/* What the assembler is told. */
struct eight_sweep {
    const uint32_t *words; /* word 4 of the lanes, the others each 64 bytes behind the last; by 32 bytes */
    const uint8_t *const *in;
    uint8_t *const *out;
    size_t at;                 /* is added to each of them */
    struct eight_mac *macs[2]; /* of eight packets, twice */
    uint32_t n_blocks[2];      /* that each of them goes on by, 0 .. 2; nothing comes behind a 0 */
    uint32_t half;             /* not 0: words 0 .. 7 alone, 32 bytes a lane */
    uint32_t unused;
    const uint8_t *blocks[2][2][EIGHT_LANES]; /* by 64 bytes */
};

void EIGHT_SWEEP(const struct eight_sweep *s);
void EIGHT_MACS(const struct eight_sweep *s); /* no sweep: the MACs alone */

_Static_assert(offsetof(struct eight_sweep, in) == 8, "SWEEP_IN");
_Static_assert(offsetof(struct eight_sweep, out) == 16, "SWEEP_OUT");
_Static_assert(offsetof(struct eight_sweep, at) == 24, "SWEEP_AT");
_Static_assert(offsetof(struct eight_sweep, macs) == 32, "SWEEP_MACS");
_Static_assert(offsetof(struct eight_sweep, n_blocks) == 48, "SWEEP_N_BLOCKS");
_Static_assert(offsetof(struct eight_sweep, half) == 56, "SWEEP_HALF");
_Static_assert(offsetof(struct eight_sweep, blocks) == 64, "SWEEP_BLOCKS");
_Static_assert(sizeof(struct eight_mac) == 64, "MAC_STEP");

/* Words 4 .. 15 of two groups. */
struct eight_words {
    _Alignas(64) uint32_t word[12][2][EIGHT_LANES];
};

_Static_assert(sizeof((struct eight_words *)0)->word[0] == 64, "WORD_STEP");

/* The first n lanes of a sweep of mixed packets, a multiple of EIGHT_LANES. */
static inline void eight_blocks(const struct aead_sweep *s, unsigned n)
{
    _Alignas(64) struct eight_sweep part;
    struct eight_words words;

    part.n_blocks[0] = part.n_blocks[1] = part.half = 0;
    part.at = 0;
    part.words = words.word[0][0];
    for (unsigned first = 0; first < n; first += EIGHT_LANES) {
        for (unsigned i = 0; i < 12; i++)
            vec_store(words.word[i][0], vec_load(s->words[i] + first));
        part.in = s->in + first;
        part.out = s->out + first;
        EIGHT_SWEEP(&part);
    }
}

/* Two groups are on their way at once: group g has place g % 2. */
struct alike {
    _Alignas(64) struct eight_sweep sweep;
    struct eight_words words;
    uint8_t spare[EIGHT_LANES][64]; /* for short blocks, and lanes without a packet */
    struct eight_mac macs[2][EIGHT_LANES];
    /* public, at the end of the frame: nothing to wipe */
    const uint8_t *in[EIGHT_LANES];
    uint8_t *out[EIGHT_LANES];
    const uint8_t *const *text;                                        /* the ciphertext of all packets */
    const uint8_t *last_aad[EIGHT_LANES], *last_text[EIGHT_LANES];     /* of a last group that is not full */
    uint8_t aad_end[2][EIGHT_LANES][16], text_end[2][EIGHT_LANES][16]; /* short blocks and zeros */
    uint8_t lengths[16];
    size_t block, blocks, aad_blocks; /* of a MAC: done, all, of AAD */
    unsigned groups, group;           /* of packets; the one whose MACs go on next */
};

/* One group has no use for the other's MACs. */
#define BURST_UNUSED                                                                                         \
    {                                                                                                        \
        sizeof(struct alike) - offsetof(struct alike, macs[1]),                                              \
            sizeof(struct alike) - offsetof(struct alike, in),                                               \
            sizeof(struct alike) - offsetof(struct alike, in)                                                \
    }

/* A group's AAD and ciphertext; nobody has those of the group's first packet. */
ROWS_INLINE const uint8_t *const *eight_aad(const struct alike *w, const struct aead_alike *a, unsigned group)
{
    return EIGHT_LANES * (group + 1) <= a->n ? a->aad + EIGHT_LANES * group : w->last_aad;
}

ROWS_INLINE const uint8_t *const *eight_ciphertext(const struct alike *w, const struct aead_alike *a,
                                                   unsigned group)
{
    return EIGHT_LANES * (group + 1) <= a->n ? w->text + EIGHT_LANES * group : w->last_text;
}

/* to[lane] = from[lane] + offset. */
ROWS_INLINE void eight_move(void *to, const void *from, size_t offset)
{
#pragma GCC unroll 2
    for (size_t i = 0; i < 64; i += 32)
        vec_store((uint8_t *)to + i, v_add64(vec_load((const uint8_t *)from + i), v_set64(offset)));
}

/* to[lane] = first + lane * step. */
ROWS_INLINE void eight_rows(void *to, const void *first, size_t step)
{
#pragma GCC unroll 2
    for (size_t i = 0; i < EIGHT_LANES; i += LANES64)
        vec_store((uint8_t *)to + 8 * i,
                  v_add64(v_set64((uintptr_t)first + i * step), v_steps64((long long)step)));
}

/* Where block `block` of the group's MACs is. */
ROWS_INLINE void eight_block(const struct alike *w, const struct aead_alike *a, const uint8_t **to,
                             size_t block)
{
    const size_t of_text = block - w->aad_blocks;

    if (block < a->aad_len / 16)
        eight_move(to, eight_aad(w, a, w->group), 16 * block);
    else if (block < w->aad_blocks)
        eight_rows(to, w->aad_end[w->group % 2], 16);
    else if (of_text < a->len / 16)
        eight_move(to, eight_ciphertext(w, a, w->group), 16 * of_text);
    else if (block != w->blocks - 1)
        eight_rows(to, w->text_end[w->group % 2], 16);
    else
        eight_rows(to, w->lengths, 0);
}

/* The next blocks of the MACs become those beside the next sweep: of the groups before `group` any, of that
 * group the first `ready`. */
EIGHT_STEP void eight_take(struct alike *w, const struct aead_alike *a, unsigned group, size_t ready)
{
    size_t until = w->group < group ? w->blocks : w->group == group ? ready : 0;

    if (until >= w->block + 4 && w->block >= w->aad_blocks && w->block + 4 <= w->aad_blocks + a->len / 16) {
        const uint8_t *const *text = eight_ciphertext(w, a, w->group);
        const size_t at = 16 * (w->block - w->aad_blocks);

        w->sweep.n_blocks[0] = w->sweep.n_blocks[1] = 2;
        w->sweep.macs[0] = w->sweep.macs[1] = w->macs[w->group % 2];
        eight_move(w->sweep.blocks[0][0], text, at);
        eight_move(w->sweep.blocks[0][1], text, at + 16);
        eight_move(w->sweep.blocks[1][0], text, at + 32);
        eight_move(w->sweep.blocks[1][1], text, at + 48);
        w->block += 4;
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const size_t n = until <= w->block ? 0 : until - w->block < 2 ? 1 : 2;

        w->sweep.n_blocks[i] = (uint32_t)n;
        w->sweep.macs[i] = w->macs[w->group % 2];
        for (size_t k = 0; k < n; k++)
            eight_block(w, a, w->sweep.blocks[i][k], w->block + k);
        w->block += n;
        if (w->block == w->blocks) {
            w->block = 0;
            w->group++;
            until = w->group < group ? w->blocks : w->group == group ? ready : 0;
        }
    }
}

/* The MACs of a group, to their ends, and the tags. */
EIGHT_STEP void eight_finish(struct alike *w, const struct aead_alike *a, unsigned group, uint8_t (*tags)[16])
{
    const struct eight_mac *m = w->macs[group % 2];

    while (w->group <= group) {
        eight_take(w, a, group + 1, 0);
        EIGHT_MACS(&w->sweep);
    }
    for (unsigned i = 0; i < EIGHT_LANES; i++) {
        struct poly1305_core core = {
            .h = {m[i].h[0], m[i].h[1], m[i].h[2]}, .r = {m[i].r[0], m[i].r[1]}, .s = {m[i].s[0], m[i].s[1]}};

        scalar_finish(&core, tags[EIGHT_LANES * group + i]);
    }
}

/* The short last blocks of a group's spans, filled up with zeros. */
static inline void eight_end(uint8_t (*end)[16], const uint8_t *const *span, size_t len)
{
    if (len % 16 == 0)
        return;
    for (unsigned i = 0; i < EIGHT_LANES; i++) {
        memset(end[i], 0, 16);
        v_copy_tail(end[i], span[i] + (len & ~(size_t)15), len % 16);
    }
}

/* A group's words, in the place of those of the last but one, whose MACs come to their ends. */
static inline void eight_place(struct alike *w, const struct aead_alike *a, unsigned group,
                               uint8_t (*tags)[16])
{
    const unsigned first = EIGHT_LANES * group, place = group % 2;
    const uint32_t *key[EIGHT_LANES];

    if (group >= 2)
        eight_finish(w, a, group - 2, tags);
    if (!a->one_key) {
        for (unsigned i = 0; i < EIGHT_LANES; i++)
            key[i] = a->key[first + i < a->n ? first + i : first];
        alike_eight_keys(w->words.word[0][place], 2 * EIGHT_LANES, key);
    } else if (group < 2) {
#pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++)
            vec_store(w->words.word[i][place], vec_set1(a->key[0][i]));
    }
#pragma GCC unroll 3
    for (unsigned i = 0; i < 3; i++)
        vec_store(w->words.word[9 + i][place], vec_load(a->nonce[i] + first));
    eight_end(w->aad_end[place], eight_aad(w, a, group), a->aad_len);
}

/* A group takes its place, gets its one-time keys, and zero accumulators; MACs of those before go on. */
EIGHT_STEP void eight_keys(struct alike *w, const struct aead_alike *a, unsigned group, uint8_t (*tags)[16])
{
    static const uint64_t clamp[4] = {UINT64_C(0x0ffffffc0fffffff), UINT64_C(0x0ffffffc0ffffffc), UINT64_MAX,
                                      UINT64_MAX};
    static const uint8_t zeros[32];
    struct eight_mac *m = w->macs[group % 2];

    eight_place(w, a, group, tags);
    eight_take(w, a, group, 0);
    w->sweep.words = w->words.word[0][group % 2];
    vec_store(w->words.word[8][group % 2], vec_set1(0));
    eight_rows(w->in, zeros, 0);
    eight_rows(w->out, m->r, sizeof *m);
    w->sweep.in = w->in;
    w->sweep.out = w->out;
    w->sweep.at = 0;
    w->sweep.half = 1;
    EIGHT_SWEEP(&w->sweep);
    w->sweep.half = 0;
#pragma GCC unroll 8
    for (unsigned i = 0; i < EIGHT_LANES; i++) {
        vec_store(m[i].r, _mm256_and_si256(vec_load(m[i].r), vec_load(clamp)));
        m[i].h[0] = m[i].h[1] = m[i].h[2] = 0;
        m[i].s1 = m[i].r[1] + (m[i].r[1] >> 2);
    }
}

/* The sweep's pointers for n packets from `first` on, in lanes of which some have none, or where only `tail`
 * bytes are left, if not 0: these, and what nobody has, are in spare. */
EIGHT_STEP void eight_spare(struct alike *w, const struct aead_alike *a, unsigned first, unsigned n,
                            unsigned tail)
{
    for (unsigned i = 0; i < EIGHT_LANES; i++) {
        w->in[i] = w->out[i] = (uint8_t *)((uintptr_t)w->spare[i] - w->sweep.at);
        if (i < n && tail != 0) {
            v_copy_tail(w->spare[i], a->in[first + i] + w->sweep.at, tail);
        } else if (i < n) {
            w->in[i] = a->in[first + i];
            w->out[i] = a->out[first + i];
        }
    }
    w->sweep.in = w->in;
    w->sweep.out = w->out;
}

/* Block `number` of a group's texts, from 0 on. */
EIGHT_STEP void eight_text(struct alike *w, const struct aead_alike *a, unsigned group, size_t number)
{
    const unsigned first = EIGHT_LANES * group;
    const unsigned n = a->n - first < EIGHT_LANES ? a->n - first : EIGHT_LANES;
    const size_t at = 64 * number;
    const unsigned tail = a->len - at < 64 ? (unsigned)(a->len - at) : 0;

    w->sweep.words = w->words.word[0][group % 2];
    vec_store(w->words.word[8][group % 2], vec_set1(1 + number));
    w->sweep.at = at;
    w->sweep.in = a->in + first;
    w->sweep.out = a->out + first;
    if (tail != 0 || n < EIGHT_LANES)
        eight_spare(w, a, first, n, tail);
    EIGHT_SWEEP(&w->sweep);
    for (unsigned i = 0; i < n && tail != 0; i++)
        v_copy_tail(a->out[first + i] + at, w->spare[i], tail);
}

static inline void eight_begin(struct alike *w, const struct aead_alike *a, const uint8_t *const *text)
{
    const uint64_t lengths[2] = {a->aad_len, a->len};
    const unsigned last = (a->n - 1) / EIGHT_LANES * EIGHT_LANES;

    w->groups = last / EIGHT_LANES + 1;
    w->group = 0;
    w->block = 0;
    w->aad_blocks = (a->aad_len + 15) / 16;
    w->blocks = w->aad_blocks + (a->len + 15) / 16 + 1;
    memcpy(w->lengths, lengths, 16);
    w->text = text;
    for (unsigned i = 0; i < EIGHT_LANES && a->n % EIGHT_LANES != 0; i++) {
        w->last_aad[i] = a->aad[last + i < a->n ? last + i : last];
        w->last_text[i] = text[last + i < a->n ? last + i : last];
    }
}

static inline void eight_tags(struct alike *w, const struct aead_alike *a, uint8_t (*tags)[16])
{
    for (unsigned g = w->groups < 2 ? 0 : w->groups - 2; g < w->groups; g++)
        eight_finish(w, a, g, tags);
}

static void burst_seal_alike(const struct aead_alike *a, uint8_t (*tags)[16])
{
    struct alike w;

    eight_begin(&w, a, (const uint8_t *const *)a->out);
    for (unsigned g = 0; g < w.groups; g++) {
        eight_keys(&w, a, g, tags);
        for (size_t i = 0; 64 * i < a->len; i++) {
            eight_take(&w, a, g, w.aad_blocks + 4 * i);
            eight_text(&w, a, g, i);
        }
        eight_end(w.text_end[g % 2], eight_ciphertext(&w, a, g), a->len);
    }
    eight_tags(&w, a, tags);
    _mm256_zeroupper(); /* at -O0 and -Os GCC does not care for it */
}

/* The keys, and a copy of the texts' ends, which may be overwritten before their turn comes. */
static inline void eight_open_keys(struct alike *w, const struct aead_alike *a, unsigned group,
                                   uint8_t (*tags)[16])
{
    eight_keys(w, a, group, tags);
    eight_end(w->text_end[group % 2], eight_ciphertext(w, a, group), a->len);
}

static void burst_open_alike(const struct aead_alike *a, uint8_t (*tags)[16])
{
    struct alike w;

    eight_begin(&w, a, a->in);
    eight_open_keys(&w, a, 0, tags);
    for (unsigned g = 0; g < w.groups; g++) {
        const unsigned ready = g + 2 < w.groups ? g + 2 : w.groups; /* groups with keys by then */

        if (g + 1 < ready)
            eight_open_keys(&w, a, g + 1, tags);
        for (size_t i = 0; 64 * i < a->len; i++) {
            /* what this sweep overwrites is authenticated before it, or beside it */
            const size_t until =
                w.aad_blocks + 4 * (i + 1) < w.blocks ? w.aad_blocks + 4 * (i + 1) : w.blocks;

            while (w.group < g || (w.group == g && w.block + EIGHT_BLOCKS < until)) {
                eight_take(&w, a, ready, 0);
                EIGHT_MACS(&w.sweep);
            }
            eight_take(&w, a, ready, 0);
            eight_text(&w, a, g, i);
        }
    }
    eight_tags(&w, a, tags);
    _mm256_zeroupper(); /* at -O0 and -Os GCC does not care for it */
}

#endif
