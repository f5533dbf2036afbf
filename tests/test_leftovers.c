/* test_leftovers.c: what the public calls leave behind on the stack and in vector registers: no word of a
 * key, of a one-time key, or of a subkey. The calls run on a stack of the test's own, with random secrets,
 * and the whole stack is searched afterwards; the registers are stored by XSAVE right behind the call. */
#include "hex.h"
#include "level.h"
#include "rng.h"

#include <string.h>

#include <sealane/sealane.h>

#include "address_word.h"
#include "chacha_reference.h"
#include "own_stack.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define MAX_LEN 4200
#define N_JOBS 40
#define N_SECRETS 40

/* All of the work's data is here, off the stack. */
static struct {
    struct sealane_key key;
    struct sealane_chacha stream;
    struct sealane_poly1305_state message;
    struct sealane_job jobs[N_JOBS];
    uint8_t raw[32], nonce[24], aad[16], plain[MAX_LEN], cipher[MAX_LEN], tag[16], tags[N_JOBS][16];
    uint8_t outs[N_JOBS][256];
    size_t len;
    int errors;
    uint32_t secrets[N_SECRETS]; /* words that must not be found */
    int n_secrets;
    _Alignas(64) uint8_t registers[8192];
} w;

static void add_secret(const uint8_t *bytes, int n_words)
{
    for (int i = 0; i < n_words; i++) {
        assert_true(w.n_secrets < N_SECRETS);
        w.secrets[w.n_secrets++] = reference_word(bytes + 4 * i);
    }
}

/* The first half of a one-time key as Poly1305 clamps it. */
static void add_clamped(const uint8_t *bytes)
{
    uint8_t r[16];

    memcpy(r, bytes, 16);
    for (int i = 3; i < 16; i += 4)
        r[i] &= 15;
    for (int i = 4; i < 16; i += 4)
        r[i] &= 252;
    add_secret(r, 4);
}

static int words_in(const uint8_t *memory, size_t len)
{
    int found = 0;

    for (size_t at = 0; at + 4 <= len; at++) {
        uint32_t word;

        memcpy(&word, memory + at, 4);
        if (word == 0 || address_word(memory, at, len) || address_word(memory, at + 3, len))
            continue;
        for (int i = 0; i < w.n_secrets; i++)
            found += word == w.secrets[i];
    }
    return found;
}

/* Stores all vector registers that this machine has. Always inlined: nothing may run between the call and it.
 */
static inline __attribute__((always_inline)) void store_registers(void)
{
#if defined(__x86_64__)
    uint32_t low = 0xe6, high = 0; /* SSE, AVX, AVX-512; never the control words of x87 */

    __asm__ volatile("xsave64 %0" : "+m"(w.registers) : "a"(low), "d"(high) : "memory");
#endif
}

/* Makes them zero: a thread starts with the registers of the one that made it. */
static inline __attribute__((always_inline)) void clear_registers(void)
{
#if defined(__x86_64__)
    static const struct {
        _Alignas(64) uint32_t words[1024];
    } initial = {.words = {[6] = 0x1f80}}; /* MXCSR; nothing else is taken from here */
    uint32_t low = 0xe6, high = 0;

    __asm__ volatile("xrstor64 %0" : : "m"(initial), "a"(low), "d"(high));
#endif
}

static int has_xsave(void)
{
#if defined(__x86_64__)
    uint32_t a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 27 & 1);
#else
    return 0;
#endif
}

static int use_registers;

/* One call of the library, then the registers. */
#define WORK(name, call)                                                                                     \
    static void *name(void *unused)                                                                          \
    {                                                                                                        \
        if (use_registers)                                                                                   \
            clear_registers();                                                                               \
        w.errors += (call);                                                                                  \
        if (use_registers)                                                                                   \
            store_registers();                                                                               \
        return unused;                                                                                       \
    }

WORK(work_init, sealane_key_init(&w.key, w.raw))
WORK(work_seal, sealane_seal(&w.key, w.nonce, w.aad, 16, w.plain, w.len, w.cipher, w.tag))
WORK(work_open, sealane_open(&w.key, w.nonce, w.aad, 16, w.cipher, w.len, w.tag, w.plain))
WORK(work_xseal, sealane_xseal(&w.key, w.nonce, w.aad, 16, w.plain, w.len, w.cipher, w.tag))
WORK(work_xopen, sealane_xopen(&w.key, w.nonce, w.aad, 16, w.cipher, w.len, w.tag, w.plain))
WORK(work_seal_burst, sealane_seal_burst(w.jobs, N_JOBS) != N_JOBS)
WORK(work_open_burst, sealane_open_burst(w.jobs, N_JOBS) != N_JOBS)
WORK(work_chacha, sealane_chacha20_xor(w.cipher, w.plain, w.len, w.raw, w.nonce, 1))
WORK(work_hchacha, (sealane_hchacha20(w.cipher, w.raw, w.nonce), 0))
WORK(work_chacha_init, sealane_chacha_init(&w.stream, 20, w.raw, w.nonce, 1))
WORK(work_chacha_crypt, sealane_chacha_crypt(&w.stream, w.cipher, w.plain, w.len))
WORK(work_poly1305_init, sealane_poly1305_init(&w.message, w.raw))
WORK(work_poly1305_update, sealane_poly1305_update(&w.message, w.plain, w.len))
WORK(work_poly1305_final, sealane_poly1305_final(&w.message, w.tag))
WORK(work_poly1305, sealane_poly1305(w.tag, w.plain, w.len, w.raw))

