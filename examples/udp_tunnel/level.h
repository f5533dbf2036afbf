/* level.h: the names of kernel levels on the command line and in tables. */
#ifndef TUNNEL_LEVEL_H
#define TUNNEL_LEVEL_H

#include <stdint.h>

struct level {
    const char *name;
    uint32_t mask; /* SEALANE_LEVEL_ */
};

/* From the slowest to the fastest; the last has no name. */
extern const struct level levels[];

/* The level of this name, or NULL. */
const struct level *level_find(const char *name);

/* Does this machine have it? */
int level_present(const struct level *level);

/* For struct sealane_keys.cpu; NULL: what the library picks by itself. */
uint32_t level_cpu(const struct level *level);

#endif
