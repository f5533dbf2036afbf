/* aead_burst_plan.c: one group of a burst: deals the ChaCha20 blocks of its packets to the lanes of sweeps
 * and the columns of their MACs (RFC 8439 section 2.8) to the lanes of Poly1305. Called by aead_burst.c.
 *
 * Opening is strict: all tags of the group are computed over the ciphertext and compared before the first
 * byte is decrypted, so that a forged packet never becomes plaintext. */
#include "aead_burst_plan.h"

#include "aead_kernels.h"
#include "aead_key.h"
#include "bytes.h"
#include "secret.h"

struct group {
    const struct aead_burst_kernels *k;
    struct sealane_job *const *jobs;
    unsigned n;       /* packets */
    unsigned n_macs;  /* n rounded up to the kernels' lanes: the others are empty packets */
    unsigned lanes;   /* of the sweep that is being filled */
    unsigned one_key; /* all packets have the key that stands in the sweep's words already */
    const uint32_t *key[AEAD_GROUP_MAX];
    struct aead_sweep sweep;
    struct aead_macs macs;
    uint8_t poly_keys[AEAD_GROUP_MAX][64]; /* block 0 of each packet */
    uint8_t tags[AEAD_GROUP_MAX][16];
    _Alignas(64) uint64_t aad_len[AEAD_GROUP_MAX], len[AEAD_GROUP_MAX];
};

static const uint8_t zeros[64];

/* ---- sweeps */

static void sweep_run(struct group *g)
{
    unsigned step = g->k->sweep_lanes;
    unsigned n = (g->lanes + step - 1) / step * step;

    if (n == 0)
        return;
    for (unsigned i = g->lanes; i < n; i++) {
        g->sweep.in[i] = zeros;
        g->sweep.out[i] = g->sweep.spare[i];
    }
    g->k->sweep(&g->sweep, n);
    g->lanes = 0;
    g->sweep.tails = 0;
}

/* The next lane, for block number `number` of packet i; the caller says where from and where to. */
static unsigned sweep_lane(struct group *g, unsigned i, uint32_t number)
{
    struct aead_sweep *s = &g->sweep;
    unsigned lane;

    if (g->lanes == AEAD_SWEEP_LANES)
        sweep_run(g);
    lane = g->lanes++;
    if (!g->one_key)
        for (int w = 0; w < 8; w++)
            s->words[w][lane] = g->key[i][w];
    s->words[8][lane] = number;
    for (int w = 0; w < 3; w++)
        s->words[9 + w][lane] = load_le32(g->jobs[i]->nonce + 4 * w);
    return lane;
}

static void sweep_keys(struct group *g)
{
    for (unsigned i = 0; i < g->n; i++) {
        unsigned lane = sweep_lane(g, i, 0);

        g->sweep.in[lane] = zeros;
        g->sweep.out[lane] = g->poly_keys[i];
    }
}

static void sweep_packet(struct group *g, unsigned i)
{
    const struct sealane_job *j = g->jobs[i];
    struct aead_sweep *s = &g->sweep;
    size_t at = 0;
    uint32_t number = 1;
    unsigned lane;

    for (; at + 64 <= j->len; at += 64) {
        lane = sweep_lane(g, i, number++);
        s->in[lane] = j->in + at;
        s->out[lane] = j->out + at;
    }
    if (at == j->len)
        return;
    lane = sweep_lane(g, i, number);
    s->in[lane] = s->out[lane] = s->spare[lane];
    s->tails |= UINT32_C(1) << lane;
    s->tail_len[lane] = (uint8_t)(j->len - at);
    s->tail_in[lane] = j->in + at;
    s->tail_out[lane] = j->out + at;
}

/* ---- MACs */

/* How the blocks of a packet (AAD, text, lengths) fall into columns of four, aligned to their end. */
struct layout {
    size_t aad_blocks, columns;
    size_t head; /* columns that hold AAD or zeros; the last column, with the lengths, is never one of them */
    unsigned skip; /* zero blocks before the first */
};

static struct layout layout_of(size_t aad_len, size_t len)
{
    struct layout l;
    size_t text_blocks = len / 16 + (len % 16 != 0);

    l.aad_blocks = aad_len / 16 + (aad_len % 16 != 0);
    l.columns = (l.aad_blocks + text_blocks + 1 + 3) / 4;
    l.skip = (unsigned)(4 * l.columns - (l.aad_blocks + text_blocks + 1));
    l.head = (l.skip + l.aad_blocks + 3) / 4;
    if (l.head == l.columns)
        l.head--;
    return l;
}

/* Where the text of column c begins; below 0 or in the middle of the column while AAD is in it. */
static size_t text_of(const struct layout *l, size_t c)
{
    return 64 * c - 16 * (l->skip + l->aad_blocks);
}

