/* secret_leave.c: the way out of the cipher's and the authenticator's calls, see secret.h: that of the AEAD's
 * suites, chosen by what this CPU has, for nothing else is known of the kernels that ran. */
#include "secret.h"

#include <sealane/cpu.h>

#include "aead_kernels.h"

void secret_leave(size_t stack)
{
    const uint32_t cpu = sealane_cpu_found();

    if (cpu & SEALANE_CPU_AVX512)
        aead_clean_avx512(0, stack);
    else if (cpu & SEALANE_CPU_AVX512VL)
        aead_clean_avx512vl(0, stack);
    else if (cpu & SEALANE_CPU_AVX2)
        aead_clean_avx2(0, stack);
    else
        aead_clean_sse2(0, stack);
}
