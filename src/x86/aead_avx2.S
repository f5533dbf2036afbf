/* aead_avx2.S: for one message in ymm registers, the sweep of aead_columns.inc, and keystream in rows for short ones.
 * Called by aead_avx2.c. */
#include "asm.inc"

asm_arch avx2

#include "narrow_avx2.inc"

#define COLUMNS_MAC 4
#include "aead_columns.inc"

columns_first_function aead_first_columns8_avx2, aead_end_columns8_avx2
columns_end_function aead_end_columns8_avx2
columns_function aead_sweep_columns8_avx2, aead_end_columns8_avx2

/* ------------------------------------------------------------------------------------ keystream in rows
 *
 * A state is two blocks, each of its registers one row of both: 0 .. 3, 4 .. 7 and 8 .. 11; 12 .. 15 are scratch. Between
 * column and diagonal rounds rows a, c and d turn; b, which the next step waits for, stays. */

/* In each state p += q; t = (t ^ p) <<< bits. */
.macro rows_step states, bits, p0, q0, t0, p1, q1, t1, p2, q2, t2
	n_add \p0, \q0
	n_add \p1, \q1
	.if \states == 3
	n_add \p2, \q2
	.endif
	n_xor \t0, \p0
	n_xor \t1, \p1
	.if \states == 3
	n_xor \t2, \p2
	.endif
	n_rol \t0, \bits, 12
	n_rol \t1, \bits, 13
	.if \states == 3
	n_rol \t2, \bits, 14
	.endif
.endm

/* a += b; d = (d ^ a) <<< bits. */
.macro rows_ad states, bits
	rows_step \states, \bits, 0, 1, 3, 4, 5, 7, 8, 9, 11
.endm

/* c += d; b = (b ^ c) <<< bits. */
.macro rows_cb states, bits
	rows_step \states, \bits, 2, 3, 1, 6, 7, 5, 10, 11, 9
.endm

.macro rows_turn states, a, c
	.irp r, 0, 4, 8
	.if \r < 4 * \states
	vpshufd $\a, %ymm\r, %ymm\r
	.endif
	.endr
	.irp r, 3, 7, 11
	.if \r < 4 * \states
	vpshufd $0x4e, %ymm\r, %ymm\r
	.endif
	.endr
	.irp r, 2, 6, 10
	.if \r < 4 * \states
	vpshufd $\c, %ymm\r, %ymm\r
	.endif
	.endr
.endm

.macro rows_round states
	rows_ad \states, 16
	rows_cb \states, 12
	rows_ad \states, 8
	rows_cb \states, 7
.endm

/* Blocks n and n + 1 from rows a .. d, to the keystream at rdi. */
.macro rows_out n, a, b, c, d
	vbroadcasti128 (%rsi), %ymm12
	n_add \a, 12
	vbroadcasti128 16(%rsi), %ymm12
	n_add \b, 12
	vbroadcasti128 32(%rsi), %ymm12
	n_add \c, 12
	n_add \d, 15
	vpaddd .Lrows_two(%rip), %ymm15, %ymm15
	vinserti128 $1, %xmm\b, %ymm\a, %ymm12
	vinserti128 $1, %xmm\d, %ymm\c, %ymm13
	vperm2i128 $0x31, %ymm\b, %ymm\a, %ymm\a
	vperm2i128 $0x31, %ymm\d, %ymm\c, %ymm\c
	vmovdqa %ymm12, 64*\n(%rdi)
	vmovdqa %ymm13, 64*\n+32(%rdi)
	vmovdqa %ymm\a, 64*\n+64(%rdi)
	vmovdqa %ymm\c, 64*\n+96(%rdi)
.endm

