/* aead_avx2.S: the instance of aead_columns.inc for ymm registers. Called by aead_avx2.c. */
#include "asm.inc"

#define VEC_LEN 32
#define COLUMNS_MAC 4
#include "aead_columns.inc"

asm_arch avx2

.macro v_add d, s
	vpaddd %ymm\s, %ymm\d, %ymm\d
.endm

.macro v_xor d, s
	vpxor %ymm\s, %ymm\d, %ymm\d
.endm

.macro v_bytes d, m:vararg
	vpshufb \m, %ymm\d, %ymm\d
.endm

.macro v_rotate d, t, n
	vpslld $\n, %ymm\d, %ymm\t
	vpsrld $32-\n, %ymm\d, %ymm\d
	vpor %ymm\t, %ymm\d, %ymm\d
.endm

.macro v_set1 d, m:vararg
	vpbroadcastd \m, %ymm\d
.endm

.macro v_load d, m:vararg
	vmovdqa \m, %ymm\d
.endm

.macro v_store s, m:vararg
	vmovdqa %ymm\s, \m
.endm

.macro v_iota d
	vpaddd .Liota(%rip), %ymm\d, %ymm\d
.endm

.macro v_end
	vzeroupper
.endm

.macro v_transpose a, b, c, d, t, u
	vpunpckldq %ymm\b, %ymm\a, %ymm\t
	vpunpckhdq %ymm\b, %ymm\a, %ymm\a
	vpunpckldq %ymm\d, %ymm\c, %ymm\u
	vpunpckhdq %ymm\d, %ymm\c, %ymm\c
	vpunpcklqdq %ymm\u, %ymm\t, %ymm\b
	vpunpckhqdq %ymm\u, %ymm\t, %ymm\d
	vpunpcklqdq %ymm\c, %ymm\a, %ymm\t
	vpunpckhqdq %ymm\c, %ymm\a, %ymm\c
.endm

/* Bytes `at` of blocks i and i + 4 are in v_i, the sixteen behind them in w_i; scratch: 0. */
.macro columns_out at, v0, v1, v2, v3, w0, w1, w2, w3
	columns_out1 \at, 0, \v0, \w0
	columns_out1 \at, 1, \v1, \w1
	columns_out1 \at, 2, \v2, \w2
	columns_out1 \at, 3, \v3, \w3
.endm

.macro columns_out1 at, block, v, w
	vinserti128 $1, %xmm\w, %ymm\v, %ymm0
	vperm2i128 $0x31, %ymm\w, %ymm\v, %ymm\v
	vpxor 64*\block+\at(%rsi), %ymm0, %ymm0
	vpxor 64*(\block+4)+\at(%rsi), %ymm\v, %ymm\v
	vmovdqu %ymm0, 64*\block+\at(%rdi)
	vmovdqu %ymm\v, 64*(\block+4)+\at(%rdi)
.endm

columns_function aead_sweep_columns8_avx2

	.section .rodata
	.p2align 5
.Lrotate16:
	.rept 2
	.byte 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
	.endr
.Lrotate8:
	.rept 2
	.byte 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14
	.endr
.Liota:
	.long 0, 1, 2, 3, 4, 5, 6, 7
asm_end_of_file
