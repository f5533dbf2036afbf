/* checkkernel.h: what a family of kernels gives to the tool. A new family (a cipher, an authenticator, what
 * fuses both, bursts) is one file with one `struct family`, named in families[] of main.c.
 *
 * A family collects its kernels from the ladders of every level that this machine can run, and has a list of
 * checks. Each check of each kernel is one cmocka test: it gets the kernel as *state, and calls it through
 * call_checked(). */
#ifndef CHECKKERNEL_H
#define CHECKKERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"

#define MAX_KERNELS 64

struct kernel {
    const char *name;
    const void *rung; /* the family's own */
    any_function *run;
    size_t min_len, max_len,
        step; /* the lengths that the ladders give it: multiples of step; max_len may be SIZE_MAX */
};

struct kernel_list {
    struct kernel of[MAX_KERNELS];
    size_t n;
};

struct check {
    const char *name;
    void (*run)(void **state); /* *state: const struct kernel * */
    int full;                  /* left out by --quick */
};

struct family {
    const char *name;
    void (*collect)(struct kernel_list *list);
    const struct check *checks; /* the last has run == NULL */
};

extern const struct family aead_family, burst_family, chacha_family;

/* Adds a kernel, or widens the lengths of one that another ladder gave already. */
void kernel_add(struct kernel_list *list, const struct kernel *k);

/* The kernel's shortest length of at least len; SIZE_MAX when it has none. */
size_t kernel_len_from(const struct kernel *k, size_t len);

/* Every length that the kernel serves, up to limit. */
#define FOR_EACH_LEN(len, k, limit)                                                                          \
    for (size_t len = kernel_len_from(k, 0); len <= (limit); len = kernel_len_from(k, len + 1))

#endif
