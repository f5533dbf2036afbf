/* aead_burst_alike.c: see aead_burst_alike.h. The kernels do RFC 8439 section 2.8; here jobs become lanes and
 * tags are handed out or compared. */
#include "aead_burst_alike.h"

#include "aead_key.h"
#include "bytes.h"
#include "secret.h"

static void fill_lanes(struct aead_alike *a, struct sealane_job *const *jobs, unsigned n)
{
    uint64_t other_keys = 0;

    a->n = n;
    a->aad_len = jobs[0]->aad_len;
    a->len = jobs[0]->len;
    for (unsigned i = 0; i < n; i++) {
        const struct sealane_job *j = jobs[i];

        a->key[i] = ((const struct aead_key *)j->key)->words;
        a->in[i] = j->in;
        a->out[i] = j->out;
        a->aad[i] = j->aad;
        for (unsigned w = 0; w < 3; w++)
            a->nonce[w][i] = load_le32(j->nonce + 4 * w);
        other_keys |= (uintptr_t)j->key ^ (uintptr_t)jobs[0]->key;
    }
    a->one_key = other_keys == 0;
}

static void fill_lens(struct aead_alike *a, struct sealane_job *const *jobs)
{
    for (unsigned i = 0; i < a->n; i++) {
        a->aad_lens[i] = jobs[i]->aad_len;
        a->lens[i] = jobs[i]->len;
    }
}

static void put_tags(const struct aead_alike_run *r, struct sealane_job *const *jobs)
{
    for (unsigned i = 0; i < r->packets.n; i++)
        memcpy(jobs[i]->tag, r->tags[i], 16);
}

/* Compares and wipes the tags. Returns how many jobs are forged. */
static unsigned check_tags(struct aead_alike_run *r, struct sealane_job *const *jobs)
{
    unsigned forged = 0;

    for (unsigned i = 0; i < r->packets.n; i++)
        if (!secret_equal16(r->tags[i], jobs[i]->tag)) {
            zero_bytes(jobs[i]->out, jobs[i]->len);
            jobs[i]->status = SEALANE_EFORGED;
            forged++;
        }
    secret_wipe(r->tags, r->packets.n * sizeof r->tags[0]);
    return forged;
}

unsigned aead_alike_seal(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n)
{
    fill_lanes(&r->packets, jobs, n);
    k->seal_alike(&r->packets, r->tags);
    put_tags(r, jobs);
    return 0;
}

unsigned aead_alike_open(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n)
{
    fill_lanes(&r->packets, jobs, n);
    k->open_alike(&r->packets, r->tags);
    return check_tags(r, jobs);
}

unsigned aead_mixed_seal(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n)
{
    fill_lanes(&r->packets, jobs, n);
    fill_lens(&r->packets, jobs);
    k->seal_mixed(&r->packets, r->tags);
    put_tags(r, jobs);
    return 0;
}

unsigned aead_mixed_open(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                         struct sealane_job *const *jobs, unsigned n)
{
    fill_lanes(&r->packets, jobs, n);
    fill_lens(&r->packets, jobs);
    k->open_mixed(&r->packets, r->tags);
    return check_tags(r, jobs);
}
