/* test_residue.c: what is left in registers and on the stack below the caller after a seal, an open, a burst
 * and the wipe of a key, at every level: no word of the key, of the keystream, of r or of s; for XChaCha20,
 * nor of what HChaCha20 makes of the key. x86-64 only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sealane/sealane.h>

#include "address_word.h"
#include "aead_kernels.h"
#include "chacha_kernels.h"
#include "level.h"
#include "rng.h"

#define DEPTH 65536 /* bytes of stack that are looked at */
#define MAX_LEN 4500
#define MAX_SECRETS 4096

static uint8_t stack_copy[DEPTH], vectors[32 * 64], text[MAX_LEN], out[MAX_LEN];
static uint64_t registers[16];
static uint32_t secrets[MAX_SECRETS];
static size_t n_secrets;
static struct sealane_key key, twin;
static struct sealane_job jobs[32];
static uint8_t job_text[32][256], job_tags[32][16];

#define STORE_ZMM(n) "vmovdqu64 %%zmm" #n ", " #n "*64(%0)\n\t"
#define STORE_YMM(n) "vmovdqu %%ymm" #n ", " #n "*64(%0)\n\t"
#define STORE_XMM(n) "movdqu %%xmm" #n ", " #n "*64(%0)\n\t"
#define SIXTEEN(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
#define UPPER(x)                                                                                             \
    x(16) x(17) x(18) x(19) x(20) x(21) x(22) x(23) x(24) x(25) x(26) x(27) x(28) x(29) x(30) x(31)

/* Right behind a call, in the frame of its caller: nothing may come between. */
static inline __attribute__((always_inline)) void capture(uint32_t found)
{
    __asm__ volatile("movq %%rax, registers(%%rip)\n\tmovq %%rcx, 8+registers(%%rip)\n\t"
                     "movq %%rdx, 16+registers(%%rip)\n\tmovq %%rsi, 24+registers(%%rip)\n\t"
                     "movq %%rdi, 32+registers(%%rip)\n\tmovq %%r8, 40+registers(%%rip)\n\t"
                     "movq %%r9, 48+registers(%%rip)\n\tmovq %%r10, 56+registers(%%rip)\n\t"
                     "movq %%r11, 64+registers(%%rip)\n\tmovq %%rbx, 72+registers(%%rip)\n\t"
                     "movq %%r12, 80+registers(%%rip)\n\tmovq %%r13, 88+registers(%%rip)\n\t"
                     "movq %%r14, 96+registers(%%rip)\n\tmovq %%r15, 104+registers(%%rip)\n\t"
                     "leaq %c0(%%rsp), %%rsi\n\tleaq stack_copy(%%rip), %%rdi\n\tmovl %1, %%ecx\n\trep movsb"
                     :
                     : "i"(-DEPTH), "i"(DEPTH)
                     : "memory", "rcx", "rsi", "rdi");
    if (found & SEALANE_CPU_AVX512)
        __asm__ volatile(SIXTEEN(STORE_ZMM) UPPER(STORE_ZMM) : : "r"(vectors) : "memory");
    else if (found & SEALANE_CPU_AVX2)
        __asm__ volatile(SIXTEEN(STORE_YMM) : : "r"(vectors) : "memory");
    else
        __asm__ volatile(SIXTEEN(STORE_XMM) : : "r"(vectors) : "memory");
}

static void add_secret(uint64_t word, int wide)
{
    secrets[n_secrets++] = (uint32_t)word;
    if (wide)
        secrets[n_secrets++] = (uint32_t)(word >> 32);
}