/* Column c, which may hold zeros, AAD and text. */
static struct aead_row row_of(const struct layout *l, size_t c, const uint8_t *aad, size_t aad_len,
                              const uint8_t *text, size_t len)
{
    struct aead_row row = {zeros, zeros, 0, 0, 0};
    size_t first = 4 * c, end = 4 * c + 4 - (c + 1 == l->columns); /* blocks, counted from the zeros on */
    size_t aad_from = l->skip, text_from = l->skip + l->aad_blocks;

    if (first < aad_from) {
        row.skip = (uint8_t)(aad_from - first);
        first = aad_from;
    }
    if (first < text_from && first < end) {
        size_t left = aad_len - 16 * (first - aad_from), room = 16 * (end - first);

        row.aad = aad + 16 * (first - aad_from);
        row.aad_len = (uint8_t)(left < room ? left : room);
        first = text_from;
    }
    if (first < end) {
        size_t at = 16 * (first - text_from), room = 16 * (end - first);

        row.text_len = (uint8_t)(len - at < room ? len - at : room);
        if (row.text_len != 0)
            row.text = text + at;
    }
    return row;
}

/* The tags of all packets over their ciphertext, which is out of a sealed and in of an opened job. */
static void macs_run(struct group *g, int sealed)
{
    struct layout layouts[AEAD_GROUP_MAX];
    struct aead_row rows[AEAD_GROUP_MAX];
    const uint8_t *aad[AEAD_GROUP_MAX], *text[AEAD_GROUP_MAX], *body[AEAD_GROUP_MAX];
    uint32_t body_columns[AEAD_GROUP_MAX];
    size_t head = 0;

    for (unsigned i = 0; i < g->n_macs; i++) {
        struct layout *l = &layouts[i];

        g->aad_len[i] = i < g->n ? g->jobs[i]->aad_len : 0;
        g->len[i] = i < g->n ? g->jobs[i]->len : 0;
        aad[i] = g->aad_len[i] != 0 ? g->jobs[i]->aad : zeros;
        text[i] = g->len[i] == 0 ? zeros : sealed ? g->jobs[i]->out : g->jobs[i]->in;
        *l = layout_of(g->aad_len[i], g->len[i]);
        body_columns[i] = (uint32_t)(l->columns - 1 - l->head);
        body[i] = body_columns[i] != 0 ? text[i] + text_of(l, l->head) : zeros;
        head = l->head > head ? l->head : head;
    }
    g->k->mac_keys(&g->macs, (const uint8_t(*)[64])g->poly_keys, g->n_macs);
    for (size_t c = 0; c < head; c++) {
        for (unsigned i = 0; i < g->n_macs; i++) {
            const struct layout *l = &layouts[i];

            rows[i] = c + l->head < head
                          ? (struct aead_row){zeros, zeros, 4, 0, 0}
                          : row_of(l, c + l->head - head, aad[i], g->aad_len[i], text[i], g->len[i]);
        }
        g->k->mac_rows(&g->macs, rows, g->n_macs);
    }
    g->k->mac_text(&g->macs, body, body_columns, g->n_macs);
    for (unsigned i = 0; i < g->n_macs; i++)
        rows[i] = row_of(&layouts[i], layouts[i].columns - 1, aad[i], g->aad_len[i], text[i], g->len[i]);
    g->k->mac_finish(&g->macs, rows, g->aad_len, g->len, g->tags, g->n_macs);
}

/* ---- a group */

static void group_begin(struct group *g, const struct aead_burst_kernels *k, struct sealane_job *const *jobs,
                        unsigned n)
{
    g->k = k;
    g->jobs = jobs;
    g->n = n;
    g->n_macs = (n + k->mac_lanes - 1) / k->mac_lanes * k->mac_lanes;
    g->lanes = 0;
    g->sweep.tails = 0;
    g->one_key = 1;
    for (unsigned i = 0; i < n; i++) {
        g->key[i] = aead_key_of(jobs[i]->key)->words;
        g->one_key &= jobs[i]->key == jobs[0]->key;
    }
    if (g->one_key)
        for (int w = 0; w < 8; w++)
            for (int lane = 0; lane < AEAD_SWEEP_LANES; lane++)
                g->sweep.words[w][lane] = g->key[0][w];
    sweep_keys(g);
}

/* The kernels' frames lie below the group's: what they left goes first. */
static void group_end(struct group *g)
{
    aead_key_of(g->jobs[0]->key)->suite->clean();
    secret_wipe(g, sizeof *g);
}

void aead_group_seal(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n)
{
    struct group g;

    group_begin(&g, k, jobs, n);
    for (unsigned i = 0; i < n; i++)
        sweep_packet(&g, i);
    sweep_run(&g);
    macs_run(&g, 1);
    for (unsigned i = 0; i < n; i++) {
        memcpy(jobs[i]->tag, g.tags[i], 16);
        jobs[i]->status = SEALANE_OK;
    }
    group_end(&g);
}

void aead_group_open(const struct aead_burst_kernels *k, struct sealane_job *const *jobs, unsigned n)
{
    struct group g;

    group_begin(&g, k, jobs, n);
    sweep_run(&g);
    macs_run(&g, 0);
    for (unsigned i = 0; i < n; i++) {
        if (secret_equal16(g.tags[i], jobs[i]->tag)) {
            jobs[i]->status = SEALANE_OK;
            sweep_packet(&g, i);
        } else {
            jobs[i]->status = SEALANE_EFORGED;
            zero_bytes(jobs[i]->out, jobs[i]->len);
        }
    }
    sweep_run(&g);
    group_end(&g);
}
