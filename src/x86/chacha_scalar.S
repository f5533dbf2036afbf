/* chacha_scalar.S: one block of ChaCha (RFC 8439 section 2.4) in general registers, for any x86-64. An addition, an
 * exclusive or and a rotate are one cycle each here; in a vector a rotate is two, and on some CPUs so is all the rest.
 * Reached through the ladder of src/chacha. */
#include "asm.inc"
#include "poly1305_mulx.inc"

	.arch generic64
	.arch .ibt

#define KEYSTREAM 16 /* behind row c */
#define DST 80
#define SRC 88
#define LEN 96
#define STATE 104

/* Words i and i + 1 of the keystream, in registers low and high, to the frame. r14: state. */
.macro scalar_pair i, low, low64, high, high64
	addl 4*\i(%r14), %\low
	addl 4*\i+4(%r14), %\high
	shlq $32, %\high64
	orq %\high64, %\low64
	movq %\low64, KEYSTREAM+4*\i(%rsp)
.endm

/* 1 .. 64 bytes. */
asm_function chacha_xor_1block_scalar
	.irp register, rbx, rbp, r12, r13, r14, r15
	pushq %\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endr
	subq $120, %rsp
	.cfi_adjust_cfa_offset 120
	movq %rdi, DST(%rsp)
	movq %rsi, SRC(%rsp)
	movq %rdx, LEN(%rsp)
	movq %rcx, STATE(%rsp)
	movl %r8d, %ebp
	movq %rcx, %r14
	chacha_scalar_load r14
	movl 48(%r14), %r10d
	.p2align 5
1:	.irp step, 0, 1, 2, 3, 4, 5, 6, 7
	chacha_scalar_step \step
	.endr
	subl $2, %ebp
	jnz 1b
	movq STATE(%rsp), %r14
	scalar_pair 0, eax, rax, ebx, rbx
	scalar_pair 2, ecx, rcx, edx, rdx
	scalar_pair 4, esi, rsi, edi, rdi
	scalar_pair 6, r8d, r8, r9d, r9
	scalar_pair 12, r10d, r10, r11d, r11
	scalar_pair 14, r12d, r12, r13d, r13
	movl (%rsp), %eax
	movl 4(%rsp), %ebx
	movl 8(%rsp), %ecx
	movl 12(%rsp), %edx
	scalar_pair 8, eax, rax, ebx, rbx
	scalar_pair 10, ecx, rcx, edx, rdx

	movq DST(%rsp), %rdi
	movq SRC(%rsp), %rsi
	movq LEN(%rsp), %rdx
	leaq KEYSTREAM(%rsp), %r9
	subq $8, %rdx
	jb 3f
2:	movq (%rsi), %rax
	xorq (%r9), %rax
	movq %rax, (%rdi)
	addq $8, %rsi
	addq $8, %rdi
	addq $8, %r9
	subq $8, %rdx
	jae 2b
3:	addq $8, %rdx
	jz 5f
4:	movzbl (%rsi), %eax
	xorb (%r9), %al
	movb %al, (%rdi)
	incq %rsi
	incq %rdi
	incq %r9
	decq %rdx
	jnz 4b
5:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pxor %xmm\i, %xmm\i /* the caller's: the key came through them */
	.endr
	xorl %eax, %eax
	xorl %ecx, %ecx
	xorl %r8d, %r8d
	xorl %r10d, %r10d
	xorl %r11d, %r11d
	.irp i, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72
	movq %rax, \i(%rsp)
	.endr
	addq $120, %rsp
	.cfi_adjust_cfa_offset -120
	.irp register, r15, r14, r13, r12, rbp, rbx
	popq %\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endr
	ret
asm_end chacha_xor_1block_scalar

	asm_end_of_file
