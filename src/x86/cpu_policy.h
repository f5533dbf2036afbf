/* cpu_policy.h: from CPUID and XCR0 words to feature bits. A pure function, so that machines which nobody has
 * at hand can be tested. Called by cpu.c; the tests hold the words of real machines. */
#ifndef X86_CPU_POLICY_H
#define X86_CPU_POLICY_H

#include <stdint.h>

#include "cpu_probe.h"

/* What the policy looks at. A word of a leaf above max_leaf is ignored, whatever it holds. */
struct cpu_words {
    uint32_t max_leaf;  /* leaf 0 eax */
    uint32_t signature; /* leaf 1 eax */
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint64_t xcr0; /* register states that the operating system saves; looked at when OSXSAVE is set */
};

struct cpu_probe cpu_policy(const struct cpu_words *w);

#endif
