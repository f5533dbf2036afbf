/* aead_clean.h: the way out of seal, open and bursts, once for each width of register (contract:
 * aead_kernels.h). Included by aead_clean_*.c, which define CLEAN_NAME, CLEAN_VEC, CLEAN_ZERO, CLEAN_STORE(p,
 * zero) and CLEAN_REGISTERS. */
#include "aead_kernels.h"

#include <assert.h>
#include <immintrin.h>

#include "secret.h"

/* Not inlined, and called by whoever called the kernels, so that area lies where their frames lay. General
 * registers are those that a call may change: the others hold what they held before. */
__attribute__((noinline)) void CLEAN_NAME(size_t skip, size_t stack)
{
    const CLEAN_VEC zero = CLEAN_ZERO;
    uint8_t area[AEAD_STACK_MAX];
    uint8_t *top = area + sizeof area - skip, *end = top - stack;
    uint8_t *p = (uint8_t *)((uintptr_t)top & ~(uintptr_t)(sizeof zero - 1));

    assert(stack >= 2 * sizeof zero && skip + stack <= sizeof area);
    CLEAN_STORE(top - sizeof zero, zero);
    for (; p - sizeof zero > end; p -= sizeof zero) {
        CLEAN_STORE(p - sizeof zero, zero);
        SECRET_KEEP_STORES(p); /* no memset, whose frame is not priced */
    }
    CLEAN_STORE(end, zero);
    __asm__ volatile(CLEAN_REGISTERS "xorl %%eax, %%eax\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\t"
                                     "xorl %%esi, %%esi\n\txorl %%edi, %%edi\n\txorl %%r8d, %%r8d\n\t"
                                     "xorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d"
                     :
                     : "r"(area)
                     : "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0",
                       "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                       "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
