/* aead_ssse3.S: the instance of aead_columns.inc for xmm registers, and Poly1305 blocks with nothing beside them.
 * Called by aead_ssse3.c, the latter by aead_avx2.c too. */
#include "asm.inc"

#define VEC_LEN 16
#define COLUMNS_MAC 2
#include "aead_columns.inc"

asm_arch ssse3

.macro v_add d, s
	paddd %xmm\s, %xmm\d
.endm

.macro v_xor d, s
	pxor %xmm\s, %xmm\d
.endm

.macro v_bytes d, m:vararg
	pshufb \m, %xmm\d
.endm

.macro v_rotate d, t, n
	movdqa %xmm\d, %xmm\t
	pslld $\n, %xmm\t
	psrld $32-\n, %xmm\d
	por %xmm\t, %xmm\d
.endm

.macro v_set1 d, m:vararg
	movd \m, %xmm\d
	pshufd $0, %xmm\d, %xmm\d
.endm

.macro v_load d, m:vararg
	movdqa \m, %xmm\d
.endm

.macro v_store s, m:vararg
	movdqa %xmm\s, \m
.endm

.macro v_iota d
	paddd .Liota(%rip), %xmm\d
.endm

.macro v_end
.endm

.macro v_transpose a, b, c, d, t, u
	movdqa %xmm\a, %xmm\t
	punpckldq %xmm\b, %xmm\t
	punpckhdq %xmm\b, %xmm\a
	movdqa %xmm\c, %xmm\u
	punpckldq %xmm\d, %xmm\u
	punpckhdq %xmm\d, %xmm\c
	movdqa %xmm\t, %xmm\b
	punpcklqdq %xmm\u, %xmm\b
	movdqa %xmm\t, %xmm\d
	punpckhqdq %xmm\u, %xmm\d
	movdqa %xmm\a, %xmm\t
	punpcklqdq %xmm\c, %xmm\t
	punpckhqdq %xmm\c, %xmm\a
	movdqa %xmm\a, %xmm\c
.endm

/* Bytes `at` of block i are in v_i, the sixteen behind them in w_i; scratch: 0. */
.macro columns_out at, v0, v1, v2, v3, w0, w1, w2, w3
	columns_out1 \at, 0, \v0, \w0
	columns_out1 \at, 1, \v1, \w1
	columns_out1 \at, 2, \v2, \w2
	columns_out1 \at, 3, \v3, \w3
.endm

.macro columns_out1 at, block, v, w
	movdqu 64*\block+\at(%rsi), %xmm0
	pxor %xmm0, %xmm\v
	movdqu 64*\block+\at+16(%rsi), %xmm0
	pxor %xmm0, %xmm\w
	movdqu %xmm\v, 64*\block+\at(%rdi)
	movdqu %xmm\w, 64*\block+\at+16(%rdi)
.endm

columns_function aead_sweep_columns4_ssse3

/* POLY1305_BLOCKS_KERNEL: p, msg, len. */
asm_function aead_mac_blocks
	pushq %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	pushq %r12
	.cfi_def_cfa_offset 24
	.cfi_offset r12, -24
	pushq %r13
	.cfi_def_cfa_offset 32
	.cfi_offset r13, -32
	pushq %r14
	.cfi_def_cfa_offset 40
	.cfi_offset r14, -40
	pushq %rdi
	.cfi_def_cfa_offset 48
	movq %rsi, %r14
	leaq (%rsi, %rdx), %rsi
	mac_load rdi, 0
	.p2align 5
1:	mac_block 0
	addq $16, %r14
	cmpq %rsi, %r14
	jne 1b
	popq %rdi
	.cfi_def_cfa_offset 40
	mac_store rdi, 0
	popq %r14
	.cfi_def_cfa_offset 32
	popq %r13
	.cfi_def_cfa_offset 24
	popq %r12
	.cfi_def_cfa_offset 16
	popq %rbx
	.cfi_def_cfa_offset 8
	ret
asm_end aead_mac_blocks

	.section .rodata
	.p2align 4
.Lrotate16:
	.byte 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
.Lrotate8:
	.byte 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14
.Liota:
	.long 0, 1, 2, 3
asm_end_of_file
