/* burst_eight_avx512vl.S: burst_eight_avx2.S with thirty-two registers and rotates. */
#include "asm.inc"
#include "chacha_rounds.inc"

	asm_arch avx512f, avx512vl, bmi2

#include "burst_eight.inc"

.macro eight_load
	.irp i, 0, 1, 2, 3
	vpbroadcastd .Leight_sigma+4*\i(%rip), %ymm\i
	.endr
	.irp i, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqa32 EIGHT_ROW(\i), %ymm\i
	.endr
.endm

.macro eight_add word
	.if (\word) < 4
	vpaddd .Leight_sigma+4*(\word)(%rip){1to8}, %ymm\word, %ymm\word
	.else
	vpaddd EIGHT_ROW(\word), %ymm\word, %ymm\word
	.endif
.endm

/* Half of block `lane`, from byte `at` on. */
.macro eight_put lane, at, p
	eight_pointers \lane
	vpxord \at(%rax), %ymm\p, %ymm\p
	vmovdqu32 %ymm\p, \at(%rdx)
.endm

/* Lanes j and j + 4 from the quads of words in low and high. */
.macro eight_put2 j, at, low, high, t
	chacha_lanes2 \low, \high, \t
	eight_put \j, \at, \t
	eight_put (\j+4), \at, \high
.endm

/* Eight words in registers a .. h; t is a spare one. */
.macro eight_put_words at, t, a, b, c, d, e, f, g, h
	chacha_quads ymm, \a, \b, \c, \d, \t
	chacha_quads ymm, \e, \f, \g, \h, \b
	eight_put2 0, \at, \c, \g, \f
	eight_put2 1, \at, \a, \e, \c
	eight_put2 2, \at, \t, \b, \a
	eight_put2 3, \at, \d, \h, \t
.endm

.macro eight_slot n
	.if (\n) % 6 == 4
	eight_block ((\n)/6)
	.endif
.endm

.macro eight_rounds slot=chacha_idle
	chacha_double_round ymm, \slot, CHACHA_X
.endm

.macro eight_out
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	eight_add \i
	.endr
	eight_put_words 0, 16, 0, 1, 2, 3, 4, 5, 6, 7
	eight_half
	.irp i, 8, 9, 10, 11, 12, 13, 14, 15
	eight_add \i
	.endr
	eight_put_words 32, 16, 8, 9, 10, 11, 12, 13, 14, 15
.endm

eight_functions avx512vl, 64

	.section .rodata
	.p2align 4
.Leight_sigma: /* "expand 32-byte k" */
	.long 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
asm_end_of_file
