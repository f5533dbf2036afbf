/* aead_columns_avx512.S: sweeps of ChaCha20 in zmm registers, one block a lane, with scalar work in the slots of the rounds,
 * for one message (RFC 8439 section 2.8; the sweeps: aead_sweep.inc), and the end of its MAC (aead_end.inc). Called by
 * aead_columns_avx512.c. Layouts: columns of 16, of 24 (16 lanes in zmm and 8 in ymm, so that 1500 bytes do not pay for 32
 * blocks where a zmm operation takes two passes) and of 32. */
#include "aead_sweep.inc"

asm_arch bmi2, avx512f, avx512bw, avx512dq, avx512vl, avx512ifma

/* Where the powers stand in the table: r^8 .. r^1 in the order of the lanes (poly1305_lanes.h), those of 2, 3, 4 and 8
 * groups, and a place for products that nobody needs. */
#define R1 56
#define R2 40
#define R3 24
#define R4 8
#define R5 48
#define R6 32
#define R7 16
#define R8 0
#define R16 64
#define R24 72
#define R32 80
#define R64 88
#define NONE 96

/* Two or three products in one double round. */
.macro sweep_powers_2_slot n
	.if (\n) == 5 || (\n) == 17
	poly1305_mulx_power
	.endif
.endm

.macro sweep_powers_3_slot n
	.if (\n) == 3 || (\n) == 11 || (\n) == 19
	poly1305_mulx_power
	.endif
.endm

.macro sweep_emit_second block, reg
	sweep_emit ((\block)+16), \reg
.endm

/* The halves of a block behind the first sixteen. They go out as one: the MAC's loads are of 64 bytes and would wait for
 * two stores. */
.macro sweep_emit_halves block, low, high
	vinserti64x4 $1, %ymm\high, %zmm\low, %zmm\low
	sweep_emit ((\block)+16), \low
.endm

.macro sweep_load_columns16 words=rcx
	chacha_load_key zmm, \words, CHACHA_X
	chacha_load_nonce_at 48(%rcx), zmm, 1to16, \words, .Lchacha_iota, CHACHA_X
.endm

.macro sweep_first_columns16 slot, middle
	chacha_first_round zmm, \slot, CHACHA_X
	jmp \middle
.endm

.macro sweep_rounds_columns16 slot, middle
	chacha_column_round zmm, \slot, CHACHA_X
	\middle
	chacha_diagonal_round zmm, \slot, CHACHA_X
.endm

.macro sweep_input_columns16
	chacha_add_key zmm, 1to16, rcx, CHACHA_X
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
.endm

.macro sweep_out_columns16
	sweep_input_columns16
	chacha_transpose16 sweep_emit, 31, CHACHA_X
.endm

.macro sweep_load_columns24 words=rcx
	sweep_load_columns16 \words
	chacha_load_key ymm, \words, CHACHA_Y
	chacha_load_nonce_at 48(%rcx), ymm, 1to8, \words, .Lchacha_iota_16, CHACHA_Y
.endm

.macro sweep_first_columns24 slot, middle
	chacha_first_round_twice zmm, ymm, \slot, CHACHA_X, CHACHA_Y
	jmp \middle
.endm

.macro sweep_rounds_columns24 slot, middle
	chacha_column_round_twice zmm, ymm, \slot, CHACHA_X, CHACHA_Y
	\middle
	chacha_diagonal_round_twice zmm, ymm, \slot, CHACHA_X, CHACHA_Y
.endm

.macro sweep_out_columns24
	sweep_input_columns16
	chacha_add_key ymm, 1to8, rcx, CHACHA_Y
	chacha_add_nonce ymm, 1to8, rcx, .Lchacha_iota_16, CHACHA_Y
	vmovdqa64 %ymm31, FRAME_SPARE(%rsp)
	chacha_transpose16 sweep_emit, 31, CHACHA_X
	vmovdqa64 FRAME_SPARE(%rsp), %ymm31
	chacha_transpose8 sweep_emit_halves, 0, CHACHA_Y
.endm

.macro sweep_load_columns32 words=rcx
	sweep_load_columns16 \words
	chacha_load_key zmm, \words, CHACHA_Y
	chacha_load_nonce_at 48(%rcx), zmm, 1to16, \words, .Lchacha_iota_16, CHACHA_Y
.endm

.macro sweep_first_columns32 slot, middle
	chacha_first_round_twice zmm, zmm, \slot, CHACHA_X, CHACHA_Y
	jmp \middle
