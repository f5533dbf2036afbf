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
    if (key != NULL) { /* in all lanes, for good */
        struct aead_run run = {key, zeros, 0, zeros, l->sweep.spare[0]};

        kernels->fill(&l->sweep, 0, AEAD_SWEEP_LANES, &run);
    }
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
static unsigned add_block(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, uint32_t number)
{
    struct aead_sweep *s = &l->sweep;
    unsigned lane;

    if (l->n == AEAD_SWEEP_LANES)
        burst_lanes_run(l);
    lane = l->n++;
    if (l->many_keys)
        for (int w = 0; w < 8; w++)
            s->words[w][lane] = key[w];
    s->words[8][lane] = number;
    s->words[9][lane] = load_le32(nonce);
    s->words[10][lane] = load_le32(nonce + 4);
    s->words[11][lane] = load_le32(nonce + 8);
    return lane;
}

void burst_lanes_key(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, uint8_t *out)
{
    unsigned lane = add_block(l, key, nonce, 0);

    l->sweep.in[lane] = zeros;
    l->sweep.out[lane] = out;
}

void burst_lanes_text(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, const uint8_t *in,
                      uint8_t *out, size_t len)
{
    struct aead_sweep *s = &l->sweep;
    struct aead_run run = {l->many_keys ? key : NULL, nonce, 1, in, out};
    size_t blocks = len / 64;

    while (blocks != 0) {
        unsigned n = AEAD_SWEEP_LANES - l->n;

        if (blocks < n)
            n = (unsigned)blocks;
        if (n != 0)
            l->kernels->fill(s, l->n, n, &run);
        l->n += n;
        run.number += n;
        run.in += 64 * (size_t)n;
        run.out += 64 * (size_t)n;
        blocks -= n;
        if (blocks != 0)
            burst_lanes_run(l);
    }
    if (len % 64 != 0) {
        unsigned lane = add_block(l, key, nonce, run.number);

        s->in[lane] = s->out[lane] = s->spare[lane];
        s->tails |= UINT32_C(1) << lane;
        s->tail_len[lane] = (uint8_t)(len % 64);
        s->tail_in[lane] = run.in;
        s->tail_out[lane] = run.out;
    }
}

void burst_lanes_wipe(struct burst_lanes *l)
{
    secret_wipe(l->sweep.words, sizeof l->sweep.words);
    secret_wipe(l->sweep.spare, l->most * sizeof l->sweep.spare[0]);
}
