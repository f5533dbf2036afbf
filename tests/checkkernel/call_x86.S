/* call_x86.S: call_and_look of call.h. */

	.text
	.globl call_and_look
	.type call_and_look, @function
/* rdi: function, rsi: its arguments, rdx: report */
call_and_look:
	.cfi_startproc
	endbr64
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	subq $56, %rsp
	.cfi_adjust_cfa_offset 56
	movq %rdx, (%rsp)
	movq %rsp, 24(%rsp)
	stmxcsr 8(%rsp)
	fnstcw 12(%rsp)
	movq %rdi, %rax
	movq %rsi, %r10
	movq (%r10), %rdi
	movq 8(%r10), %rsi
	movq 16(%r10), %rdx
	movq 24(%r10), %rcx
	movq 32(%r10), %r8
	movq 40(%r10), %r9
	movabsq $0x1111222233334444, %rbx
	leaq 1(%rbx), %rbp
	leaq 2(%rbx), %r12
	leaq 3(%rbx), %r13
	leaq 4(%rbx), %r14
	leaq 5(%rbx), %r15
	call *%rax

	/* what changed, one bit each, in rax */
	xorl %eax, %eax
	movabsq $0x1111222233334444, %rcx
.macro unchanged register, value, bit
	leaq \value(%rcx), %rdx
	xorq %\register, %rdx
	negq %rdx
	sbbq %rdx, %rdx
	andq $1 << \bit, %rdx
	orq %rdx, %rax
.endm
	unchanged rbx, 0, 0
	unchanged rbp, 1, 1
	unchanged r12, 2, 2
	unchanged r13, 3, 3
	unchanged r14, 4, 4
	unchanged r15, 5, 5
	movq 24(%rsp), %rcx
	unchanged rsp, 0, 6
	pushfq
	popq %rdx
	shrq $3, %rdx
	andq $1 << 7, %rdx
	orq %rdx, %rax
	cld
	movl 8(%rsp), %ecx
	stmxcsr 32(%rsp)
	movl 32(%rsp), %edx
	xorl %ecx, %edx
	andl $0xffc0, %edx /* control bits; the flags of exceptions may change */
	negl %edx
	sbbl %edx, %edx
	andl $1 << 8, %edx
	orq %rdx, %rax
	movzwl 12(%rsp), %ecx
	fnstcw 32(%rsp)
	movzwl 32(%rsp), %edx
	subl %ecx, %edx
	negl %edx
	sbbl %edx, %edx
	andl $1 << 9, %edx
	orq %rdx, %rax

	movq (%rsp), %rdi
	movq %rax, (%rdi)
	cmpq $1, 8(%rdi)
	jb 9f
	ja 8f
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu %ymm\i, 16+64*\i(%rdi)
	.endr
	jmp 9f
8:
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu64 %zmm\i, 16+64*\i(%rdi)
	.endr
9:
	addq $56, %rsp
	.cfi_adjust_cfa_offset -56
	popq %r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore r15
	popq %r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore r14
	popq %r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore r13
	popq %r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore r12
	popq %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	popq %rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size call_and_look, . - call_and_look

	.section .note.GNU-stack, "", @progbits
	.section .note.gnu.property, "a", @note
	.p2align 3
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0
