/* aead_burst.c: bursts of messages for the public aead.h: checks every job and gathers those of one shape;
 * what runs together is aead_burst_alike.c's. */
#include "aead_burst.h"

#include <assert.h>

#include "aead_burst_alike.h"
#include "aead_burst_check.h"
#include "aead_burst_width.h"
#include "aead_kernels.h"
#include "aead_key.h"
#include "aead_one.h"

/* What differs between the directions. */
struct direction {
    int (*one)(const struct aead_suite *suite, const struct aead_rung *rung, struct sealane_job *j);
    unsigned (*alike)(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                      struct sealane_job *const *jobs, unsigned n);
    unsigned (*mixed)(const struct aead_burst_kernels *k, struct aead_alike_run *r,
                      struct sealane_job *const *jobs, unsigned n);
    int opens;
};

static struct aead_message message_of(const struct sealane_job *j)
{
    return (struct aead_message){
        aead_key_of(j->key)->words, j->nonce, j->aad, j->in, j->out, j->aad_len, j->len};
}

static int seal_one(const struct aead_suite *suite, const struct aead_rung *rung, struct sealane_job *j)
{
    const struct aead_message m = message_of(j);

    rung->seal(suite, &m, j->tag);
    return SEALANE_OK;
}

static int open_one(const struct aead_suite *suite, const struct aead_rung *rung, struct sealane_job *j)
{
    const struct aead_message m = message_of(j);

    return aead_one_open(suite, rung, &m, j->tag);
}

static const struct direction sealing = {seal_one, aead_alike_seal, aead_mixed_seal, 0};
static const struct direction opening = {open_one, aead_alike_open, aead_mixed_open, 1};

/* Jobs of one shape that wait for others. */
struct shape {
    size_t len, aad_len;
    struct layout good; /* of a job that was checked */
    const struct aead_burst_rung *rung;
    unsigned n; /* less than AEAD_ALIKE_MAX */
    int again;  /* found since it was looked at for its place */
    struct sealane_job *jobs[AEAD_ALIKE_MAX];
};

#define SHAPES 8 /* that are waited for at once */
#define LEFT_MAX 64
#define FRAMES 512 /* of the functions here that lie above a kernel's, at most */

/* What kernels left below: the bytes from `from` to `to`, less than FRAMES higher or lower. */
struct remains {
    unsigned from, to; /* to 0: nothing */
};

/* A burst on its way. All that waits is of one level. */
struct burst {
    const struct direction *direction;
    const struct aead_suite *suite;         /* of the level; NULL before the first job */
    const struct aead_burst_ladder *ladder; /* of the level */
    struct shape *now;                      /* the one that the last job found, or NULL */
    size_t n, bad;
    int checked;                     /* the jobs, by the caller */
    unsigned n_left, n_shapes, next; /* next: the shape whose place is looked at next */
    struct remains remains;
    struct shape shapes[SHAPES];
    struct sealane_job *left[LEFT_MAX]; /* too few of their shapes */
    unsigned saved;                     /* cycles, if they ran in mixed groups */
    struct aead_alike_run run;
};

static void leave(struct burst *b, unsigned from, unsigned to)
{
    struct remains *r = &b->remains;

    r->from = r->to == 0 || from < r->from ? from : r->from;
    r->to = to > r->to ? to : r->to;
}

/* A checked job, alone. */
__attribute__((noinline)) static void run_one(struct burst *b, struct sealane_job *j)
{
    const struct aead_rung *rung = aead_rung_for(b->suite, j->len);
    const struct aead_frames frames = b->direction->opens ? rung->open_frames : rung->seal_frames;

    j->status = b->direction->one(b->suite, rung, j);
    b->bad += j->status != SEALANE_OK;
    leave(b, frames.skip, frames.skip + frames.stack);
}

/* The longest first. */
static void sort_left(struct burst *b)
{
    for (unsigned i = 1; i < b->n_left; i++) {
        struct sealane_job *const j = b->left[i];
        unsigned to = i;

        for (; to > 0 && b->left[to - 1]->len < j->len; to--)
            b->left[to] = b->left[to - 1];
        b->left[to] = j;
    }
}

