/* cpu.h: what this CPU can do, and what the next key makes use of.
 *
 * Kernels are chosen when a key is made and stay with it, so keys of different levels live side by side. All
 * calls here may be made from any thread at any time. */
#ifndef SEALANE_CPU_H
#define SEALANE_CPU_H

#include <stdint.h>

#include <sealane/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Features, as far as CPU and operating system both allow them. */
#define SEALANE_CPU_SSSE3 UINT32_C(0x01)
#define SEALANE_CPU_AVX2 UINT32_C(0x02)
#define SEALANE_CPU_BMI2 UINT32_C(0x04)
#define SEALANE_CPU_AVX512VL UINT32_C(0x08) /* F, DQ, BW and VL, used in ymm registers only */
#define SEALANE_CPU_AVX512 UINT32_C(0x10)   /* the same in zmm registers */
#define SEALANE_CPU_IFMA UINT32_C(0x20)
/* No feature at all. For struct sealane_keys.cpu, where 0 means "as sealane_cpu_used()". */
#define SEALANE_CPU_NONE UINT32_C(0x80000000)

/* Levels: masks for sealane_cpu_use(). Each holds all below it, BMI2 and IFMA where they belong. */
#define SEALANE_LEVEL_PORTABLE UINT32_C(0)
#define SEALANE_LEVEL_SSSE3 SEALANE_CPU_SSSE3
#define SEALANE_LEVEL_AVX2 (SEALANE_LEVEL_SSSE3 | SEALANE_CPU_AVX2 | SEALANE_CPU_BMI2)
#define SEALANE_LEVEL_AVX512VL (SEALANE_LEVEL_AVX2 | SEALANE_CPU_AVX512VL | SEALANE_CPU_IFMA)
#define SEALANE_LEVEL_AVX512 (SEALANE_LEVEL_AVX512VL | SEALANE_CPU_AVX512)

/* Feature bits that CPU and operating system allow. 0 on machines without kernels of their own. */
SEALANE_API uint32_t sealane_cpu_found(void);

/* Feature bits that the next key takes: found & mask. */
SEALANE_API uint32_t sealane_cpu_used(void);

/* Sets the mask, any value. It starts as all features, less SEALANE_CPU_AVX512 on CPUs that lower their clock
 * for zmm registers; sealane_cpu_use(SEALANE_LEVEL_AVX512) opts into them there. Keys that exist keep theirs.
 */
SEALANE_API void sealane_cpu_use(uint32_t mask);

#ifdef __cplusplus
}
#endif
#endif