/* The words of everything that a message of len bytes under a key's words and nonce makes. */
static void collect_secrets_of(const uint32_t words[8], const uint8_t nonce[12], size_t len)
{
    uint32_t state[16], block[16];

    chacha_setup(state, words, 0, nonce);
    for (int i = 0; i < 8; i++)
        add_secret(words[i], 0);
    for (; state[12] * 64 < len + 64; state[12]++) {
        chacha_block(block, state, 20);
        for (int i = 0; i < 16; i++)
            add_secret(block[i], 0);
        if (state[12] == 0) {
            const uint64_t r0 = (block[0] | (uint64_t)block[1] << 32) & UINT64_C(0x0ffffffc0fffffff);
            const uint64_t r1 = (block[2] | (uint64_t)block[3] << 32) & UINT64_C(0x0ffffffc0ffffffc);
            const uint64_t m44 = UINT64_C(0xfffffffffff), m26 = 0x3ffffff;

            add_secret(r0, 1);
            add_secret(r1, 1);
            add_secret(r0 & m44, 0);
            add_secret((r0 >> 44 | r1 << 20) & m44, 0);
            add_secret(r1 >> 24, 0);
            add_secret(r0 & m26, 0);
            add_secret(r0 >> 26 & m26, 0);
            add_secret((r0 >> 52 | r1 << 12) & m26, 0);
            add_secret(r1 >> 14 & m26, 0);
            add_secret(r1 >> 40, 0);
        }
    }
    assert_true(n_secrets <= MAX_SECRETS);
}

static void collect_secrets(const uint8_t raw[32], const uint8_t nonce[12], size_t len)
{
    uint32_t words[8];

    chacha_load_key(words, raw);
    collect_secrets_of(words, nonce, len);
}

