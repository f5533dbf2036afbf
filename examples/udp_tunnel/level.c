/* level.c: kernel levels by name. Called by the options and by the demonstration. */
#include "level.h"

#include <string.h>

#include <sealane/cpu.h>

const struct level levels[] = {
    {"portable", SEALANE_LEVEL_PORTABLE}, {"ssse3", SEALANE_LEVEL_SSSE3},   {"avx2", SEALANE_LEVEL_AVX2},
    {"avx512vl", SEALANE_LEVEL_AVX512VL}, {"avx512", SEALANE_LEVEL_AVX512}, {0},
};

const struct level *level_find(const char *name)
{
    for (const struct level *l = levels; l->name != NULL; l++) {
        if (strcmp(l->name, name) == 0)
            return l;
    }
    return NULL;
}

/* IFMA is a bonus of the AVX-512 levels, not a condition. */
int level_present(const struct level *level)
{
    return (level->mask & ~(sealane_cpu_found() | SEALANE_CPU_IFMA)) == 0;
}

uint32_t level_cpu(const struct level *level)
{
    if (level == NULL)
        return 0;
    return level->mask != 0 ? level->mask & sealane_cpu_found() : SEALANE_CPU_NONE;
}