/* What is left of all shapes: in mixed groups where these save more than they cost. */
static void run_left(struct burst *b)
{
    const struct aead_burst_kernels *k;
    unsigned groups;

    if (b->n_left == 0)
        return;
    k = b->ladder->kernels;
    groups = (b->n_left + k->mixed_max - 1) / k->mixed_max;
    sort_left(b);
    for (unsigned at = 0, n; at < b->n_left; at += n) {
        n = b->n_left - at < k->mixed_max ? b->n_left - at : k->mixed_max;
        if (b->saved > groups * b->ladder->mixed_start) {
            b->bad += b->direction->mixed(k, &b->run, b->left + at, n);
            leave(b, k->mixed_unused, k->mixed_stack);
        } else {
            for (unsigned i = 0; i < n; i++)
                run_one(b, b->left[at + i]);
        }
    }
    b->n_left = b->saved = 0;
}

/* n packets of one shape ran. */
static void leave_alike(struct burst *b, unsigned n)
{
    const struct aead_burst_kernels *k = b->ladder->kernels;
    unsigned w = 0;

    while (n > AEAD_ALIKE_MIN << w)
        w++;
    leave(b, k->unused[w], k->alike_stack);
}

/* Runs what waits in a shape. */
__attribute__((noinline)) static void run_shape(struct burst *b, struct shape *s)
{
    unsigned at = 0, n;
    int alone;

    while (at < s->n && (n = aead_burst_width(s->rung, s->jobs + at, s->n - at)) != 0) {
        b->bad += b->direction->alike(b->ladder->kernels, &b->run, s->jobs + at, n);
        leave_alike(b, n);
        at += n;
    }
    /* There can be no group, or they fill lanes and are cheaper alone all the same: lanes of mixed ones would
     * not be better. */
    alone = b->n * s->rung->saved <= b->ladder->mixed_start || s->n - at >= AEAD_ALIKE_MIN;
    for (; at < s->n; at++) {
        if (alone) {
            run_one(b, s->jobs[at]);
            continue;
        }
        if (b->n_left == LEFT_MAX)
            run_left(b);
        b->left[b->n_left++] = s->jobs[at];
        b->saved += s->rung->saved;
    }
    s->n = 0;
}

/* Wipes the frames of the kernels. They lie below that of run, and a few of this file's, which hold no
 * secrets, between: not always the same ones. */
static void clean(struct burst *b)
{
    struct remains *r = &b->remains;
    unsigned from;

    if (r->to == 0)
        return;
    from = r->from > FRAMES ? r->from - FRAMES : 0;
    b->suite->clean(from, r->to + FRAMES - from);
    r->to = 0;
}

/* Runs all that waits, the longest first, so that what is left is in order already. */
static void run_all(struct burst *b)
{
    for (;;) {
        struct shape *longest = NULL;

        for (struct shape *s = b->shapes; s < b->shapes + b->n_shapes; s++)
            if (s->n != 0 && (longest == NULL || s->len > longest->len))
                longest = s;
        if (longest == NULL)
            break;
        run_shape(b, longest);
    }
    b->n_shapes = 0;
    b->now = NULL;
    run_left(b);
    clean(b);
}

/* Where jobs of that shape wait already, or NULL. */
static struct shape *find_shape(struct burst *b, size_t len, size_t aad_len)
{
    for (struct shape *s = b->shapes; s < b->shapes + b->n_shapes; s++)
        if ((s->len == len) & (s->aad_len == aad_len)) {
            s->again = 1;
            return s;
        }
    return NULL;
}

/* The place of one that was not found again lately: its jobs run. */
static struct shape *give_up_shape(struct burst *b)
{
    struct shape *s;

    for (;;) {
        s = &b->shapes[b->next++ % SHAPES];
        if (!s->again)
            break;
        s->again = 0;
    }
    run_shape(b, s);
    return s;
}

/* Where they will wait, or NULL when they go alone. */
static struct shape *new_shape(struct burst *b, size_t len, size_t aad_len)
{
    const struct aead_burst_ladder *ladder = b->ladder;
    struct shape *s = b->shapes;

