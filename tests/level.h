/* level.h: the kernels that a test program runs on. Called first in each main.
 *
 * SEALANE_TEST_LEVEL=portable|ssse3|avx2|avx512vl|avx512, the last two also with ",noifma", sets the mask of
 * sealane_cpu_use(); unset, the library's own choice stands. tests/CMakeLists.txt registers the suites that
 * are marked LEVELS once for each. */
#ifndef TESTS_LEVEL_H
#define TESTS_LEVEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sealane/cpu.h>

#define LEVEL_SKIPPED 77 /* the exit status that ctest shows as "skipped" */

struct level {
    const char *name;
    uint32_t mask;
};

static const struct level levels[] = {
    {"portable", SEALANE_LEVEL_PORTABLE}, {"ssse3", SEALANE_LEVEL_SSSE3},
    {"avx2", SEALANE_LEVEL_AVX2},         {"avx512vl,noifma", SEALANE_LEVEL_AVX512VL & ~SEALANE_CPU_IFMA},
    {"avx512vl", SEALANE_LEVEL_AVX512VL}, {"avx512,noifma", SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_IFMA},
    {"avx512", SEALANE_LEVEL_AVX512},
};

#define N_LEVELS (sizeof levels / sizeof levels[0])

/* Can this machine run the level? */
static inline int level_found(const struct level *level)
{
    return (level->mask & ~sealane_cpu_found()) == 0;
}

/* Applies SEALANE_TEST_LEVEL. Ends the program when the name is unknown (status 2) or when this machine
 * cannot run the level (LEVEL_SKIPPED, with the reason). */
static inline void level_from_environment(void)
{
    const char *name = getenv("SEALANE_TEST_LEVEL");

    if (name == NULL || *name == '\0')
        return;
    for (size_t i = 0; i < N_LEVELS; i++) {
        if (strcmp(name, levels[i].name) != 0)
            continue;
        if (!level_found(&levels[i])) {
            printf("skipped: level %s needs features %#x, this machine has %#x\n", name,
                   (unsigned)levels[i].mask, (unsigned)sealane_cpu_found());
            exit(LEVEL_SKIPPED);
        }
        sealane_cpu_use(levels[i].mask);
        return;
    }
    fprintf(stderr, "SEALANE_TEST_LEVEL=%s: no such level\n", name);
    exit(2);
}

#endif
