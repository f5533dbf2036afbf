/* cold.c: evicts code, branch predictors and data. Called before each call that is measured cold. */
#define _GNU_SOURCE
#include "cold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
/* 16384 conditional branches whose directions are noise, in 250 KiB of code: more than the instruction cache,
 * the cache of decoded instructions, and the branch target buffers hold. */
uint64_t cold_branches(uint64_t seed, uint64_t factor);
__asm__(".pushsection .text\n"
        ".p2align 6\n"
        ".type cold_branches, @function\n"
        "cold_branches:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "mov %rdi, %rax\n"
        ".rept 16384\n"
        "imul %rsi, %rax\n"
        "add $0x3d, %rax\n"
        "js 1f\n"
        "xor $0x55, %rax\n"
        "1:\n"
        ".endr\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cold_branches, . - cold_branches\n"
        ".popsection\n");
#endif

static uint8_t *walk;
static size_t walk_len;

bool cold_start(void)
{
#if defined(__x86_64__)
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

    walk_len = 2 * (l2 > 0 ? (size_t)l2 : (size_t)1 << 20);
    if (walk == NULL)
        walk = malloc(walk_len);
    if (walk != NULL)
        memset(walk, 1, walk_len);
    return walk != NULL;
#else
    return false;
#endif
}

void cold_evict(void)
{
    static uint64_t seed = 1;

    for (size_t i = 0; i < walk_len; i += 64)
        walk[i] = (uint8_t)(walk[i] + seed);
#if defined(__x86_64__)
    seed = cold_branches(seed, UINT64_C(6364136223846793005));
#endif
}