/* The negative: a function that leaves its key lying about. */
static void *work_careless(void *unused)
{
    _Alignas(16) volatile uint8_t copy[32];

    for (int i = 0; i < 32; i++)
        copy[i] = w.raw[i];
    w.errors += copy[31] != w.raw[31];
    if (use_registers) {
#if defined(__x86_64__)
        __asm__ volatile("movdqu %0, %%xmm7" : : "m"(w.raw) : "xmm7");
#endif
        store_registers();
    }
    return unused;
}

/* Runs it and returns how many secret words are left in registers and on the stack. */
static int residue(void *(*work)(void *), const char *name)
{
    uint8_t *stack;
    int in_registers, on_stack;

    memset(w.registers, 0, sizeof w.registers);
    w.errors = 0;
    stack = own_stack_run(work, NULL);
    assert_int_equal(w.errors, 0);
    on_stack = words_in(stack, OWN_STACK_SEARCHED);
    in_registers = words_in(w.registers, sizeof w.registers);
    own_stack_free(stack);
    if (on_stack + in_registers != 0)
        print_message("%s, %zu bytes: %d words on the stack, %d in registers\n", name, w.len, on_stack,
                      in_registers);
    return on_stack + in_registers;
}

/* Fresh secrets: the key's words, the one-time key's, raw and clamped, and those of XChaCha20's subkey. */
static void new_secrets(struct rng *rng, int extended)
{
    uint8_t block[64], sub[32], nonce[12] = {0};

    rng_fill(rng, w.raw, sizeof w.raw);
    rng_fill(rng, w.nonce, sizeof w.nonce);
    rng_fill(rng, w.plain, sizeof w.plain);
    w.n_secrets = 0;
    add_secret(w.raw, 8);
    if (extended) {
        sealane_hchacha20(sub, w.raw, w.nonce);
        add_secret(sub, 8);
        memcpy(nonce + 4, w.nonce + 16, 8);
        reference_block(block, 20, sub, nonce, 0);
    } else {
        reference_block(block, 20, w.raw, w.nonce, 0);
    }
    add_secret(block, 8);
    add_clamped(block);
    add_clamped(w.raw);
}

static const size_t lens[] = {0, 1, 16, 64, 65, 128, 192, 256, 320, 512, 700, 1024, 1420, 1500, 2048, 4100};

#define N_LENS (sizeof lens / sizeof lens[0])

static void search_works(void **unused)
{
    struct rng rng = {1};

    (void)unused;
    new_secrets(&rng, 0);
    assert_true(residue(work_careless, "careless") >= (use_registers ? 12 : 8));
}

static void one_message(void **unused)
{
    struct rng rng = {2};
    int left = 0;

    (void)unused;
    for (size_t i = 0; i < N_LENS; i++) {
        w.len = lens[i];
        new_secrets(&rng, 0);
        left += residue(work_init, "key_init");
        left += residue(work_seal, "seal");
        left += residue(work_open, "open");
    }
    assert_int_equal(left, 0);
}

static void one_extended_message(void **unused)
{
    struct rng rng = {3};
    int left = 0;

    (void)unused;
    for (size_t i = 0; i < N_LENS; i++) {
        w.len = lens[i];
        new_secrets(&rng, 1);
        left += residue(work_init, "key_init");
        left += residue(work_xseal, "xseal");
        left += residue(work_xopen, "xopen");
    }
    assert_int_equal(left, 0);
}

static void burst(void **unused)
{
    struct rng rng = {4};
    int left = 0;

    (void)unused;
    for (size_t len = 0; len <= 256; len += 32) {
        new_secrets(&rng, 0);
        w.len = len;
        left += residue(work_init, "key_init");
        for (int i = 0; i < N_JOBS; i++) {
            w.jobs[i] = (struct sealane_job){
                .key = &w.key, .in = w.plain, .out = w.outs[i], .tag = w.tags[i], .len = len};
            memcpy(w.jobs[i].nonce, w.nonce, 12);
            w.jobs[i].nonce[0] = (uint8_t)(w.nonce[0] + i); /* job 0's one-time key is among the secrets */
        }
        left += residue(work_seal_burst, "seal_burst");
        for (int i = 0; i < N_JOBS; i++)
            w.jobs[i].in = w.outs[i];
        left += residue(work_open_burst, "open_burst");
    }
    assert_int_equal(left, 0);
}

static void cipher_and_authenticator(void **unused)
{
    struct rng rng = {5};
    int left = 0;

    (void)unused;
    for (size_t i = 0; i < N_LENS; i++) {
        w.len = lens[i];
        new_secrets(&rng, 1);
        left += residue(work_hchacha, "hchacha20");
        new_secrets(&rng, 0);
        left += residue(work_chacha, "chacha20_xor");
        left += residue(work_chacha_init, "chacha_init");
        left += residue(work_chacha_crypt, "chacha_crypt");
        left += residue(work_poly1305_init, "poly1305_init");
        left += residue(work_poly1305_update, "poly1305_update");
        if (w.len != 0)
            left += residue(work_poly1305_final, "poly1305_final");
        if (w.len != 0) /* the tag of the empty message is the key's second half */
            left += residue(work_poly1305, "poly1305");
    }
    assert_int_equal(left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_works),
        cmocka_unit_test(one_message),
        cmocka_unit_test(one_extended_message),
        cmocka_unit_test(burst),
        cmocka_unit_test(cipher_and_authenticator),
    };

#ifndef __OPTIMIZE__
    print_message("skipped: frames of builds without optimization are larger than what is declared\n");
    return 77;
#endif
    level_from_environment();
    use_registers = SEALANE_X86 && has_xsave(); /* portable code cannot clean registers */
    if (!use_registers)
        print_message("no kernels or no XSAVE here: the stack alone is searched\n");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
