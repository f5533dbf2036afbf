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
    if ((l->sweep.tails != 0 || n != l->n) && n > l->most)
        l->most = n;
    l->n = 0;
    l->sweep.tails = 0;
}

/* All whole blocks, two of them at least: runs of them are filled at once. */
static void add_blocks(struct burst_lanes *l, struct aead_run run, size_t blocks)
{
    for (;;) {
        unsigned room = AEAD_SWEEP_LANES - l->n, n = blocks < room ? (unsigned)blocks : room;

        if (n != 0)
            l->kernels->fill(&l->sweep, l->n, n, &run);
        l->n += n;
        blocks -= n;
        if (blocks == 0)
            return;
        run.number += n;
        run.in += 64 * (size_t)n;
        run.out += 64 * (size_t)n;
        burst_lanes_run(l);
    }
}

static void add_tail(struct burst_lanes *l, unsigned lane, const uint8_t *in, uint8_t *out, size_t len)
{
    struct aead_sweep *s = &l->sweep;

    s->in[lane] = s->out[lane] = s->spare[lane];
    s->tails |= UINT32_C(1) << lane;
    s->tail_len[lane] = (uint8_t)len;
    s->tail_in[lane] = in;
    s->tail_out[lane] = out;
}

void burst_lanes_text(struct burst_lanes *l, const uint32_t *key, const uint8_t *nonce, const uint8_t *in,
                      uint8_t *out, size_t len)
{
    size_t blocks = len / 64;

    if (blocks == 1)
        burst_lanes_block(l, key, nonce, 1, in, out);
    else if (blocks > 1)
        add_blocks(l, (struct aead_run){l->many_keys ? key : NULL, nonce, 1, in, out}, blocks);
    if (len % 64 != 0)
        add_tail(l, burst_lanes_add(l, key, nonce, 1 + (uint32_t)blocks), in + 64 * blocks, out + 64 * blocks,
                 len % 64);
}

void burst_lanes_wipe(struct burst_lanes *l)
{
    secret_wipe(l->sweep.words, 8 * sizeof l->sweep.words[0]);
    secret_wipe(l->sweep.spare, l->most * sizeof l->sweep.spare[0]);
}
