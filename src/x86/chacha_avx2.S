/* chacha_avx2.S: ChaCha, 8 blocks in ymm registers: the operations of chacha_narrow.inc in AVX2. Reached through the
 * ladder of src/chacha. */
#include "asm.inc"

	asm_arch avx2

#include "narrow_avx2.inc"

#include "chacha_narrow.inc"

	narrow_kernel chacha_xor_from2blocks_avx2

	narrow_rodata
	asm_end_of_file
