/* chacha_ssse3.S: ChaCha, 4 blocks in xmm registers: the operations of chacha_narrow.inc in SSSE3. Reached through the
 * ladder of src/chacha. */
#include "asm.inc"

	asm_arch ssse3

#include "narrow_ssse3.inc"

#include "chacha_narrow.inc"

	narrow_kernel chacha_xor_from2blocks_ssse3

	narrow_rodata
	asm_end_of_file
