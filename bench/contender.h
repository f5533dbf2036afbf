/* contender.h: whoever does the deed to the packets: a level or a kernel of this library, or a peer. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload.h"

/* How one deed is done. prepare may set up what a daemon keeps (contexts, one for each key); NULL from it
 * means that this cannot be done here. run does the deed to n packets, each on its next number (packet_next),
 * and returns whether all went well. */
struct method {
    void *(*prepare)(const void *self, const struct workload *w);
    bool (*run)(void *ctx, struct packet *p, size_t n);
    void (*release)(void *ctx);
};

/* For methods that keep nothing between calls: any pointer that is not NULL. */
static inline void *nothing_prepare(const void *self, const struct workload *w)
{
    (void)self;
    return w->packets;
}

static inline void nothing_release(void *ctx)
{
    (void)ctx;
}

/* A library as it is met on a machine. Its methods are the best calls for single messages that it offers. */
struct peer {
    const char *name;
    bool extra;                   /* only when asked for by name: another way into a library that is there */
    bool (*load)(void);           /* whether it can be used here */
    const char *(*version)(void); /* after load */
    struct method methods[DEED_COUNT];
};

/* Ends with NULL. Absent libraries are not in it; peers_absent names them. */
extern const struct peer *const peers[];
extern const char *const peers_absent;

struct contender {
    char name[48];
    bool ours;
    const void *self;                 /* for prepare */
    const struct method *method;      /* NULL: served by a process of its own (server.h) */
    void (*select)(const void *self); /* before each window; may be NULL */
    bool spoiled;                     /* its output is changed before it is checked: a test of the check */
};

/* Ours. A level's name is that of the mask; "-noifma" takes the bit away. */
struct level {
    const char *name;
    uint32_t mask;
};
extern const struct level levels[]; /* ends with a NULL name */
const struct level *level_find(const char *name);
const struct level *level_used(void);          /* what keys take when nobody chose; name by content */
bool level_present(const struct level *level); /* whether the CPU has all of it, IFMA and BMI2 apart */
void level_contender(struct contender *c, const struct level *level, enum what what);

/* The same level's single calls, as a peer of its bursts, under the name "single". */
void single_contender(struct contender *c, const struct level *level, enum what what);

/* A kernel of the internal ladders, by name. False when there is none of this name for this deed. It declines
 * lengths that its ladder does not give it, unless any_length: then it may do anything there. */
bool kernel_contender(struct contender *c, const char *name, enum what what, bool any_length);
void kernels_list(void);

#endif
