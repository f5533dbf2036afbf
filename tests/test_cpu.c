/* test_cpu.c: the policy of src/x86/cpu.c over the CPUID words of real machines (public dumps), each also
 * under an operating system that left AVX-512 or AVX off, under a hypervisor that hides XSAVE, and under one
 * that masks IFMA alone; then the mask of cpu.h. */
#include "hex.h"

#include <sealane/cpu.h>

#include "cpu_policy.h"

#define SSSE3 SEALANE_CPU_SSSE3
#define AVX2 (SSSE3 | SEALANE_CPU_AVX2 | SEALANE_CPU_BMI2)
#define AVX512 (AVX2 | SEALANE_CPU_AVX512VL | SEALANE_CPU_AVX512)
#define IFMA SEALANE_CPU_IFMA
#define ZMM SEALANE_CPU_AVX512

static const struct machine {
    const char *name;
    uint32_t max_leaf, signature, leaf1_ecx, leaf7_ebx, known; /* known: leaf 0xD eax, what XCR0 may hold */
    uint32_t found, defaults;
} machines[] = {
    {"Conroe", 0x0a, 0x000006f6, 0x0000e3bd, 0x00000000, 0x000, SSSE3, SSSE3},
    {"Sandy Bridge", 0x0d, 0x000206a7, 0x1fbae3ff, 0x00000000, 0x007, SSSE3, SSSE3},
    {"Haswell", 0x0d, 0x000306c3, 0x7ffafbff, 0x000027ab, 0x007, AVX2, AVX2},
    {"Skylake client", 0x16, 0x000406e3, 0x7ffafbbf, 0x029c67af, 0x01f, AVX2, AVX2},
    {"Skylake-X", 0x16, 0x00050654, 0x7ffefbbf, 0xd39ffffb, 0x0ff, AVX512, AVX512 - ZMM},
    {"Cascade Lake-SP", 0x16, 0x00050657, 0x7ffefbff, 0xd39ffffb, 0x2ff, AVX512, AVX512 - ZMM},
    {"Knights Landing", 0x0d, 0x00050671, 0x7ff8f39f, 0x1c0d23ab, 0x0e7, AVX2, AVX2},
    {"Cannon Lake", 0x16, 0x00060663, 0x7ffafbbf, 0xf2bf67eb, 0x2ff, AVX512 | IFMA, (AVX512 | IFMA) - ZMM},
    {"Ice Lake server", 0x1b, 0x000606a6, 0x7ffefbff, 0xf3bfbfff, 0x2e7, AVX512 | IFMA,
     (AVX512 | IFMA) - ZMM},
    {"Ice Lake-D", 0x1b, 0x000606c1, 0xfffaf387, 0xf3bfbfb9, 0x0e7, AVX512 | IFMA, (AVX512 | IFMA) - ZMM},
    {"Ice Lake client", 0x1b, 0x000706e5, 0x7ffafbbf, 0xf2bf27ef, 0x2e7, AVX512 | IFMA,
     (AVX512 | IFMA) - ZMM},
    {"Tiger Lake", 0x1b, 0x000806c1, 0x7ffafbbf, 0xf3bfa7eb, 0x2e7, AVX512 | IFMA, (AVX512 | IFMA) - ZMM},
    {"Tiger Lake-H", 0x1b, 0x000806d1, 0x7ffafbbf, 0xf3bfa7eb, 0x2e7, AVX512 | IFMA, (AVX512 | IFMA) - ZMM},
    {"Rocket Lake", 0x1b, 0x000a0671, 0x7ffafbbf, 0xf2bf67eb, 0x2ff, AVX512 | IFMA, AVX512 | IFMA},
    {"Alder Lake", 0x20, 0x000906a3, 0x7ffafbff, 0x239ca7eb, 0x207, AVX2, AVX2},
    {"Alder Lake with AVX-512", 0x20, 0x00090672, 0x7ffafbff, 0xf3bfa7eb, 0x2e7, AVX512 | IFMA,
     AVX512 | IFMA},
    {"Sapphire Rapids", 0x20, 0x000806f8, 0x7ffefbff, 0xf3bfbffb, 0x602e7, AVX512 | IFMA, AVX512 | IFMA},
    {"Granite Rapids", 0x24, 0x000a06d1, 0x7ffefbff, 0xf3bfbffb, 0x602e7, AVX512 | IFMA, AVX512 | IFMA},
    {"Arrow Lake", 0x23, 0x000c0662, 0x7ffafbff, 0x239ca7eb, 0x207, AVX2, AVX2},
    {"Zen 2", 0x10, 0x00870f10, 0x7ed8320b, 0x219c91a9, 0x207, AVX2, AVX2},
    {"Zen 3", 0x10, 0x00a20f10, 0x7ed8320b, 0x219c97a9, 0x207, AVX2, AVX2},
    {"Zen 4", 0x10, 0x00a60f12, 0x7ef8320b, 0xf1bf97a9, 0x2e7, AVX512 | IFMA, AVX512 | IFMA},
    {"Zen 5 server", 0x10, 0x00b00f21, 0x7efa320b, 0xf1bf97ab, 0x2e7, AVX512 | IFMA, AVX512 | IFMA},
    {"Zen 5 desktop", 0x10, 0x00b40f40, 0x7ed8320b, 0xf1bf97ab, 0x2e7, AVX512 | IFMA, AVX512 | IFMA},
    {"Zen 5 mobile", 0x10, 0x00b20f40, 0x7ed8320b, 0xf1bf97ab, 0x2e7, AVX512 | IFMA, AVX512 | IFMA},
    /* AVX2 is there, but the dump was taken without OSXSAVE */
    {"Hygon Dhyana", 0x0d, 0x00900f02, 0x74d83209, 0x009c01a9, 0x007, SSSE3, SSSE3},
    {"Hygon Dhyana with OSXSAVE", 0x0d, 0x00900f02, 0x7cd83209, 0x009c01a9, 0x007, AVX2, AVX2},
};

