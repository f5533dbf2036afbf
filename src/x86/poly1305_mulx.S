/* poly1305_mulx.S: whole blocks of Poly1305 (RFC 8439 section 2.5) with mulx, for short messages. Called by
 * poly1305_bmi2.c and the fused AEAD kernels. */
#include "asm.inc"
#include "poly1305_mulx.inc"

asm_arch bmi2

/* void poly1305_mulx_blocks(struct poly1305_core *p, const uint8_t *msg, size_t len): len > 0, whole blocks. The macros
 * multiply first and add a block behind, so h starts as h + b0 and is multiplied once more at the end. */
asm_function poly1305_mulx_blocks
	asm_push rbx
	asm_push r12
	asm_push r13
	asm_push r14
	pushq %rdi
	.cfi_adjust_cfa_offset 8
	leaq (%rsi, %rdx), %r14
	subq $16, %r14 /* the last block */
	movq 24(%rdi), %r8
	movq 32(%rdi), %r9
	movq %r9, %r10
	shrq $2, %r10
	addq %r9, %r10
	movq (%rdi), %rax
	movq 8(%rdi), %rbx
	movq 16(%rdi), %r11
	addq (%rsi), %rax
	adcq 8(%rsi), %rbx
	adcq $1, %r11
	subq $16, %rdx
	testq $16, %rdx
	jz 2f
	/* an even number of blocks: one by itself */
	addq $16, %rsi
	poly1305_mulx_first rsi, 0
	movq %rcx, %rax
	movq %r12, %rbx
	jmp 2f
	.p2align 5
1:	poly1305_mulx_first rsi, 16
	poly1305_mulx_second rsi, 32
	addq $32, %rsi
2:	cmpq %r14, %rsi
	jb 1b
	poly1305_mulx_multiply rax, rbx, rcx, r12
	popq %rdi
	.cfi_adjust_cfa_offset -8
	movq %rcx, (%rdi)
	movq %r12, 8(%rdi)
	movq %r11, 16(%rdi)
	asm_pop r14
	asm_pop r13
	asm_pop r12
	asm_pop rbx
	ret
asm_end poly1305_mulx_blocks

poly1305_mulx_rodata
asm_end_of_file
