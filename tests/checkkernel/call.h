/* call.h: calls a kernel through a frame that looks at what the ABI says about registers (System V x86-64):
 * those of the caller come back, the direction flag is clear, MXCSR and the x87 control word are as they
 * were, and no upper half of a ymm or zmm register 0 .. 15 is left in use (vzeroupper). Elsewhere than on
 * x86-64 it just calls. */
#ifndef CHECKKERNEL_CALL_H
#define CHECKKERNEL_CALL_H

#include <stddef.h>
#include <stdint.h>

/* A function of up to six pointers and integers, seen as any function. */
typedef void any_function(void);

struct call_report {
    uint64_t changed; /* bit 0 .. 5: rbx, rbp, r12 .. r15; 6: rsp; 7: direction flag; 8: MXCSR; 9: x87 control
                         word */
    uint64_t look_at_vectors; /* in: 0: no AVX, 1: ymm, 2: zmm */
    uint8_t vectors[16][64];  /* out: registers 0 .. 15 */
};

#if defined(__x86_64__)
void call_and_look(any_function *f, const uint64_t args[6], struct call_report *report);
#endif

/* Calls f and fails the test when it breaks a rule. name: the kernel's. */
void call_checked(const char *name, any_function *f, const uint64_t args[6]);

#define ARG(x) (uint64_t)(uintptr_t)(x)

#endif