    if (b->n < AEAD_BURST_MIN || ladder->kernels == NULL || len > ladder->max_len ||
        aad_len > AEAD_MACS_AAD_MAX)
        return NULL;
    if (b->n_shapes < SHAPES) {
        s = &b->shapes[b->n_shapes++];
    } else {
        s = give_up_shape(b);
    }
    s->n = 0;
    s->again = 0;
    s->len = len;
    s->aad_len = aad_len;
    s->good = layout_of_none;
    s->rung = aead_burst_rung_for(ladder, len);
    return s;
}

static void change_level(struct burst *b, const struct aead_key *key)
{
    if (b->suite != NULL)
        run_all(b);
    b->suite = key->suite;
    b->ladder = key->burst;
}

/* Of s, or of no shape. */
static int check(const struct sealane_job *j, struct shape *s)
{
    int error = SEALANE_OK;

    if (s == NULL || !plain(j, s->len, s->aad_len))
        error = aead_check_spans(j->aad, j->aad_len, j->in, j->len, j->out, j->tag);
    if (s != NULL && error == SEALANE_OK)
        s->good = layout_of(j, s->aad_len);
    return error;
}

static void refuse(struct burst *b, struct sealane_job *j, int error)
{
    j->status = error;
    b->bad++;
}

static inline void wait_in(struct burst *b, struct shape *s, struct sealane_job *j)
{
    j->status = SEALANE_OK;
    s->jobs[s->n++] = j;
    if (s->n == AEAD_ALIKE_MAX)
        run_shape(b, s);
}

/* Any job. Not inlined, as is nothing that most jobs do without: registers are few. */
static __attribute__((noinline)) void gather(struct burst *b, struct sealane_job *j)
{
    const struct aead_key *key = aead_key_of(j->key);
    struct shape *s = b->now;

    if (key == NULL) {
        refuse(b, j, SEALANE_EINVAL);
        return;
    }
    if ((key->burst != b->ladder) | (key->suite != b->suite)) {
        change_level(b, key);
        s = NULL;
    }
    if (s == NULL || j->len != s->len || j->aad_len != s->aad_len) {
        s = find_shape(b, j->len, j->aad_len);
        if (s == NULL)
            s = new_shape(b, j->len, j->aad_len);
        b->now = s;
    }
    if (!b->checked && (s == NULL || !lies_like(&s->good, j, s->aad_len))) {
        const int error = check(j, s);

        if (error != SEALANE_OK) {
            refuse(b, j, error);
            return;
        }
    }
    if (s == NULL)
        run_one(b, j);
    else
        wait_in(b, s, j);
}

/* Will `gather` let it wait where the last job did, without more questions? */
static inline int is_another(const struct burst *b, const struct sealane_job *j)
{
    const struct aead_key *key = (const struct aead_key *)j->key;
    const struct shape *s = b->now;

    return s != NULL && key != NULL && key->made == AEAD_KEY_MADE && key->burst == b->ladder &&
           key->suite == b->suite && j->len == s->len && j->aad_len == s->aad_len &&
           (b->checked || lies_like(&s->good, j, s->aad_len));
}

static size_t run(const struct direction *d, struct sealane_job *jobs, size_t n, int checked)
{
    struct burst b;

    b.suite = NULL;
    b.ladder = NULL;
    b.direction = d;
    b.checked = checked;
    b.n = n;
    b.now = NULL;
    b.bad = 0;
    b.n_left = b.saved = b.next = 0;
    b.remains.to = 0;
    b.n_shapes = 0;
    for (size_t i = 0; i < n; i++) {
        assert(alone(jobs, n, i, d->opens));
        if (is_another(&b, &jobs[i]))
            wait_in(&b, b.now, &jobs[i]);
        else
            gather(&b, &jobs[i]);
    }
    run_all(&b);
    return n - b.bad;
}

size_t sealane_seal_burst(struct sealane_job *jobs, size_t n)
{
    return run(&sealing, jobs, n, 0);
}

size_t sealane_open_burst(struct sealane_job *jobs, size_t n)
{
    return run(&opening, jobs, n, 0);
}

void aead_burst_seal_checked(struct sealane_job *jobs, size_t n)
{
    (void)run(&sealing, jobs, n, 1);
}

size_t aead_burst_open_checked(struct sealane_job *jobs, size_t n)
{
    return run(&opening, jobs, n, 1);
}
