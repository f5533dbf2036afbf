/* test_frames.c: the frames of one message's kernels are as aead_suite.c declares them: behind a kernel and
 * the clean-up with its rung's numbers, nothing but zeros is left deeper on the stack than what the rung may
 * keep. Each kernel runs on a stack of the test's own, at every alignment that a call can have, with AAD on
 * both sides of what short kernels take. x86-64 only. */
#include "hex.h"
#include "level.h"
#include "rng.h"

#include "aead_kernels.h"

enum { PAINT = 0xa5, DEPTH = 32768, TOP = 4096, N_AADS = 5, LONGEST = 9000, LONG_AAD = 2000 };

static uint8_t stack[DEPTH + TOP] __attribute__((aligned(64)));
static uint8_t in[LONGEST], out[LONGEST], aad[LONG_AAD], nonce[12], tag[16];
static uint32_t key[8];

/* Calls function(a, b, c) with the stack pointer at sp. */
static __attribute__((noinline)) void call_at(uint8_t *sp, uintptr_t function, uintptr_t a, uintptr_t b,
                                              uintptr_t c)
{
    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\tmovq %%rbx, %%rsp"
                     : "+r"(sp), "+r"(function), "+D"(a), "+S"(b), "+d"(c)
                     :
                     : "rbx", "rax", "rcx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2",
                       "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
                       "xmm13", "xmm14", "xmm15");
}

/* The depth of the deepest byte that is left. */
static size_t left(const struct aead_suite *suite, const struct aead_rung *rung, int opening,
                   const struct aead_message *m, size_t alignment)
{
    const struct aead_frames *frames = opening ? &rung->open_frames : &rung->seal_frames;
    uint8_t *sp = stack + DEPTH + alignment;
    size_t at = 0;

    memset(stack, PAINT, DEPTH);
    if (opening)
        memset(in, PAINT, m->len); /* copies of ciphertext may be left anywhere */
    call_at(sp, (uintptr_t)(opening ? rung->open : rung->seal), (uintptr_t)suite, (uintptr_t)m,
            (uintptr_t)tag);
    call_at(sp, (uintptr_t)suite->clean, frames->skip, frames->stack, 0);
    while (at < DEPTH && (stack[at] == PAINT || stack[at] == 0))
        at++;
    return DEPTH + alignment - at;
}

static void check(const struct aead_suite *suite, const struct aead_rung *rung, size_t len, size_t aad_len)
{
    const size_t slop = 192; /* what is kept begins below saved registers, at the next multiple of 64 */

    for (int kind = 0; kind < 3; kind++) { /* sealing, opening, in place */
        const struct aead_message m = {key, nonce, aad, in, kind == 2 ? in : out, aad_len, len};
        const struct aead_frames *frames = kind == 0 ? &rung->seal_frames : &rung->open_frames;

        for (size_t alignment = 0; alignment < 64; alignment += 16) {
            const size_t depth = left(suite, rung, kind != 0, &m, alignment);

            if (depth > frames->skip + slop)
                fail_msg("%s, %s: %zu bytes, %zu of AAD: left %zu deep, frames %u + %u", rung->name,
                         kind == 0 ? "seal" : "open", len, aad_len, depth, frames->skip, frames->stack);
        }
    }
}

static void rungs(void **unused)
{
    static const size_t aads[N_AADS] = {0, 16, 17, 200, LONG_AAD};
    struct rng rng = {51};

    (void)unused;
    rng_fill(&rng, (uint8_t *)key, sizeof key);
    for (size_t i = 0; i < N_LEVELS; i++) {
        const struct aead_suite *suite = aead_suite_for(levels[i].mask);
        const struct aead_rung *rung = suite->rungs;
        size_t min_len = 0;

        if (!level_found(&levels[i]))
            continue;
        for (; min_len <= LONGEST; rung++) {
            const size_t max_len = rung->max_len < LONGEST ? rung->max_len : LONGEST;

            for (size_t j = 0; j < 4 * N_AADS; j++)
                check(suite, rung,
                      j < N_AADS ? max_len - j * 5 % (max_len - min_len + 1)
                                 : min_len + rng_below(&rng, max_len - min_len + 1),
                      aads[j % N_AADS]);
            if (rung->max_len >= LONGEST)
                break;
            min_len = rung->max_len + 1;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rungs)};

#ifndef __OPTIMIZE__
    print_message("skipped: frames of builds without optimization are larger than what is declared\n");
    return LEVEL_SKIPPED;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
