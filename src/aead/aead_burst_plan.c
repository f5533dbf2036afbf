/* aead_burst_plan.c: one group of a burst: the order of its sweeps and MACs (RFC 8439 section 2.8). Called by
 * aead_burst.c.
 *
 * Opening is strict: all tags of the group are computed over the ciphertext and compared before the first
 * byte is decrypted, so that a forged packet never becomes plaintext. */
#include "aead_burst_plan.h"

#include "aead_burst_lanes.h"
#include "aead_burst_macs.h"
#include "aead_kernels.h"
#include "aead_key.h"
#include "bytes.h"
#include "secret.h"

struct group {
    struct sealane_job *const *jobs;
    unsigned n;
    const uint32_t *key[AEAD_GROUP_MAX];
    struct burst_lanes lanes;
    uint8_t poly_keys[AEAD_GROUP_MAX][64]; /* block 0 of each packet */
    uint8_t tags[AEAD_GROUP_MAX][16];
};

static const uint8_t zeros[64];

static void group_begin(struct group *g, const struct aead_burst_kernels *k, struct sealane_job *const *jobs,
                        unsigned n)
{
    int one_key = 1;

    g->jobs = jobs;
    g->n = n;
    for (unsigned i = 0; i < n; i++) {
        g->key[i] = aead_key_of(jobs[i]->key)->words;
        one_key &= g->key[i] == g->key[0];
    }
    burst_lanes_begin(&g->lanes, k, one_key ? g->key[0] : NULL);
    for (unsigned i = 0; i < n; i++)
        burst_lanes_block(&g->lanes, g->key[i], jobs[i]->nonce, 0, zeros, g->poly_keys[i]);
}

/* Encrypts or decrypts all packets, those without a good status excepted. */
static void group_texts(struct group *g)
{
    for (unsigned i = 0; i < g->n; i++) {
        const struct sealane_job *j = g->jobs[i];

        if (j->status == SEALANE_OK)
            burst_lanes_text(&g->lanes, g->key[i], j->nonce, j->in, j->out, j->len);
    }
    burst_lanes_run(&g->lanes);
}

/* The tags of all packets over their ciphertext, which is out of a sealed and in of an opened job. */
static void group_macs(struct group *g, int sealed)
{
    struct burst_mac in[AEAD_MACS];

    for (unsigned first = 0; first < g->n; first += AEAD_MACS) {
        unsigned n = g->n - first < AEAD_MACS ? g->n - first : AEAD_MACS;

        for (unsigned i = 0; i < n; i++) {
            const struct sealane_job *j = g->jobs[first + i];

            in[i] = (struct burst_mac){j->aad, sealed ? j->out : j->in, j->aad_len, j->len};
        }
        burst_macs_run(g->lanes.kernels, in, (const uint8_t(*)[64])g->poly_keys + first, g->tags + first, n);
    }
}

/* The kernels' frames lie below this one: what they left is wiped first. */
static void group_end(struct group *g)
{
    aead_key_of(g->jobs[0]->key)->suite->clean(0, g->lanes.kernels->stack);
    burst_lanes_wipe(&g->lanes);
    secret_wipe(g->poly_keys, g->n * sizeof g->poly_keys[0]);
    secret_wipe(g->tags, sizeof g->tags);
}

unsigned aead_group_seal(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n)
{
    struct group g;

    group_begin(&g, k, jobs, n);
    group_texts(&g);
    group_macs(&g, 1);
    for (unsigned i = 0; i < n; i++)
        memcpy(jobs[i]->tag, g.tags[i], 16);
    group_end(&g);
    return 0;
}

unsigned aead_group_open(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n)
{
    struct group g;
    unsigned forged = 0;

    group_begin(&g, k, jobs, n);
    burst_lanes_run(&g.lanes);
    group_macs(&g, 0);
    for (unsigned i = 0; i < n; i++)
        if (!secret_equal16(g.tags[i], jobs[i]->tag)) {
            jobs[i]->status = SEALANE_EFORGED;
            zero_bytes(jobs[i]->out, jobs[i]->len);
            forged++;
        }
    group_texts(&g);
    group_end(&g);
    return forged;
}
