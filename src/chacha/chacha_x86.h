/* chacha_x86.h: the ChaCha kernels that src/x86 implements (contract: chacha_kernels.h), for the ladder and
 * for the tests. Each is named by the lengths that it serves, in blocks: "5to8blocks"; "from2blocks" any
 * length from there on; "8blocks" multiples of that. */
#ifndef CHACHA_X86_H
#define CHACHA_X86_H

#include "chacha_kernels.h"

#if SEALANE_ASM
CHACHA_KERNEL(chacha_xor_1block_scalar);

CHACHA_KERNEL(chacha_xor_from2blocks_ssse3);

CHACHA_KERNEL(chacha_xor_from2blocks_avx2);

CHACHA_KERNEL(chacha_xor_1block_avx512vl);
CHACHA_KERNEL(chacha_xor_2to4blocks_avx512vl);
CHACHA_KERNEL(chacha_xor_5to8blocks_avx512vl);
CHACHA_KERNEL(chacha_xor_9to16blocks_avx512vl);
CHACHA_KERNEL(chacha_xor_16blocks_avx512vl);

CHACHA_KERNEL(chacha_xor_9to16blocks_avx512);
CHACHA_KERNEL(chacha_xor_17to24blocks_avx512);
CHACHA_KERNEL(chacha_xor_25to32blocks_avx512);
CHACHA_KERNEL(chacha_xor_32blocks_avx512);
#else
CHACHA_KERNEL(chacha_xor_1to4blocks_ssse3);
CHACHA_KERNEL(chacha_xor_4blocks_ssse3);

CHACHA_KERNEL(chacha_xor_1to8blocks_avx2);
CHACHA_KERNEL(chacha_xor_8blocks_avx2);

CHACHA_KERNEL(chacha_xor_1to8blocks_avx512vl);
CHACHA_KERNEL(chacha_xor_8blocks_avx512vl);

CHACHA_KERNEL(chacha_xor_1to16blocks_avx512);
CHACHA_KERNEL(chacha_xor_16blocks_avx512);
#endif

#endif
