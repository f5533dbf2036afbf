/* chacha_avx512.S: ChaCha (RFC 8439 section 2.4) in zmm registers. Kernels of chacha_kernels.h, reached through the
 * ladder of src/chacha alone, each named by the lengths that it serves. */
#include "asm.inc"
#include "chacha_rounds.inc"
#include "chacha_output.inc"

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

/* Two states in flight need all 32 registers: what the first transpose takes as its spare waits in the red zone, which
 * is wiped on the way out. */
#define SPILL -128(%rsp)

/* 1025 .. 1536 bytes: columns, a state of 16 blocks in zmm and one of 8 in ymm, interleaved. */
asm_function chacha_xor_17to24blocks_avx512
	chacha_load_key zmm, rcx, CHACHA_X
	chacha_load_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	chacha_load_key ymm, rcx, CHACHA_Y
	chacha_load_nonce ymm, 1to8, rcx, .Lchacha_iota_16, CHACHA_Y
	chacha_rounds chacha_double_round_twice, zmm, ymm, chacha_idle, CHACHA_X, CHACHA_Y
	vmovdqu32 %ymm31, SPILL
	chacha_add_key zmm, 1to16, rcx, CHACHA_X
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	.set put_base, 0
	chacha_transpose16 chacha_put, 31, CHACHA_X
	vmovdqu32 SPILL, %ymm31
	vpxord %xmm0, %xmm0, %xmm0
	vmovdqu32 %ymm0, SPILL
	chacha_add_key ymm, 1to8, rcx, CHACHA_Y
	chacha_add_nonce ymm, 1to8, rcx, .Lchacha_iota_16, CHACHA_Y
	.set put_base, 16
	.set put_first, 16
	subq $64*put_first, %rdx
	chacha_transpose8 chacha_put_early, 0, CHACHA_Y
	chacha_in_order8 chacha_put_late, 0, CHACHA_Y
	chacha_return
	chacha_in_order8 chacha_put_short, 0, CHACHA_Y
	chacha_put_last halves
	chacha_return
asm_end chacha_xor_17to24blocks_avx512

/* 1537 .. 2048 bytes: columns, two states of 16 blocks, interleaved. */
asm_function chacha_xor_25to32blocks_avx512
	chacha_load_key zmm, rcx, CHACHA_X
	chacha_load_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	chacha_load_key zmm, rcx, CHACHA_Y
	chacha_load_nonce zmm, 1to16, rcx, .Lchacha_iota_16, CHACHA_Y
	chacha_rounds chacha_double_round_twice, zmm, zmm, chacha_idle, CHACHA_X, CHACHA_Y
	vmovdqu32 %zmm31, SPILL
	chacha_add_key zmm, 1to16, rcx, CHACHA_X
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	.set put_base, 0
	chacha_transpose16 chacha_put, 31, CHACHA_X
	vmovdqu32 SPILL, %zmm31
	vpxord %xmm0, %xmm0, %xmm0
	vmovdqu32 %zmm0, SPILL
	chacha_add_key zmm, 1to16, rcx, CHACHA_Y
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota_16, CHACHA_Y
	.set put_base, 16
	.set put_first, 24
	subq $64*put_first, %rdx
	chacha_transpose16 chacha_put_early, 0, CHACHA_Y
	chacha_in_order16 chacha_put_late, 0, CHACHA_Y
	chacha_return
	chacha_in_order16 chacha_put_short, 0, CHACHA_Y
	chacha_put_last whole
	chacha_return
asm_end chacha_xor_25to32blocks_avx512

/* Multiples of 2048 bytes: the same, without an end to look after. The block number is in COUNTER. */
#define COUNTER -4(%rsp)

asm_function chacha_xor_32blocks_avx512
	movl 48(%rcx), %eax
	movl %r8d, %r9d
2:
	movl %eax, COUNTER
	chacha_load_key zmm, rcx, CHACHA_X
	chacha_load_nonce_at COUNTER, zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	chacha_load_key zmm, rcx, CHACHA_Y
	chacha_load_nonce_at COUNTER, zmm, 1to16, rcx, .Lchacha_iota_16, CHACHA_Y
	movl %r9d, %r8d
	chacha_rounds chacha_double_round_twice, zmm, zmm, chacha_idle, CHACHA_X, CHACHA_Y
	vmovdqu32 %zmm31, SPILL
	chacha_add_key zmm, 1to16, rcx, CHACHA_X
	chacha_add_nonce_at COUNTER, zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
	.set put_base, 0
	chacha_transpose16 chacha_put, 31, CHACHA_X
	vmovdqu32 SPILL, %zmm31
	chacha_add_key zmm, 1to16, rcx, CHACHA_Y
	chacha_add_nonce_at COUNTER, zmm, 1to16, rcx, .Lchacha_iota_16, CHACHA_Y
	.set put_base, 16
	chacha_transpose16 chacha_put, 0, CHACHA_Y
	addq $2048, %rdi
	addq $2048, %rsi
	addl $32, %eax
	subq $2048, %rdx
	jnz 2b
	vpxord %xmm0, %xmm0, %xmm0
	vmovdqu32 %zmm0, SPILL
	chacha_return
asm_end chacha_xor_32blocks_avx512

	chacha_rodata
	asm_end_of_file
