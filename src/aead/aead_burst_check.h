/* aead_burst_check.h: the checks of a burst's jobs: one job's spans, with few branches where they are good,
 * and in builds with assertions that no job writes into another. Called by aead_burst.c. */
#ifndef AEAD_BURST_CHECK_H
#define AEAD_BURST_CHECK_H

#include <sealane/aead.h>

#include "aead_check.h"
#include "aead_key.h"
#include "bytes.h"

/* Do a and b, less than a quarter of all addresses long, certainly share no byte? One of them empty: maybe
 * not. b begins less than a_len behind or less than b_len before a where they overlap. */
static inline int apart(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    return (uintptr_t)b - (uintptr_t)a + b_len - 1 >= a_len + b_len - 1;
}

/* Is aead_check_spans certainly SEALANE_OK? The lengths are those of lanes. NULL less one has the highest
 * bit, and few machines have such addresses. */
static inline int plain(const struct sealane_job *j, size_t len, size_t aad_len)
{
    uintptr_t nulls = ((uintptr_t)j->tag - 1) | ((uintptr_t)j->in - 1) | ((uintptr_t)j->out - 1) |
                      ((uintptr_t)j->aad - (aad_len != 0));

    return ((intptr_t)nulls >= 0) & apart(j->out, len, j->aad, aad_len) & apart(j->out, len, j->tag, 16) &
               apart(j->aad, aad_len, j->tag, 16) &&
           (j->in == j->out || (apart(j->in, len, j->out, len) & apart(j->in, len, j->aad, aad_len) &
                                apart(j->in, len, j->tag, 16)));
}

/* How far from out a job's other spans begin; 0 for AAD that is not there. Whether spans overlap depends on
 * these distances and their lengths alone, and the packets of a burst mostly lie one like the other. */
struct layout {
    uintptr_t aad, in, tag;
};

/* Good for all lengths of lanes: in place, the others far away. */
static const struct layout layout_of_none = {(uintptr_t)INTPTR_MAX / 2, 0, (uintptr_t)INTPTR_MAX};

static inline struct layout layout_of(const struct sealane_job *j, size_t aad_len)
{
    const uintptr_t out = (uintptr_t)j->out;

    return (struct layout){aad_len == 0 ? 0 : (uintptr_t)j->aad - out, (uintptr_t)j->in - out,
                           (uintptr_t)j->tag - out};
}

/* Does it lie like one of its lengths that was good, and is all of it there? */
static inline int lies_like(const struct layout *good, const struct sealane_job *j, size_t aad_len)
{
    const struct layout l = layout_of(j, aad_len);
    const int there =
        (j->out != NULL) & (j->in != NULL) & (j->tag != NULL) & ((aad_len == 0) | (j->aad != NULL));

    return there & (l.aad == good->aad) & (l.in == good->in) & (l.tag == good->tag);
}

#ifndef NDEBUG
static inline int refused(const struct sealane_job *j)
{
    return aead_key_of(j->key) == NULL ||
           aead_check_spans(j->aad, j->aad_len, j->in, j->len, j->out, j->tag) != SEALANE_OK;
}

/* Does no other job of the burst write where this one reads or writes? Jobs that are refused do neither. */
static inline int alone(const struct sealane_job *jobs, size_t n, size_t i, int opens)
{
    const struct sealane_job *j = &jobs[i];

    if (refused(j))
        return 1;
    for (size_t o = 0; o < n; o++) {
        const struct sealane_job *w = &jobs[o];

        if (o == i || refused(w))
            continue;
        if (spans_overlap(w->out, w->len, j->out, j->len) || spans_overlap(w->out, w->len, j->in, j->len) ||
            spans_overlap(w->out, w->len, j->aad, j->aad_len) || spans_overlap(w->out, w->len, j->tag, 16))
            return 0;
        if (!opens &&
            (spans_overlap(w->tag, 16, j->out, j->len) || spans_overlap(w->tag, 16, j->in, j->len) ||
             spans_overlap(w->tag, 16, j->aad, j->aad_len) || spans_overlap(w->tag, 16, j->tag, 16)))
            return 0;
    }
    return 1;
}
#endif

#endif