#define N_MACHINES (sizeof machines / sizeof *machines)

/* XCR0 as Linux sets it where it knows everything: 0x3 before AVX, 0x7 before AVX-512, else 0xe7. */
static struct cpu_words words_of(const struct machine *m)
{
    struct cpu_words w = {
        .max_leaf = m->max_leaf,
        .signature = m->signature,
        .leaf1_ecx = m->leaf1_ecx,
        .leaf7_ebx = m->leaf7_ebx,
        .xcr0 = m->known == 0 ? 3 : m->known & 0xe7,
    };

    return w;
}

static void expect(const struct machine *m, const struct cpu_words *w, uint32_t found, uint32_t defaults)
{
    struct cpu_probe p = cpu_policy(w);

    if (p.found != found || p.defaults != defaults)
        fail_msg("%s: found %#x, defaults %#x, expected %#x, %#x", m->name, p.found, p.defaults, found,
                 defaults);
}

static void every_machine(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++) {
        struct cpu_words w = words_of(&machines[i]);

        expect(&machines[i], &w, machines[i].found, machines[i].defaults);
    }
}

/* The operating system left AVX-512 off (0x7), or one of its three state components. */
static void without_avx512_state(void **unused)
{
    static const uint64_t xcr0[] = {0x07, 0x27, 0x47, 0x87, 0x67, 0xa7, 0xc7};

    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++)
        for (size_t k = 0; k < sizeof xcr0 / sizeof *xcr0; k++) {
            struct cpu_words w = words_of(&machines[i]);

            w.xcr0 = xcr0[k];
            expect(&machines[i], &w, machines[i].found & AVX2, machines[i].found & AVX2);
        }
}

