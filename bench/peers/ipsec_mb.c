/* ipsec_mb.c: Intel's Multi-Buffer Crypto for IPsec. Four ways into it, for messages of ChaCha20-Poly1305 one
 * at a time all the way down: checked jobs (what its documents show first), unchecked jobs, bursts of jobs,
 * and the direct calls. Jobs belong to the manager, so that every field is written for each packet. */
#include "peers.h"

#include <intel-ipsec-mb.h>
#include <stdlib.h>

struct manager {
    IMB_MGR *mgr;
    bool checked;
};

static bool load(void)
{
    IMB_MGR *mgr = alloc_mb_mgr(0);

    if (mgr == NULL)
        return false;
    IMB_ARCH arch = IMB_ARCH_NONE;
    init_mb_mgr_auto(mgr, &arch);
    free_mb_mgr(mgr);
    return arch != IMB_ARCH_NONE;
}

static const char *version(void)
{
    return imb_get_version_str();
}

static void *prepare(const void *self, const struct workload *w)
{
    struct manager *m = calloc(1, sizeof *m);

    (void)w;
    if (m == NULL)
        return NULL;
    m->checked = self != &peer_ipsec_mb_nocheck;
    m->mgr = alloc_mb_mgr(0);
    if (m->mgr == NULL) {
        free(m);
        return NULL;
    }
    init_mb_mgr_auto(m->mgr, NULL);
    return m;
}

static void release(void *ctx)
{
    struct manager *m = ctx;

    free_mb_mgr(m->mgr);
    free(m);
}

/* What a job needs for one packet; tag is where its tag goes. */
typedef void job_filler(IMB_JOB *job, struct packet *p, uint8_t *tag);

/* What jobs that encrypt have in common. */
static void fill_text(IMB_JOB *job, struct packet *p)
{
    job->enc_keys = job->dec_keys = p->key;
    job->key_len_in_bytes = 32;
    job->iv = p->nonce;
    job->iv_len_in_bytes = 12;
    job->src = p->in;
    job->dst = p->out;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = p->len;
}

/* And those that authenticate. */
static void fill_tag(IMB_JOB *job, struct packet *p, uint8_t *tag)
{
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = p->len;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
}

static void fill_chacha20(IMB_JOB *job, struct packet *p, uint8_t *tag)
{
    (void)tag;
    job->cipher_mode = IMB_CIPHER_CHACHA20;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_NULL;
    fill_text(job, p);
}

static void fill_poly1305(IMB_JOB *job, struct packet *p, uint8_t *tag)
{
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_POLY1305;
    job->u.POLY1305._key = p->key;
    job->src = p->in;
    fill_tag(job, p, tag);
}

static void fill_aead(IMB_JOB *job, struct packet *p, uint8_t *tag)
{
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->u.CHACHA20_POLY1305.aad = p->aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = p->aad_len;
    fill_text(job, p);
    fill_tag(job, p, tag);
}

static void fill_seal(IMB_JOB *job, struct packet *p, uint8_t *tag)
{
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    fill_aead(job, p, tag);
}

static void fill_open(IMB_JOB *job, struct packet *p, uint8_t *tag)
{
    job->cipher_direction = IMB_DIR_DECRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    fill_aead(job, p, tag);
}

/* The comparison that an opening caller of this library has to make itself. */
static inline bool same_tag(const uint8_t a[16], const uint8_t b[16])
{
    return ((load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8))) == 0;
}

/* Inlined into its callers below, with fill. */
static inline bool run_jobs(struct manager *m, struct packet *p, size_t n, job_filler *fill, bool opening)
{
    bool good = true;

    for (size_t i = 0; i < n; i++, p++) {
        uint8_t computed[16];

        packet_next(p);
        fill(IMB_GET_NEXT_JOB(m->mgr), p, opening ? computed : p->tag);
        IMB_JOB *done = m->checked ? IMB_SUBMIT_JOB(m->mgr) : IMB_SUBMIT_JOB_NOCHECK(m->mgr);

        good &= done != NULL && done->status == IMB_STATUS_COMPLETED;
        good &= !opening || same_tag(computed, p->tag);
    }
    return good;
}

static bool run_chacha20(void *ctx, struct packet *p, size_t n)
{
    return run_jobs(ctx, p, n, fill_chacha20, false);
}

