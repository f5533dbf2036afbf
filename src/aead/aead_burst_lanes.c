/* aead_burst_lanes.c: see aead_burst_lanes.h. */
#include "aead_burst_lanes.h"

#include "bytes.h"
#include "secret.h"

static const uint8_t zeros[64];

void burst_lanes_begin(struct burst_lanes *l, const struct aead_burst_kernels *kernels, const uint32_t *key)
{
    l->kernels = kernels;
    l->n = l->most = 0;
    l->many_keys = key == NULL;
    l->sweep.tails = 0;
    if (key != NULL)
        for (int w = 0; w < 8; w++)
            for (int i = 0; i < AEAD_SWEEP_LANES; i++)
                l->sweep.words[w][i] = key[w];
}

void burst_lanes_run(struct burst_lanes *l)
{
    unsigned step = l->kernels->sweep_lanes;
    unsigned n = (l->n + step - 1) / step * step;

    if (n == 0)
        return;
    for (unsigned i = l->n; i < n; i++) {
        l->sweep.in[i] = zeros;
        l->sweep.out[i] = l->sweep.spare[i];
    }
    l->kernels->sweep(&l->sweep, n);
    l->most = n > l->most ? n : l->most;
    l->n = 0;
    l->sweep.tails = 0;
}

/* One lane; the caller gives it in and out. */
static unsigned add_block(struct burst_lanes *l, const struct burst_packet *p, uint32_t number)
{
    struct aead_sweep *s = &l->sweep;
    unsigned lane;

    if (l->n == AEAD_SWEEP_LANES)
        burst_lanes_run(l);
    lane = l->n++;
    if (l->many_keys)
        for (int w = 0; w < 8; w++)
            s->words[w][lane] = p->key[w];
    s->words[8][lane] = number;
    for (int w = 0; w < 3; w++)
        s->words[9 + w][lane] = load_le32(p->nonce + 4 * w);
    return lane;
}

static void set_eight(uint32_t *lanes, uint32_t value)
{
    for (int i = 0; i < 8; i++)
        lanes[i] = value;
}

/* n consecutive blocks in free lanes. Eight at a time, which compilers turn into a few vector stores; what is
 * written beyond n stands in lanes that are filled later, or in the room behind the last. */
static void add_run(struct burst_lanes *l, const struct burst_packet *p, uint32_t number, const uint8_t *in,
                    uint8_t *out, unsigned n)
{
    struct aead_sweep *s = &l->sweep;
    uint32_t nonce[3] = {load_le32(p->nonce), load_le32(p->nonce + 4), load_le32(p->nonce + 8)};

    for (unsigned at = 0; at < n; at += 8) {
        unsigned lane = l->n + at;

        if (l->many_keys)
            for (int w = 0; w < 8; w++)
                set_eight(&s->words[w][lane], p->key[w]);
        for (unsigned i = 0; i < 8; i++)
            s->words[8][lane + i] = number + at + i;
        for (int w = 0; w < 3; w++)
            set_eight(&s->words[9 + w][lane], nonce[w]);
        for (unsigned i = 0; i < 8; i++)
            s->in[lane + i] = (const uint8_t *)((uintptr_t)in + 64 * (uintptr_t)(at + i));
        for (unsigned i = 0; i < 8; i++)
            s->out[lane + i] = (uint8_t *)((uintptr_t)out + 64 * (uintptr_t)(at + i));
    }
    l->n += n;
}

void burst_lanes_key(struct burst_lanes *l, const struct burst_packet *p, uint8_t *out)
{
    unsigned lane = add_block(l, p, 0);

    l->sweep.in[lane] = zeros;
    l->sweep.out[lane] = out;
}

static void add_tail(struct burst_lanes *l, const struct burst_packet *p, uint32_t number, const uint8_t *in,
                     uint8_t *out, size_t len)
{
    unsigned lane = add_block(l, p, number);
    struct aead_sweep *s = &l->sweep;

    s->in[lane] = s->out[lane] = s->spare[lane];
    s->tails |= UINT32_C(1) << lane;
    s->tail_len[lane] = (uint8_t)len;
    s->tail_in[lane] = in;
    s->tail_out[lane] = out;
}

void burst_lanes_text(struct burst_lanes *l, const struct burst_packet *p, const uint8_t *in, uint8_t *out,
                      size_t len)
{
    size_t blocks = len / 64;
    uint32_t number = 1;

    while (blocks != 0) {
        unsigned room = AEAD_SWEEP_LANES - l->n, n = blocks < room ? (unsigned)blocks : room;

        if (n == 1) {
            unsigned lane = add_block(l, p, number);

            l->sweep.in[lane] = in;
            l->sweep.out[lane] = out;
        } else {
            add_run(l, p, number, in, out, n);
        }
        number += n;
        in += 64 * (size_t)n;
        out += 64 * (size_t)n;
        blocks -= n;
        if (blocks != 0)
            burst_lanes_run(l);
    }
    if (len % 64 != 0)
        add_tail(l, p, number, in, out, len % 64);
}

void burst_lanes_wipe(struct burst_lanes *l)
{
    secret_wipe(l->sweep.words, sizeof l->sweep.words);
    secret_wipe(l->sweep.spare, l->most * sizeof l->sweep.spare[0]);
}
