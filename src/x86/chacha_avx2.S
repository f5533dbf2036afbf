/* chacha_avx2.S: ChaCha, 8 blocks in ymm registers: the operations of chacha_narrow.inc in AVX2. Reached through the
 * ladder of src/chacha and, the bare keystream, from chacha_avx2.c. */
#include "asm.inc"

	asm_arch avx2

#define BYTES 32

.macro n_add p, q
	vpaddd %ymm\q, %ymm\p, %ymm\p
.endm

.macro n_xor p, q
	vpxor %ymm\q, %ymm\p, %ymm\p
.endm

.macro n_rol p, bits, t
	.if \bits == 16
	vpshufb .Lrol16(%rip), %ymm\p, %ymm\p
	.elseif \bits == 8
	vpshufb .Lrol8(%rip), %ymm\p, %ymm\p
	.else
	vpslld $\bits, %ymm\p, %ymm\t
	vpsrld $32-\bits, %ymm\p, %ymm\p
	vpor %ymm\t, %ymm\p, %ymm\p
	.endif
.endm

.macro n_load p, m
	vmovdqa \m, %ymm\p
.endm

.macro n_store m, p
	vmovdqa %ymm\p, \m
.endm

.macro n_word p, m
	vpbroadcastd \m, %ymm\p
.endm

.macro n_counter p
	vmovd %eax, %xmm\p
	vpbroadcastd %xmm\p, %ymm\p
	vpaddd .Liota(%rip), %ymm\p, %ymm\p
.endm

.macro n_quads p, q, r, s, t
	vpunpckldq %ymm\q, %ymm\p, %ymm\t
	vpunpckhdq %ymm\q, %ymm\p, %ymm\q
	vpunpckldq %ymm\s, %ymm\r, %ymm\p
	vpunpckhdq %ymm\s, %ymm\r, %ymm\s
	vpunpcklqdq %ymm\p, %ymm\t, %ymm\r
	vpunpckhqdq %ymm\p, %ymm\t, %ymm\p
	vpunpcklqdq %ymm\s, %ymm\q, %ymm\t
	vpunpckhqdq %ymm\s, %ymm\q, %ymm\s
.endm

.macro n_emit j, low, high, half, mode
	vinserti128 $1, %xmm\high, %ymm\low, %ymm11
	vperm2i128 $0x31, %ymm\high, %ymm\low, %ymm\low
	.ifc \mode, xor
	vpxor 64*\j+32*\half(%rsi), %ymm11, %ymm11
	vpxor 64*(\j+4)+32*\half(%rsi), %ymm\low, %ymm\low
	.endif
	vmovdqu %ymm11, 64*\j+32*\half(%rdi)
	vmovdqu %ymm\low, 64*(\j+4)+32*\half(%rdi)
.endm

.macro n_clear
	vzeroall
.endm

#include "chacha_narrow.inc"

	narrow_kernel chacha_xor_8blocks_avx2
	narrow_keystream chacha_keystream_8blocks_avx2

	.section .rodata
	.p2align 5
.Liota:
	.long 0, 1, 2, 3, 4, 5, 6, 7
.Lrol16:
	.byte 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
	.byte 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
.Lrol8:
	.byte 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14
	.byte 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14
	asm_end_of_file