/* XChaCha20: the whole state after the rounds, of which half is the subkey, and what that makes. */
static void collect_extended_secrets(const uint8_t raw[32], const uint8_t nonce[24], size_t len)
{
    uint8_t sub_nonce[12] = {0};
    uint32_t words[8], state[16], sub[8];

    chacha_load_key(words, raw);
    for (int i = 0; i < 8; i++)
        add_secret(words[i], 0);
    chacha_setup(state, words, 0, nonce + 4);
    memcpy(state + 12, nonce, 16);
    chacha_permute(state, 20);
    for (int i = 0; i < 16; i++)
        add_secret(state[i], 0);
    chacha_hchacha20(sub, words, nonce);
    memcpy(sub_nonce + 4, nonce + 16, 8);
    collect_secrets_of(sub, sub_nonce, len);
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void search(const void *where, size_t len, const char *what, const char *after, const char *level,
                   size_t n)
{
    for (size_t i = 0; i + 4 <= len; i += 4) {
        uint32_t word;

        memcpy(&word, (const uint8_t *)where + i, 4);
        if (word != 0 && !address_word(where, i, len) &&
            bsearch(&word, secrets, n_secrets, 4, compare_words) != NULL)
            fail_msg("%s, %s of %zu bytes: a secret word in the %s, %zu bytes %s", level, after, n, what,
                     where == stack_copy ? len - i : i, where == stack_copy ? "below" : "in");
    }
}

static void look(const char *after, const char *level, size_t n)
{
    qsort(secrets, n_secrets, 4, compare_words);
    search(stack_copy, sizeof stack_copy, "stack", after, level, n);
    search(vectors, sizeof vectors, "vector registers", after, level, n);
    search(registers, sizeof registers, "general registers", after, level, n);
    n_secrets = 0;
}

#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"

/* Makes sure that what is found was put there by the call that is looked at: libc's functions leave in
 * registers what they copied for the test. */
static __attribute__((noinline)) void sweep_stack(void)
{
    volatile uint8_t area[DEPTH + 1024];

    for (size_t i = 0; i < sizeof area; i++)
        area[i] = 0xee;
    if (sealane_cpu_found() & SEALANE_CPU_AVX512)
        __asm__ volatile(UPPER(CLEAR) "vzeroall" : : : "memory");
    else if (sealane_cpu_found() & SEALANE_CPU_AVX2)
        __asm__ volatile("vzeroall" : : : "memory");
}

static const size_t lens[] = {0,   1,    64,   130,  200,  256,  300,  512,
                              700, 1024, 1420, 1500, 2000, 2048, 3000, 4500};

static void single(const struct level *level, size_t len, size_t aad_len, int in_place)
{
    struct rng rng = {len + 7};
    const uint32_t found = sealane_cpu_found();
    uint8_t raw[32], nonce[12], aad[40], tag[16], *dst = in_place ? text : out;
    uint32_t tag_word;
    int err;

    rng_fill(&rng, raw, 32);
    rng_fill(&rng, nonce, 12);
    rng_fill(&rng, aad, sizeof aad);
    rng_fill(&rng, text, len);
    assert_int_equal(sealane_key_init(&key, raw), 0);

    sweep_stack();
    err = sealane_seal(&key, nonce, aad, aad_len, text, len, dst, tag);
    capture(found);
    assert_int_equal(err, 0);
    collect_secrets(raw, nonce, len);
    look("seal", level->name, len);

    sweep_stack();
    err = sealane_open(&key, nonce, aad, aad_len, dst, len, tag, dst);
    capture(found);
    assert_int_equal(err, 0);
    collect_secrets(raw, nonce, len);
    look("open in place", level->name, len);

    err = sealane_seal(&key, nonce, aad, aad_len, text, len, out, tag);
    assert_int_equal(err, 0);
    sweep_stack();
    err = sealane_open(&key, nonce, aad, aad_len, out, len, tag, text);
    capture(found);
    assert_int_equal(err, 0);
    collect_secrets(raw, nonce, len);
    look("open", level->name, len);

    /* The right tag of a forged message is a secret. */
    tag[0] ^= 1;
    sweep_stack();
    err = sealane_open(&key, nonce, aad, aad_len, out, len, tag, text);
    capture(found);
    assert_int_equal(err, SEALANE_EFORGED);
    tag[0] ^= 1;
    memcpy(&tag_word, tag, 4);
    add_secret(tag_word, 0);
    collect_secrets(raw, nonce, len);
    look("open of a forged one", level->name, len);

    sweep_stack();
    sealane_key_wipe(&key);
    capture(found);
    collect_secrets(raw, nonce, len);
    look("key wipe", level->name, len);
}

static void extended(const struct level *level, size_t len)
{
    struct rng rng = {len + 777};
    const uint32_t found = sealane_cpu_found();
    uint8_t raw[32], nonce[24], aad[13], tag[16];
    int err;

    rng_fill(&rng, raw, 32);
    rng_fill(&rng, nonce, 24);
    rng_fill(&rng, aad, 13);
    rng_fill(&rng, text, len);
    assert_int_equal(sealane_key_init(&key, raw), 0);

    sweep_stack();
    err = sealane_xseal(&key, nonce, aad, 13, text, len, out, tag);
    capture(found);
    assert_int_equal(err, 0);
    collect_extended_secrets(raw, nonce, len);
    look("xseal", level->name, len);

    sweep_stack();
    err = sealane_xopen(&key, nonce, aad, 13, out, len, tag, text);
    capture(found);
    assert_int_equal(err, 0);
    collect_extended_secrets(raw, nonce, len);
    look("xopen", level->name, len);
    sealane_key_wipe(&key);
}

/* n packets of len bytes, each shorter than the one before by `less`. Every second one has a key of its own
 * to the code, though the same bytes: its words are in the list of secrets as well. */
static void burst(const struct level *level, size_t len, size_t less, size_t n)
{
    struct rng rng = {len + 77};
    const uint32_t found = sealane_cpu_found();
    uint8_t raw[32];
    uint32_t right_tags[32];
    size_t good;

    rng_fill(&rng, raw, 32);
    assert_int_equal(sealane_key_init(&key, raw), 0);
    assert_int_equal(sealane_key_init(&twin, raw), 0);
    for (size_t i = 0; i < n; i++) {
        jobs[i] = (struct sealane_job){.key = i % 2 ? &twin : &key,
                                       .in = job_text[i],
                                       .out = job_text[i],
                                       .tag = job_tags[i],
                                       .len = len - i * less};
        rng_fill(&rng, jobs[i].nonce, 12);
        rng_fill(&rng, job_text[i], len);
    }
    for (int open = 0; open < 2; open++) {
        sweep_stack();
        if (open)
            good = sealane_open_burst(jobs, n);
        else
            good = sealane_seal_burst(jobs, n);
        capture(found);
        assert_int_equal(good, n);
        for (size_t i = 0; i < n; i++)
            collect_secrets(raw, jobs[i].nonce, jobs[i].len);
        look(open ? "open burst" : "seal burst", level->name, len);
    }

    /* The right tags of forged messages are secrets. */
    good = sealane_seal_burst(jobs, n);
    assert_int_equal(good, n);
    for (size_t i = 0; i < n; i++) {
        memcpy(&right_tags[i], job_tags[i], 4);
        job_tags[i][0] ^= 1;
    }
    sweep_stack();
    good = sealane_open_burst(jobs, n);
    capture(found);
    assert_int_equal(good, 0);
    for (size_t i = 0; i < n; i++)
        add_secret(right_tags[i], 0);
    look("open burst of forged ones", level->name, len);
    sealane_key_wipe(&key);
    sealane_key_wipe(&twin);
}

static void nothing_is_left(void **state)
{
    (void)state;
#ifndef __OPTIMIZE__
    print_message("skipped: frames of builds without optimization are larger than what is declared\n");
    skip();
#endif
    for (size_t i = 0; i < N_LEVELS; i++) {
        if (!level_found(&levels[i]))
            continue;
        sealane_cpu_use(levels[i].mask);
        for (size_t k = 0; k < sizeof lens / sizeof lens[0]; k++) {
            single(&levels[i], lens[k], 13, 0);
            single(&levels[i], lens[k], 13, 1);
            single(&levels[i], lens[k], 40, 0);
            extended(&levels[i], lens[k]);
        }
        for (size_t n = 8; n <= sizeof jobs / sizeof jobs[0]; n += 8) { /* each width of lanes */
            burst(&levels[i], 64, 0, n);
            burst(&levels[i], 100, 0, n);
            burst(&levels[i], 256, 0, n);
            burst(&levels[i], 64, 1, n);
            burst(&levels[i], 250, 7, n);
        }
    }
}

#define FILL_ZMM(n) "vpternlogd $255, %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#define FILL_YMM(n) "vpcmpeqd %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
#define FILL_XMM(n) "pcmpeqd %%xmm" #n ", %%xmm" #n "\n\t"

static inline __attribute__((always_inline)) void fill_vectors(uint32_t found)
{
    if (found & SEALANE_CPU_AVX512)
        __asm__ volatile(SIXTEEN(FILL_ZMM) UPPER(FILL_ZMM) : : : "memory");
    else if (found & SEALANE_CPU_AVX2)
        __asm__ volatile(SIXTEEN(FILL_YMM) : : : "memory");
    else
        __asm__ volatile(SIXTEEN(FILL_XMM) : : : "memory");
}

/* Whichever registers the kernels of the day use: the clean-up of each level reaches all that it has. */
static void every_register_is_cleaned(void **state)
{
    static const struct {
        aead_clean *clean;
        uint32_t needs;
        size_t registers, bytes; /* of each */
    } cases[] = {
        {aead_clean_sse2, 0, 16, 16},
        {aead_clean_avx2, SEALANE_CPU_AVX2, 16, 64},
        {aead_clean_avx512vl, SEALANE_CPU_AVX512VL, 32, 64},
        {aead_clean_avx512, SEALANE_CPU_AVX512, 32, 64},
    };
    static const uint8_t zero[64];
    const uint32_t found = sealane_cpu_found();
    uint8_t ones[64];

    (void)state;
    memset(ones, 0xff, sizeof ones);
    for (size_t i = 0; i < 4; i++) {
        if ((found & cases[i].needs) != cases[i].needs)
            continue;
        memset(vectors, 0, sizeof vectors);
        fill_vectors(found);
        capture(found);
        assert_memory_equal(vectors + 64 * (cases[i].registers - 1), ones, 16);
        fill_vectors(found);
        cases[i].clean(0, 512);
        capture(found);
        for (size_t r = 0; r < cases[i].registers; r++)
            assert_memory_equal(vectors + 64 * r, zero, cases[i].bytes);
#ifdef __OPTIMIZE__                    /* else code of this function is in between */
        for (size_t r = 0; r < 9; r++) /* those that a call may change */
            assert_int_equal(registers[r], 0);
#endif
    }
}

/* The search itself finds what is there. */
static void the_search_works(void **state)
{
    uint8_t raw[32], nonce[12] = {0};
    struct rng rng = {5};
    uint32_t words[8];
    int hits = 0;

    (void)state;
    rng_fill(&rng, raw, 32);
    collect_secrets(raw, nonce, 64);
    qsort(secrets, n_secrets, 4, compare_words);
    chacha_load_key(words, raw);
    for (int i = 0; i < 8; i++)
        hits += bsearch(&words[i], secrets, n_secrets, 4, compare_words) != NULL;
    assert_int_equal(hits, 8);
    n_secrets = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_works),
        cmocka_unit_test(every_register_is_cleaned),
        cmocka_unit_test(nothing_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
