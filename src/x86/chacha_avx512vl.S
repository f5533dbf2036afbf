/* chacha_avx512vl.S: ChaCha (RFC 8439 section 2.4) with the rotates, masks and 32 registers of AVX-512, in ymm. Kernels
 * of chacha_kernels.h, reached through the ladder of src/chacha alone, each named by the lengths that it serves. */
#include "asm.inc"
#include "chacha_rounds.inc"
#include "chacha_output.inc"
#include "chacha_two_states.inc"

	asm_arch avx512f, avx512dq, avx512bw, avx512vl, bmi2

/* A state in rows as blocks: input added (row d's in register d_in), block 0 in halves t, a and block 1 in b, d. */
.macro row_finish d_in, a, b, c, d, t
	vpaddd %ymm24, %ymm\a, %ymm\a
	vpaddd %ymm25, %ymm\b, %ymm\b
	vpaddd %ymm26, %ymm\c, %ymm\c
	vpaddd %ymm\d_in, %ymm\d, %ymm\d
	chacha_lanes2 \a, \b, \t
	chacha_lanes2 \c, \d, \a
.endm

/* 1 .. 64 bytes: rows, in xmm. */
asm_function chacha_xor_1block_avx512vl
	.irp i, 0, 1, 2
	vmovdqu32 16*\i(%rcx), %xmm\i
	.endr
	chacha_row_of_words 3, 48, rcx
	vmovdqa32 %xmm3, %xmm7
	chacha_rounds chacha_row_double_round, xmm, 1
	.irp i, 0, 1, 2
	vpaddd 16*\i(%rcx), %xmm\i, %xmm\i
	.endr
	vpaddd %xmm7, %xmm3, %xmm3
	vinserti32x4 $1, %xmm1, %ymm0, %ymm0
	vinserti32x4 $1, %xmm3, %ymm2, %ymm2
	.set put_base, 0
	.set put_first, 0
	chacha_put_late 0, 0, 2
	chacha_return
	chacha_put_short 0, 0, 2
	chacha_put_last halves
	chacha_return
asm_end chacha_xor_1block_avx512vl

/* 65 .. 256 bytes: rows, two states. */
asm_function chacha_xor_2to4blocks_avx512vl
	chacha_row_load ymm, rcx, 24, 25, 26, 27
	vpaddd .Lchacha_row_2(%rip), %ymm27, %ymm28
	vmovdqa32 %ymm24, %ymm0
	vmovdqa32 %ymm25, %ymm1
	vmovdqa32 %ymm26, %ymm2
	vmovdqa32 %ymm27, %ymm3
	vmovdqa32 %ymm24, %ymm4
	vmovdqa32 %ymm25, %ymm5
	vmovdqa32 %ymm26, %ymm6
	vmovdqa32 %ymm28, %ymm7
	chacha_rounds chacha_row_double_round, ymm, 2
	.set put_base, 0
	.set put_first, 1
	subq $64*put_first, %rdx
	row_finish 27, 0, 1, 2, 3, 8
	row_finish 28, 4, 5, 6, 7, 9
	chacha_put 0, 8, 0
	chacha_put_late 1, 1, 3
	chacha_put_late 2, 9, 4
	chacha_put_late 3, 5, 7
	chacha_return
	chacha_put_short 1, 1, 3
	chacha_put_short 2, 9, 4
	chacha_put_short 3, 5, 7
	chacha_put_last halves
	chacha_return
asm_end chacha_xor_2to4blocks_avx512vl

/* 257 .. 512 bytes: columns, one state. */
asm_function chacha_xor_5to8blocks_avx512vl
	chacha_load_key ymm, rcx, CHACHA_X
	chacha_load_nonce ymm, 1to8, rcx, .Lchacha_iota, CHACHA_X
	chacha_rounds chacha_double_round, ymm, chacha_idle, CHACHA_X
	chacha_add_key ymm, 1to8, rcx, CHACHA_X
	chacha_add_nonce ymm, 1to8, rcx, .Lchacha_iota, CHACHA_X
	.set put_base, 0
	.set put_first, 4
	subq $64*put_first, %rdx
	chacha_transpose8 chacha_put_early, 16, CHACHA_X
	chacha_in_order8 chacha_put_late, 16, CHACHA_X
	chacha_return
	chacha_in_order8 chacha_put_short, 16, CHACHA_X
	chacha_put_last halves
	chacha_return
asm_end chacha_xor_5to8blocks_avx512vl

/* 513 .. 1024 bytes: columns, two states of 8 blocks, interleaved. */
asm_function chacha_xor_9to16blocks_avx512vl
	chacha_two_states ymm, 1to8, chacha_transpose8, 8, ymm, 1to8, .Lchacha_iota_8, chacha_transpose8, chacha_in_order8, 8, halves
asm_end chacha_xor_9to16blocks_avx512vl

/* Multiples of 1024 bytes: the same, whole. */
asm_function chacha_xor_16blocks_avx512vl
	chacha_two_states_whole ymm, 1to8, 8, .Lchacha_iota_8, chacha_transpose8
asm_end chacha_xor_16blocks_avx512vl

	chacha_rodata
	asm_end_of_file
