/* burst_alike.h: packets of one shape sealed and opened (RFC 8439 section 2.8): sweeps of ChaCha20 blocks,
 * then the MACs; opening the other way round. Over the sweep of burst_sweep.h and the vocabulary of
 * burst_mac.h.
 *
 * 32 lanes are 32, 16 or 8 packets with one, two or four neighbouring blocks of each: lane l is packet l %
 * width. From one sweep to the next only block numbers and pointers move. */
#ifndef BURST_ALIKE_H
#define BURST_ALIKE_H

#include <assert.h>
#include <string.h>

#include "burst_alike_mac.h"
#include "burst_alike_words.h"

struct alike {
    struct aead_sweep sweep;
    uint8_t keys[AEAD_ALIKE_MAX][64]; /* block 0 of each packet */
    unsigned width, depth;            /* packets side by side, and blocks of each: 32 lanes */
};

ROWS_INLINE void alike_begin(struct alike *w, const struct aead_alike *a)
{
    w->width = alike_width(a->n);
    w->depth = AEAD_ALIKE_MAX / w->width;
    w->sweep.tails = 0;
    alike_words(w->sweep.words[0], AEAD_SWEEP_ROOM, a, w->width);
    for (unsigned i = 0; i < w->width; i++) {
        w->sweep.words[8][i] = 0;
        w->sweep.in[i] = alike_zeros;
        w->sweep.out[i] = w->keys[i];
    }
    for (unsigned i = w->width; i < SWEEP_STEP; i++) {
        w->sweep.words[8][i] = 0;
        w->sweep.in[i] = alike_zeros;
        w->sweep.out[i] = w->sweep.spare[i];
    }
    SWEEP_BLOCKS(&w->sweep, w->width < SWEEP_STEP ? SWEEP_STEP : w->width);
}

/* One lane: the block at byte `at` of packet i. */
ROWS_INLINE void alike_lane(struct alike *w, unsigned lane, const struct aead_alike *a, unsigned i, size_t at)
{
    struct aead_sweep *s = &w->sweep;

    s->in[lane] = s->out[lane] = s->spare[lane];
    if (i >= a->n || at >= a->len)
        return;
    if (a->len - at >= 64) {
        s->in[lane] = a->in[i] + at;
        s->out[lane] = a->out[i] + at;
        return;
    }
    s->tails |= UINT32_C(1) << lane;
    s->tail_len[lane] = (uint8_t)(a->len - at);
    s->tail_in[lane] = a->in[i] + at;
    s->tail_out[lane] = a->out[i] + at;
}

/* The texts of all packets. */
ROWS_INLINE void alike_texts(struct alike *w, const struct aead_alike *a)
{
    const size_t step = 64 * (size_t)w->depth;

    for (size_t at = 0; at < a->len; at += step) {
        unsigned lanes = 0;

        for (unsigned d = 0; d < w->depth; d++)
            for (unsigned i = 0; i < w->width; i++, lanes++) {
                w->sweep.words[8][lanes] = 1 + (uint32_t)(at / 64) + d;
                alike_lane(w, lanes, a, i, at + 64 * (size_t)d);
            }
        burst_sweep(&w->sweep, lanes);
        w->sweep.tails = 0;
    }
}

/* Not inlined, so that its frame takes the place of the sweeps'. text: a's in or out. */
static __attribute__((noinline)) void alike_macs(const struct alike *w, const struct aead_alike *a,
                                                 const uint8_t *const *text, uint8_t (*tags)[16])
{
    for (unsigned first = 0; first < a->n; first += LANES64) {
        const uint8_t *span[LANES64], *aad[LANES64];
        struct mac_powers p;
        struct mac_num h;
        vec s[2];

        for (unsigned i = 0; i < LANES64; i++) {
            span[i] = text[first + i < a->n ? first + i : 0];
            aad[i] = a->aad[first + i < a->n ? first + i : 0];
        }
        mac_begin(&p, s, w->keys + first);
        h = alike_mac_aad(&p, aad, a->aad_len);
        h = mac_text(&p, h, span, 0, a->len / 64);
        alike_mac_end(&p, h, span, a->aad_len, a->len, s, tags + first);
    }
}

static void burst_seal_alike(const struct aead_alike *a, uint8_t (*tags)[16])
{
    struct alike w;

    alike_begin(&w, a);
    alike_texts(&w, a);
    alike_macs(&w, a, (const uint8_t *const *)a->out, tags);
    _mm256_zeroupper();
}

static void burst_open_alike(const struct aead_alike *a, uint8_t (*tags)[16])
{
    struct alike w;

    alike_begin(&w, a);
    alike_macs(&w, a, a->in, tags);
    alike_texts(&w, a);
    _mm256_zeroupper();
}

#endif
