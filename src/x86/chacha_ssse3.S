/* chacha_ssse3.S: ChaCha, 4 blocks in xmm registers: the operations of chacha_narrow.inc in SSSE3. Reached through the
 * ladder of src/chacha and, the bare keystream, from chacha_ssse3.c. */
#include "asm.inc"

	asm_arch ssse3

#define BYTES 16

.macro n_add p, q
	paddd %xmm\q, %xmm\p
.endm

.macro n_xor p, q
	pxor %xmm\q, %xmm\p
.endm

.macro n_rol p, bits, t
	.if \bits == 16
	pshufb .Lrol16(%rip), %xmm\p
	.elseif \bits == 8
	pshufb .Lrol8(%rip), %xmm\p
	.else
	movdqa %xmm\p, %xmm\t
	pslld $\bits, %xmm\p
	psrld $32-\bits, %xmm\t
	por %xmm\t, %xmm\p
	.endif
.endm

.macro n_load p, m
	movdqa \m, %xmm\p
.endm

.macro n_store m, p
	movdqa %xmm\p, \m
.endm

.macro n_word p, m
	movd \m, %xmm\p
	pshufd $0, %xmm\p, %xmm\p
.endm

.macro n_counter p
	movd %eax, %xmm\p
	pshufd $0, %xmm\p, %xmm\p
	paddd .Liota(%rip), %xmm\p
.endm

.macro n_quads p, q, r, s, t
	movdqa %xmm\p, %xmm\t
	punpckldq %xmm\q, %xmm\t
	punpckhdq %xmm\q, %xmm\p
	movdqa %xmm\r, %xmm\q
	punpckldq %xmm\s, %xmm\q
	punpckhdq %xmm\s, %xmm\r
	/* t, q: low words; p, r: high words */
	movdqa %xmm\p, %xmm\s
	punpckhqdq %xmm\r, %xmm\s
	punpcklqdq %xmm\r, %xmm\p
	movdqa %xmm\t, %xmm\r
	punpcklqdq %xmm\q, %xmm\r
	punpckhqdq %xmm\q, %xmm\t
	/* of blocks 0 .. 3 in r, t, p, s: t and p change places */
	movdqa %xmm\p, %xmm\q
	movdqa %xmm\t, %xmm\p
	movdqa %xmm\q, %xmm\t
.endm

.macro n_emit j, low, high, half, mode
	.ifc \mode, xor
	movdqu 64*\j+32*\half(%rsi), %xmm11
	pxor %xmm11, %xmm\low
	movdqu 64*\j+32*\half+16(%rsi), %xmm11
	pxor %xmm11, %xmm\high
	.endif
	movdqu %xmm\low, 64*\j+32*\half(%rdi)
	movdqu %xmm\high, 64*\j+32*\half+16(%rdi)
.endm

.macro n_clear
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	pxor %xmm\i, %xmm\i
	.endr
.endm

#include "chacha_narrow.inc"

	narrow_kernel chacha_xor_4blocks_ssse3
	narrow_keystream chacha_keystream_4blocks_ssse3

	.section .rodata
	.p2align 4
.Liota:
	.long 0, 1, 2, 3
.Lrol16:
	.byte 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
.Lrol8:
	.byte 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14
	asm_end_of_file