static bool run_poly1305(void *ctx, struct packet *p, size_t n)
{
    return run_jobs(ctx, p, n, fill_poly1305, false);
}

static bool run_seal(void *ctx, struct packet *p, size_t n)
{
    return run_jobs(ctx, p, n, fill_seal, false);
}

static bool run_open(void *ctx, struct packet *p, size_t n)
{
    return run_jobs(ctx, p, n, fill_open, true);
}

static inline bool run_direct(struct manager *m, struct packet *p, size_t n, bool opening)
{
    bool good = true;

    for (size_t i = 0; i < n; i++, p++) {
        struct chacha20_poly1305_context_data c;
        uint8_t computed[16];

        packet_next(p);
        IMB_CHACHA20_POLY1305_INIT(m->mgr, p->key, &c, p->nonce, p->aad, p->aad_len);
        if (opening)
            IMB_CHACHA20_POLY1305_DEC_UPDATE(m->mgr, p->key, &c, p->out, p->in, p->len);
        else
            IMB_CHACHA20_POLY1305_ENC_UPDATE(m->mgr, p->key, &c, p->out, p->in, p->len);
        IMB_CHACHA20_POLY1305_ENC_FINALIZE(m->mgr, &c, opening ? computed : p->tag, 16);
        good &= !opening || same_tag(computed, p->tag);
    }
    return good;
}

static bool direct_seal(void *ctx, struct packet *p, size_t n)
{
    return run_direct(ctx, p, n, false);
}

static bool direct_open(void *ctx, struct packet *p, size_t n)
{
    return run_direct(ctx, p, n, true);
}

/* Up to IMB_MAX_BURST_SIZE packets in one submission. */
static bool burst_once(IMB_MGR *mgr, struct packet *p, uint32_t n, bool opening)
{
    IMB_JOB *jobs[IMB_MAX_BURST_SIZE];
    uint8_t tags[IMB_MAX_BURST_SIZE][16];
    bool good = true;

    if (IMB_GET_NEXT_BURST(mgr, n, jobs) != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        packet_next(&p[i]);
        (opening ? fill_open : fill_seal)(jobs[i], &p[i], opening ? tags[i] : p[i].tag);
    }
    if (IMB_SUBMIT_BURST(mgr, n, jobs) != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        good &= jobs[i]->status == IMB_STATUS_COMPLETED;
        good &= !opening || same_tag(tags[i], p[i].tag);
    }
    return good;
}

static bool run_burst(struct manager *m, struct packet *p, size_t n, bool opening)
{
    bool good = true;

    while (n != 0) {
        uint32_t now = n < IMB_MAX_BURST_SIZE ? (uint32_t)n : IMB_MAX_BURST_SIZE;

        good &= burst_once(m->mgr, p, now, opening);
        p += now;
        n -= now;
    }
    return good;
}

static bool burst_seal(void *ctx, struct packet *p, size_t n)
{
    return run_burst(ctx, p, n, false);
}

static bool burst_open(void *ctx, struct packet *p, size_t n)
{
    return run_burst(ctx, p, n, true);
}

#define JOB_METHODS                                                                                          \
    {                                                                                                        \
        [DEED_CHACHA20] = {prepare, run_chacha20, release},                                                  \
        [DEED_POLY1305] = {prepare, run_poly1305, release}, [DEED_SEAL] = {prepare, run_seal, release},      \
        [DEED_OPEN] = {prepare, run_open, release},                                                          \
    }

const struct peer peer_ipsec_mb = {
    .name = "ipsec-mb",
    .load = load,
    .version = version,
    .methods = JOB_METHODS,
};

const struct peer peer_ipsec_mb_nocheck = {
    .name = "ipsec-mb-nocheck",
    .extra = true,
    .load = load,
    .version = version,
    .methods = JOB_METHODS,
};

const struct peer peer_ipsec_mb_direct = {
    .name = "ipsec-mb-direct",
    .extra = true,
    .load = load,
    .version = version,
    .methods =
        {
            [DEED_SEAL] = {prepare, direct_seal, release},
            [DEED_OPEN] = {prepare, direct_open, release},
        },
};

const struct peer peer_ipsec_mb_burst = {
    .name = "ipsec-mb-burst",
    .extra = true,
    .load = load,
    .version = version,
    .methods =
        {
            [DEED_SEAL] = {prepare, burst_seal, release},
            [DEED_OPEN] = {prepare, burst_open, release},
        },
};
