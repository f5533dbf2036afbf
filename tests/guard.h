/* guard.h: memory that ends, and begins, at unmapped pages: a byte read or written outside it ends the
 * program. */
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include "hex.h"

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <sys/mman.h>

struct guard {
    uint8_t *begin, *end; /* the usable bytes: whole pages, with an unmapped one on either side */
};

/* At least len usable bytes, zeroed. */
static inline struct guard guard_new(size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), usable = (len + page - 1) / page * page + (len == 0) * page;
    uint8_t *all = mmap(NULL, usable + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(all != MAP_FAILED);
    assert_int_equal(mprotect(all + page, usable, PROT_READ | PROT_WRITE), 0);
    return (struct guard){all + page, all + page + usable};
}

static inline void guard_free(struct guard g)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    assert_int_equal(munmap(g.begin - page, (size_t)(g.end - g.begin) + 2 * page), 0);
}

/* len bytes at one edge: those before the unmapped page behind, or those behind the unmapped page in front.
 */
static inline uint8_t *guard_edge(struct guard g, size_t len, int at_end)
{
    return at_end ? g.end - len : g.begin;
}

#endif
