/* place.h: a span at a random alignment in a buffer of random bytes, and what the buffer has to look like
 * after a call: the span itself and 64 bytes on either side are compared. */
#ifndef TESTS_PLACE_H
#define TESTS_PLACE_H

#include "hex.h"
#include "rng.h"

#include <string.h>

#define PLACE_MARGIN 64
#define PLACE_MAX 12488

struct place {
    uint8_t buf[PLACE_MAX + 3 * PLACE_MARGIN], image[PLACE_MAX + 3 * PLACE_MARGIN];
    size_t at, len;
};

/* Puts len bytes of data, or random ones when it is NULL, somewhere; returns where. */
static inline uint8_t *place_put(struct place *p, struct rng *rng, const void *data, size_t len)
{
    assert_true(len <= PLACE_MAX);
    p->at = PLACE_MARGIN + rng_below(rng, PLACE_MARGIN);
    p->len = len;
    rng_fill(rng, p->buf + p->at - PLACE_MARGIN, len + (size_t)2 * PLACE_MARGIN);
    if (data != NULL && len != 0)
        memcpy(p->buf + p->at, data, len);
    memcpy(p->image, p->buf, sizeof p->image);
    return p->buf + p->at;
}

/* From now on the span has to hold these bytes; NULL: zeros. */
static inline void place_expect(struct place *p, const void *want)
{
    if (p->len != 0 && want != NULL)
        memcpy(p->image + p->at, want, p->len);
    else
        memset(p->image + p->at, 0, p->len);
}

static inline void place_check(const struct place *p)
{
    const size_t from = p->at - PLACE_MARGIN;

    assert_memory_equal(p->buf + from, p->image + from, p->len + (size_t)2 * PLACE_MARGIN);
}

#endif