.endm

.macro sweep_rounds_columns32 slot, middle
	chacha_column_round_twice zmm, zmm, \slot, CHACHA_X, CHACHA_Y
	\middle
	chacha_diagonal_round_twice zmm, zmm, \slot, CHACHA_X, CHACHA_Y
.endm

.macro sweep_out_columns32
	sweep_input_columns16
	chacha_add_key zmm, 1to16, rcx, CHACHA_Y
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota_16, CHACHA_Y
	vmovdqa64 %zmm31, FRAME_SPARE(%rsp)
	chacha_transpose16 sweep_emit, 31, CHACHA_X
	vmovdqa64 FRAME_SPARE(%rsp), %zmm31
	chacha_transpose16 sweep_emit_second, 0, CHACHA_Y
.endm

/* The key's halves, and r as the first of the powers; then rdi and rsi for the program of products. */
.macro sweep_powers_begin program
	sweep_key_out WORK_R, WORK_S
	movq .Lpoly1305_m44(%rip), %rdx
	movq %rcx, %rbx
	shrq $24, %rbx
	movq %rax, %rdi
	andq %rdx, %rdi
	shrdq $44, %rcx, %rax
	andq %rdx, %rax
	movq %rdi, WORK_POWERS+R1(%r14)
	movq %rax, WORK_POWERS+128+R1(%r14)
	movq %rbx, WORK_POWERS+256+R1(%r14)
	leaq WORK_POWERS(%r14), %rdi
	leaq \program(%rip), %rsi
.endm

/* The only sweep of a message, behind which aead_end_avx512 needs r to r^8 and r^16. The way to r^16 is four products long
 * and takes three double rounds, the other products fill gaps. */
.macro sweep_only_function layout
asm_function aead_powers_\layout\()_avx512
	sweep_enter
	sweep_load_\layout
	movq %rcx, %r14
	chacha_scalar_load r14
	sweep_rounds 2, \layout, sweep_key_1_slot
	sweep_rounds 4, \layout, sweep_key_2_slot
	sweep_powers_begin .Lfew_powers
	sweep_rounds 4, \layout, sweep_powers_2_slot
	sweep_out \layout
asm_end aead_powers_\layout\()_avx512
.endm

/* At the beginning of a page and in this order: a message runs two of these three in turns, some 10 KiB of code. Where they
 * began was worth up to 70 cycles, by what else lay where (docs/log.md). */
	.text
	.p2align 12
sweep_only_function columns16
sweep_only_function columns24
#include "aead_end.inc"

/* The first of several: also what chacha_head makes for the others, and powers of more groups. */
asm_function aead_powers_columns32_avx512
	sweep_enter
	chacha_head rcx, WORK_HEAD, rcx
	leaq WORK_HEAD(%rcx), %rdi
	sweep_load_columns32 rdi
	movq %rcx, %r14
	chacha_scalar_load r14
	movl $5, FRAME_COUNT(%rsp)
	sweep_first_columns32 sweep_key_2_slot, .Lkey_middle
	.p2align 5
.Lkey:
	sweep_rounds_columns32 sweep_key_2_slot, .Lkey_middle:
	decl FRAME_COUNT(%rsp)
	jnz .Lkey
	sweep_powers_begin .Lpowers
	sweep_rounds 5, columns32, sweep_powers_3_slot
	sweep_out columns32
asm_end aead_powers_columns32_avx512

sweep_mac_function columns16, 4
sweep_mac_function columns24, 4
sweep_mac_function columns32, 8

chacha_rodata
poly1305_mulx_rodata
/* The products that make the powers. */
.Lfew_powers:
	.byte R1, R1, R2
	.byte R2, R2, R4
	.byte R4, R4, R8
	.byte R8, R8, R16
	.byte R2, R1, R3
	.byte R4, R1, R5
	.byte R4, R2, R6
	.byte R4, R3, R7
.Lpowers:
	.byte R1, R1, R2
	.byte R2, R1, R3
	.byte R2, R2, R4
	.byte R3, R2, R5
	.byte R3, R3, R6
	.byte R4, R4, R8
	.byte R4, R3, R7
	.byte R8, R8, R16
	.byte R16, R8, R24
	.byte R16, R16, R32
	.byte R32, R32, R64
	.byte R1, R1, NONE
	.byte R1, R1, NONE
	.byte R1, R1, NONE
	.byte R1, R1, NONE

asm_end_of_file