/* The operating system left AVX off, with and without the bits above it. */
static void without_avx_state(void **unused)
{
    static const uint64_t xcr0[] = {0x01, 0x03, 0x05, 0xe3, 0xe5};

    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++)
        for (size_t k = 0; k < sizeof xcr0 / sizeof *xcr0; k++) {
            struct cpu_words w = words_of(&machines[i]);

            w.xcr0 = xcr0[k];
            expect(&machines[i], &w, SSSE3, SSSE3);
        }
}

/* XCR0 must not be believed (nor read) where OSXSAVE is clear. */
static void xsave_hidden(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++) {
        struct cpu_words w = words_of(&machines[i]);

        w.leaf1_ecx &= ~(UINT32_C(3) << 26);
        w.xcr0 = 0xe7;
        expect(&machines[i], &w, SSSE3, SSSE3);
        w.leaf1_ecx |= UINT32_C(1) << 26; /* the CPU has XSAVE, the operating system does not use it */
        expect(&machines[i], &w, SSSE3, SSSE3);
    }
}

static void ifma_masked(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++) {
        struct cpu_words w = words_of(&machines[i]);

        w.leaf7_ebx &= ~(UINT32_C(1) << 21);
        expect(&machines[i], &w, machines[i].found & ~IFMA, machines[i].defaults & ~IFMA);
    }
}

/* Each of F, DQ, BW and VL is needed; so is AVX for AVX2, and SSSE3 for anything. */
static void parts_masked(void **unused)
{
    static const int avx512_bits[] = {16, 17, 30, 31};

    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++) {
        struct cpu_words w;

        for (size_t k = 0; k < 4; k++) {
            w = words_of(&machines[i]);
            w.leaf7_ebx &= ~(UINT32_C(1) << avx512_bits[k]);
            expect(&machines[i], &w, machines[i].found & AVX2, machines[i].found & AVX2);
        }
        w = words_of(&machines[i]);
        w.leaf1_ecx &= ~(UINT32_C(1) << 28);
        expect(&machines[i], &w, SSSE3, SSSE3);
        w = words_of(&machines[i]);
        w.leaf7_ebx &= ~(UINT32_C(1) << 5);
        expect(&machines[i], &w, SSSE3, SSSE3);
        w = words_of(&machines[i]);
        w.leaf1_ecx &= ~(UINT32_C(1) << 9);
        expect(&machines[i], &w, 0, 0);
    }
}

/* Intel CPUs answer a leaf that they do not know with the words of the highest that they know. */
static void leaf_too_high(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_MACHINES; i++) {
        struct cpu_words w = words_of(&machines[i]);

        w.max_leaf = 6;
        expect(&machines[i], &w, SSSE3, SSSE3);
        w.max_leaf = 0;
        expect(&machines[i], &w, 0, 0);
    }
}

static void mask_of_used(void **unused)
{
    const uint32_t found = sealane_cpu_found();
    static const uint32_t masks[] = {0,
                                     SEALANE_LEVEL_PORTABLE,
                                     SEALANE_LEVEL_SSSE3,
                                     SEALANE_LEVEL_AVX2,
                                     SEALANE_LEVEL_AVX512VL,
                                     SEALANE_LEVEL_AVX512,
                                     SEALANE_LEVEL_AVX512 & ~SEALANE_CPU_IFMA,
                                     UINT32_MAX};

    (void)unused;
    assert_int_equal(sealane_cpu_used() & ~found, 0);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        sealane_cpu_use(masks[i]);
        assert_int_equal(sealane_cpu_used(), found & masks[i]);
        assert_int_equal(sealane_cpu_found(), found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine),     cmocka_unit_test(without_avx512_state),
        cmocka_unit_test(without_avx_state), cmocka_unit_test(xsave_hidden),
        cmocka_unit_test(ifma_masked),       cmocka_unit_test(parts_masked),
        cmocka_unit_test(leaf_too_high),     cmocka_unit_test(mask_of_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
