/* aead_ssse3.S: the instance of aead_columns.inc for xmm registers, and Poly1305 blocks with nothing beside them.
 * Called by aead_ssse3.c, the latter by aead_avx2.c too. */
#include "asm.inc"

asm_arch ssse3

#include "narrow_ssse3.inc"

#define COLUMNS_MAC 2
#include "aead_columns.inc"

columns_first_function aead_first_columns4_ssse3, aead_end_columns4_ssse3
columns_end_function aead_end_columns4_ssse3
columns_function aead_sweep_columns4_ssse3, aead_end_columns4_ssse3

/* POLY1305_BLOCKS_KERNEL: p, msg, len. */
asm_function aead_mac_blocks
	asm_push rbx
	asm_push r12
	asm_push r13
	asm_push r14
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	movq %rsi, %r14
	leaq (%rsi, %rdx), %rsi
	mac_load rdi, 0
	.p2align 5
1:	mac_block 0
	addq $16, %r14
	cmpq %rsi, %r14
	jne 1b
	popq %rdi
	.cfi_adjust_cfa_offset -8
	mac_store rdi, 0
	asm_pop r14
	asm_pop r13
	asm_pop r12
	asm_pop rbx
	ret
asm_end aead_mac_blocks

poly1305_mulx_rodata
narrow_rodata
asm_end_of_file
