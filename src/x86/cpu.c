/* cpu.c: which SEALANE_CPU_ bits this CPU and operating system allow, and which of them keys use when nobody
 * chose. Called once, by src/base/cpu.c. */
#include "cpu_policy.h"

#include <cpuid.h>

#include <sealane/cpu.h>

#define ECX1_SSSE3 (UINT32_C(1) << 9)
#define ECX1_XSAVE (UINT32_C(1) << 26)
#define ECX1_OSXSAVE (UINT32_C(1) << 27)
#define ECX1_AVX (UINT32_C(1) << 28)
#define EBX7_AVX2 (UINT32_C(1) << 5)
#define EBX7_BMI2 (UINT32_C(1) << 8)
#define EBX7_AVX512F (UINT32_C(1) << 16)
#define EBX7_AVX512DQ (UINT32_C(1) << 17)
#define EBX7_IFMA (UINT32_C(1) << 21)
#define EBX7_AVX512BW (UINT32_C(1) << 30)
#define EBX7_AVX512VL (UINT32_C(1) << 31)
#define XCR0_YMM UINT64_C(0x06) /* xmm and the upper halves of ymm */
#define XCR0_ZMM UINT64_C(0xe6) /* those, mask registers, the upper halves of zmm, zmm16 .. zmm31 */

static int has(uint64_t word, uint64_t bits)
{
    return (word & bits) == bits;
}

/* Intel CPUs that lower the clock of the whole core for a while after a 512-bit instruction: what zmm gains
 * in a packet the rest of the program loses. They keep to ymm unless the user asks for zmm. */
static int slows_down_for_zmm(uint32_t signature)
{
    uint32_t family = signature >> 8 & 15;
    uint32_t model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);

    if (family != 6)
        return 0;
    switch (model) {
    case 0x55: /* Skylake-X, Cascade Lake, Cooper Lake */
    case 0x66: /* Cannon Lake */
    case 0x6a: /* Ice Lake server */
    case 0x6c:
    case 0x7d: /* Ice Lake client */
    case 0x7e:
    case 0x9d:
    case 0x8c: /* Tiger Lake */
    case 0x8d:
        return 1;
    default:
        return 0;
    }
}

/* Each feature counts only with those below it, so that a level is a prefix of this ladder. */
static uint32_t features(const struct cpu_words *w)
{
    uint32_t found = 0;

    if (w->max_leaf < 1 || !has(w->leaf1_ecx, ECX1_SSSE3))
        return found;
    found |= SEALANE_CPU_SSSE3;
    if (w->max_leaf < 7 || !has(w->leaf1_ecx, ECX1_AVX | ECX1_XSAVE | ECX1_OSXSAVE) ||
        !has(w->xcr0, XCR0_YMM) || !has(w->leaf7_ebx, EBX7_AVX2))
        return found;
    found |= SEALANE_CPU_AVX2;
    if (has(w->leaf7_ebx, EBX7_BMI2))
        found |= SEALANE_CPU_BMI2;
    if (!has(w->xcr0, XCR0_ZMM) ||
        !has(w->leaf7_ebx, EBX7_AVX512F | EBX7_AVX512DQ | EBX7_AVX512BW | EBX7_AVX512VL))
        return found;
    found |= SEALANE_CPU_AVX512VL | SEALANE_CPU_AVX512;
    if (has(w->leaf7_ebx, EBX7_IFMA))
        found |= SEALANE_CPU_IFMA;
    return found;
}

struct cpu_probe cpu_policy(const struct cpu_words *w)
{
    struct cpu_probe p = {.found = features(w)};

    p.defaults = slows_down_for_zmm(w->signature) ? p.found & ~SEALANE_CPU_AVX512 : p.found;
    return p;
}

/* XGETBV of register 0; only where OSXSAVE is set. */
static uint64_t read_xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

struct cpu_probe cpu_probe(void)
{
    struct cpu_words w = {0};
    uint32_t a, b, c, d;

    __cpuid(0, w.max_leaf, b, c, d);
    __cpuid(1, w.signature, b, w.leaf1_ecx, d);
    if (w.max_leaf >= 7)
        __cpuid_count(7, 0, a, w.leaf7_ebx, c, d);
    if (has(w.leaf1_ecx, ECX1_OSXSAVE))
        w.xcr0 = read_xcr0();
    return cpu_policy(&w);
}