/* The input of the states; the last row as it is stored, word by word. rsi: the sixteen words; first: lane counters. */
.macro rows_load states, first
	vbroadcasti128 (%rsi), %ymm0
	vbroadcasti128 16(%rsi), %ymm1
	vbroadcasti128 32(%rsi), %ymm2
	vpbroadcastd 48(%rsi), %ymm3
	vpbroadcastd 52(%rsi), %ymm12
	vpbroadcastd 56(%rsi), %ymm13
	vpbroadcastd 60(%rsi), %ymm14
	vpblendd $0x22, %ymm12, %ymm3, %ymm3
	vpblendd $0x44, %ymm13, %ymm3, %ymm3
	vpblendd $0x88, %ymm14, %ymm3, %ymm3
	vpaddd \first(%rip), %ymm3, %ymm3
	vmovdqa %ymm0, %ymm4
	vmovdqa %ymm1, %ymm5
	vmovdqa %ymm2, %ymm6
	vpaddd .Lrows_two(%rip), %ymm3, %ymm7
	.if \states == 3
	vmovdqa %ymm0, %ymm8
	vmovdqa %ymm1, %ymm9
	vmovdqa %ymm2, %ymm10
	vpaddd .Lrows_two(%rip), %ymm7, %ymm11
	.endif
	vmovdqa %ymm3, %ymm15
.endm

/* COLUMNS_STREAM: stream, aligned, and state; two blocks for each state in flight. */
.macro rows_function name, states
asm_function \name
	rows_load \states, .Lrows_first
	movl $10, %eax
	.p2align 5
1:	rows_round \states
	rows_turn \states, 0x93, 0x39
	rows_round \states
	rows_turn \states, 0x39, 0x93
	decl %eax
	jnz 1b
	rows_out 0, 0, 1, 2, 3
	rows_out 2, 4, 5, 6, 7
	.if \states == 3
	rows_out 4, 8, 9, 10, 11
	.endif
	vzeroupper
	ret
asm_end \name
.endm

/* The same, five blocks: the first by half, which is the Poly1305 key (r clamped), in general registers. */
#define KEY_COUNT 16
#define KEY_STREAM 24
#define KEY_STATE 32
.macro rows_key_function name
asm_function \name
	asm_push rbx
	asm_push r12
	asm_push r13
	asm_push r14
	asm_push r15
	subq $40, %rsp
	.cfi_adjust_cfa_offset 40
	movq %rdi, KEY_STREAM(%rsp)
	movq %rsi, KEY_STATE(%rsp)
	rows_load 2, .Lrows_second
	movq %rsi, %r14
	chacha_scalar_load r14
	movl $10, KEY_COUNT(%rsp)
	.p2align 5
1:	rows_ad 2, 16
	chacha_scalar_step 0
	rows_cb 2, 12
	chacha_scalar_step 1
	rows_ad 2, 8
	chacha_scalar_step 2
	rows_cb 2, 7
	chacha_scalar_step 3
	rows_turn 2, 0x93, 0x39
	rows_ad 2, 16
	chacha_scalar_step 4
	rows_cb 2, 12
	chacha_scalar_step 5
	rows_ad 2, 8
	chacha_scalar_step 6
	rows_cb 2, 7
	chacha_scalar_step 7
	rows_turn 2, 0x39, 0x93
	decl KEY_COUNT(%rsp)
	jnz 1b
	movq KEY_STATE(%rsp), %r14
	movq KEY_STREAM(%rsp), %r15
	chacha_scalar_key r14
	movq %rax, (%r15)
	movq %rcx, 8(%r15)
	movq %rsi, 16(%r15)
	movq %r8, 24(%r15)
	movq %r14, %rsi
	movq %r15, %rdi
	rows_out 1, 0, 1, 2, 3
	rows_out 3, 4, 5, 6, 7
	vzeroupper
	addq $40, %rsp
	.cfi_adjust_cfa_offset -40
	asm_pop r15
	asm_pop r14
	asm_pop r13
	asm_pop r12
	asm_pop rbx
	ret
asm_end \name
.endm

rows_function aead_stream_rows4_avx2, 2
rows_key_function aead_stream_rows5_avx2
rows_function aead_stream_rows6_avx2, 3

poly1305_mulx_rodata
narrow_rodata
	.p2align 5
.Lrows_first:
	.long 0, 0, 0, 0, 1, 0, 0, 0
.Lrows_second:
	.long 1, 0, 0, 0, 2, 0, 0, 0
.Lrows_two:
	.long 2, 0, 0, 0, 2, 0, 0, 0
asm_end_of_file
