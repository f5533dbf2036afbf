/* chacha_avx512.S: ChaCha (RFC 8439 section 2.4) in zmm registers. Kernels of chacha_kernels.h, reached through the
 * ladder of src/chacha alone, each named by the lengths that it serves. */
#include "asm.inc"
#include "chacha_rounds.inc"
#include "chacha_output.inc"
#include "chacha_two_states.inc"

	asm_arch avx512f, avx512dq, avx512bw, avx512vl, bmi2

/* 513 .. 1024 bytes: columns, one state. */
asm_function chacha_xor_9to16blocks_avx512
	chacha_load_key zmm, rcx, CHACHA_X
	chacha_load_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	chacha_rounds chacha_double_round, zmm, chacha_idle, CHACHA_X
	chacha_add_key zmm, 1to16, rcx, CHACHA_X
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	.set put_base, 0
	.set put_first, 8
	subq $64*put_first, %rdx
	chacha_transpose16 chacha_put_early, 16, CHACHA_X
	chacha_in_order16 chacha_put_late, 16, CHACHA_X
	chacha_return
	chacha_in_order16 chacha_put_short, 16, CHACHA_X
	chacha_put_last whole
	chacha_return
asm_end chacha_xor_9to16blocks_avx512

/* 1025 .. 1536 bytes: columns, a state of 16 blocks in zmm and one of 8 in ymm, interleaved. */
asm_function chacha_xor_17to24blocks_avx512
	chacha_two_states zmm, 1to16, chacha_transpose16, 16, ymm, 1to8, .Lchacha_iota_16, chacha_transpose8, chacha_in_order8, 16, halves
asm_end chacha_xor_17to24blocks_avx512

/* 1537 .. 2048 bytes: columns, two states of 16 blocks, interleaved. */
asm_function chacha_xor_25to32blocks_avx512
	chacha_two_states zmm, 1to16, chacha_transpose16, 16, zmm, 1to16, .Lchacha_iota_16, chacha_transpose16, chacha_in_order16, 24, whole
asm_end chacha_xor_25to32blocks_avx512

/* Multiples of 2048 bytes: the same, whole. */
asm_function chacha_xor_32blocks_avx512
	chacha_two_states_whole zmm, 1to16, 16, .Lchacha_iota_16, chacha_transpose16
asm_end chacha_xor_32blocks_avx512

	chacha_rodata
	asm_end_of_file
