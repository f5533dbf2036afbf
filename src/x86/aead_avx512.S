/* aead_avx512.S: sweeps of ChaCha20 in zmm registers with the scalar half of Poly1305 in the slots of the rounds, for
 * one message (RFC 8439 section 2.8). Called by aead_avx512.c.
 *
 * A sweep makes as many blocks of keystream as its layout has, and dst = src XOR keystream for len bytes, 1 .. 64 times
 * that. Layouts: rows of 4 and 8 blocks; columns of 16, of 24 (16 lanes in zmm and 8 in ymm, so that 1500 bytes do not
 * pay for 32 blocks where a zmm operation takes two passes) and of 32. Beside the rounds one of two works:
 *
 *   key, powers  the first sweep of a message: block 0 in scalar registers, then powers of r into the table.
 *   mac  later sweeps: as many Poly1305 blocks as ask for, in n of the double rounds.
 *
 * Arguments: dst, src, len, struct fused_sweep (aead_fused.h; WORK_.. below), key: struct fused_key; mac also the blocks, and n, 0 .. 8. */
#include "asm.inc"
#include "chacha_rounds.inc"
#include "poly1305_mulx.inc"

asm_arch bmi2, avx512f, avx512bw, avx512vl

#define WORK_STATE 0
#define WORK_POWERS 64
#define WORK_S 448
#define WORK_R 464
#define WORK_H 480

/* The same in struct fused_key (aead_fused_key.h), whose state stands first too. */
#define KEY_S 64
#define KEY_R 80

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

/* The frame: row c of the scalar block, a loop counter, the arguments, a register that columns of 32 have no room for. */
#define FRAME_COUNT 16
#define FRAME_DST 24
#define FRAME_SRC 32
#define FRAME_LEN 40
#define FRAME_WORK 48
#define FRAME_SPARE 64
#define FRAME_TAIL 128
#define FRAME_SIZE 192

.macro sweep_enter
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq %rbx
	.cfi_offset rbx, -24
	pushq %r12
	.cfi_offset r12, -32
	pushq %r13
	.cfi_offset r13, -40
	pushq %r14
	.cfi_offset r14, -48
	pushq %r15
	.cfi_offset r15, -56
	subq $FRAME_SIZE, %rsp
	andq $-64, %rsp
	movq %rdi, FRAME_DST(%rsp)
	movq %rsi, FRAME_SRC(%rsp)
	movq %rdx, FRAME_LEN(%rsp)
	movq %rcx, FRAME_WORK(%rsp)
.endm

.macro sweep_leave
	leaq -40(%rbp), %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	.cfi_def_cfa rsp, 8
	ret
.endm

/* ---------------------------------------------------------------------------------------------- the slots */

/* One scalar double round in the slots of one, or two: eighths in one or two of each three slots. */
.macro sweep_key_1_slot n
	.if (\n) < 24 && (\n) % 3 == 0
	chacha_scalar_step ((\n) / 3)
	.endif
.endm

.macro sweep_key_2_slot n
	.if (\n) < 24 && (\n) % 3 < 2
	chacha_scalar_step (((\n) / 3 * 2 + (\n) % 3) % 8)
	.endif
.endm

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

/* Two, four or eight blocks at r14 in one double round. */
.macro sweep_mac_2_slot n
	.if (\n) == 1
	poly1305_mulx_first r14, 0
	.elseif (\n) == 13
	poly1305_mulx_second r14, 16
	.elseif (\n) == 23
	addq $32, %r14
	.endif
.endm

.macro sweep_mac_4_slot n
	.if (\n) == 1
	poly1305_mulx_first r14, 0
	.elseif (\n) == 7
	poly1305_mulx_second r14, 16
	.elseif (\n) == 13
	poly1305_mulx_first r14, 32
	.elseif (\n) == 19
	poly1305_mulx_second r14, 48
	.elseif (\n) == 23
	addq $64, %r14
	.endif
.endm

.macro sweep_mac_8_slot n
	.if (\n) % 6 == 1
	poly1305_mulx_first r14, ((\n) / 6 * 32)
	.elseif (\n) % 6 == 4
	poly1305_mulx_second r14, ((\n) / 6 * 32 + 16)
	.elseif (\n) == 23
	addq $128, %r14
	.endif
.endm

/* --------------------------------------------------------------------------------------------- the layouts
 *
 * sweep_load_LAYOUT: the input of the rounds, from the state at rcx. sweep_rounds_LAYOUT: one double round.
 * sweep_out_LAYOUT: what the rounds left plus the input at rcx, XOR src (rsi), to dst (rdi), rdx bytes. */

/* Whole blocks go out at once; a short one is put aside until registers are free (sweep_out_tail). */
.macro sweep_emit block, reg
	cmpq $64*(\block)+64, %rdx
	jb .Lshort\@
	vpxord 64*(\block)(%rsi), %zmm\reg, %zmm\reg
	vmovdqu64 %zmm\reg, 64*(\block)(%rdi)
	.subsection 1
.Lshort\@:
	cmpq $64*(\block), %rdx
	jbe .Ldone\@
	vmovdqa64 %zmm\reg, FRAME_TAIL(%rsp)
	jmp .Ldone\@
	.previous
.Ldone\@:
.endm

.macro sweep_emit_second block, reg
	sweep_emit ((\block)+16), \reg
.endm

/* The halves of a block behind the first sixteen. */
.macro sweep_emit_halves block, low, high
	cmpq $64*(\block)+64*17, %rdx
	jb .Lshort\@
	vpxord 64*(\block)+64*16(%rsi), %ymm\low, %ymm\low
	vpxord 64*(\block)+64*16+32(%rsi), %ymm\high, %ymm\high
	vmovdqu64 %ymm\low, 64*(\block)+64*16(%rdi)
	vmovdqu64 %ymm\high, 64*(\block)+64*16+32(%rdi)
	.subsection 1
.Lshort\@:
	cmpq $64*(\block)+64*16, %rdx
	jbe .Ldone\@
	vmovdqa64 %ymm\low, FRAME_TAIL(%rsp)
	vmovdqa64 %ymm\high, FRAME_TAIL+32(%rsp)
	jmp .Ldone\@
	.previous
.Ldone\@:
.endm

/* The short block, when there is one. */
.macro sweep_out_tail
	movl %edx, %ecx
	andl $63, %ecx
	jz .Lnone\@
	andq $-64, %rdx
	movq $-1, %rax
	bzhiq %rcx, %rax, %rax
	kmovq %rax, %k1
	vmovdqu8 (%rsi, %rdx), %zmm0{%k1}{z}
	vpxord FRAME_TAIL(%rsp), %zmm0, %zmm0
	vmovdqu8 %zmm0, (%rdi, %rdx){%k1}
.Lnone\@:
.endm

.macro sweep_load_rows4
	chacha_row_load zmm, rcx, 0, 1, 2, 3
.endm

.macro sweep_rounds_rows4 slot
	chacha_row_double_round zmm, 1, \slot
.endm

.macro sweep_input_rows
	vbroadcasti32x4 (%rcx), %zmm24
	vbroadcasti32x4 16(%rcx), %zmm25
	vbroadcasti32x4 32(%rcx), %zmm26
	vbroadcasti32x4 48(%rcx), %zmm27
	vpaddd .Lchacha_row_iota(%rip), %zmm27, %zmm27
.endm

/* Adds the input to one state of rows and sends its four blocks out, the first of them as block `block`. */
.macro sweep_out_row block, a, b, c, d
	vpaddd %zmm24, %zmm\a, %zmm\a
	vpaddd %zmm25, %zmm\b, %zmm\b
	vpaddd %zmm26, %zmm\c, %zmm\c
	vpaddd %zmm27, %zmm\d, %zmm\d
	chacha_row_blocks \a, \b, \c, \d, 28
	sweep_emit (\block), \c
	sweep_emit (\block)+1, \a
	sweep_emit (\block)+2, 28
	sweep_emit (\block)+3, \d
.endm

.macro sweep_out_rows4
	sweep_input_rows
	sweep_out_row 0, 0, 1, 2, 3
.endm

.macro sweep_load_rows8
	chacha_row_load zmm, rcx, 0, 1, 2, 3
	chacha_row_next zmm, .Lchacha_row_4, 0, 1, 2, 3, 4, 5, 6, 7
.endm

.macro sweep_rounds_rows8 slot
	chacha_row_double_round zmm, 2, \slot
.endm

.macro sweep_out_rows8
	sweep_input_rows
	sweep_out_row 0, 0, 1, 2, 3
	vpaddd .Lchacha_row_4(%rip), %zmm27, %zmm27
	sweep_out_row 4, 4, 5, 6, 7
.endm

.macro sweep_load_columns16
	chacha_load_key zmm, rcx, CHACHA_X
	chacha_load_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
.endm

.macro sweep_rounds_columns16 slot
	chacha_double_round zmm, \slot, CHACHA_X
.endm

.macro sweep_input_columns16
	chacha_add_key zmm, 1to16, rcx, CHACHA_X
	chacha_add_nonce zmm, 1to16, rcx, .Lchacha_iota, CHACHA_X
.endm

.macro sweep_out_columns16
	sweep_input_columns16
	chacha_transpose16 sweep_emit, 31, CHACHA_X
.endm

.macro sweep_load_columns24
	sweep_load_columns16
	chacha_load_key ymm, rcx, CHACHA_Y
	chacha_load_nonce ymm, 1to8, rcx, .Lchacha_iota_16, CHACHA_Y
.endm

.macro sweep_rounds_columns24 slot
	chacha_double_round_twice zmm, ymm, \slot, CHACHA_X, CHACHA_Y
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

.macro sweep_load_columns32
	sweep_load_columns16
	chacha_load_key zmm, rcx, CHACHA_Y
	chacha_load_nonce zmm, 1to16, rcx, .Lchacha_iota_16, CHACHA_Y
.endm

.macro sweep_rounds_columns32 slot
	chacha_double_round_twice zmm, zmm, \slot, CHACHA_X, CHACHA_Y
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

/* ---------------------------------------------------------------------------------------------- the sweeps */

.macro sweep_out layout
	movq FRAME_DST(%rsp), %rdi
	movq FRAME_SRC(%rsp), %rsi
	movq FRAME_LEN(%rsp), %rdx
	movq FRAME_WORK(%rsp), %rcx
	sweep_out_\layout
	sweep_out_tail
	sweep_leave
.endm

/* n double rounds with a slot. */
.macro sweep_rounds n, layout, slot
	movl $\n, FRAME_COUNT(%rsp)
	.p2align 5
.Lrounds\@:
	sweep_rounds_\layout \slot
	decl FRAME_COUNT(%rsp)
	jnz .Lrounds\@
.endm

/* r and s to the work at r14, at their places there. */
.macro sweep_key_out r, s
	movq FRAME_WORK(%rsp), %r14
	chacha_scalar_key r14
	movq %rax, \r(%r14)
	movq %rcx, \r+8(%r14)
	movq %rsi, \s(%r14)
	movq %r8, \s+8(%r14)
.endm

/* Where no powers are needed the scalar block may take as long as the rounds. */
.macro sweep_key_function layout
asm_function aead_key_\layout\()_avx512
	sweep_enter
	sweep_load_\layout
	movq %rcx, %r14
	chacha_scalar_load r14
	sweep_rounds 10, \layout, sweep_key_1_slot
	sweep_key_out KEY_R, KEY_S
	sweep_out \layout
asm_end aead_key_\layout\()_avx512
.endm

/* products: in each of the last five double rounds. The way to r^32 is five products long and takes about as long as
 * they do: more of them in fewer rounds made every layout slower. */
.macro sweep_powers_function layout, products
asm_function aead_powers_\layout\()_avx512
	sweep_enter
	sweep_load_\layout
	movq %rcx, %r14
	chacha_scalar_load r14
	sweep_rounds 5, \layout, sweep_key_2_slot
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
	leaq .Lpowers(%rip), %rsi
	sweep_rounds 5, \layout, sweep_powers_\products\()_slot
	sweep_out \layout
asm_end aead_powers_\layout\()_avx512
.endm

/* r14: the blocks, r15: how many double rounds have some. */
.macro sweep_mac_function layout, blocks
asm_function aead_mac_\layout\()_avx512
	sweep_enter
	sweep_load_\layout
	movq WORK_R(%rcx), %r10
	movl $10, FRAME_COUNT(%rsp)
	subl %r9d, FRAME_COUNT(%rsp)
	movl %r9d, %r15d
	movq %r8, %r14
	movq %r10, %r8
	movq WORK_R+8(%rcx), %r9
	movq %r9, %r10
	shrq $2, %r10
	addq %r9, %r10
	xorl %eax, %eax
	xorl %ebx, %ebx
	xorl %r11d, %r11d
	testl %r15d, %r15d
	jz .Lplain_\layout
	.p2align 5
.Lmac_\layout:
	sweep_rounds_\layout sweep_mac_\blocks\()_slot
	decl %r15d
	jnz .Lmac_\layout
	movq FRAME_WORK(%rsp), %rcx
	movq %rax, WORK_H(%rcx)
	movq %rbx, WORK_H+8(%rcx)
	movq %r11, WORK_H+16(%rcx)
	.p2align 5
.Lplain_\layout:
	sweep_rounds_\layout chacha_idle
	decl FRAME_COUNT(%rsp)
	jnz .Lplain_\layout
	sweep_out \layout
asm_end aead_mac_\layout\()_avx512
.endm

sweep_key_function rows4
sweep_key_function rows8
sweep_powers_function columns16, 2
sweep_powers_function columns24, 2
sweep_powers_function columns32, 3
sweep_mac_function rows8, 2
sweep_mac_function columns16, 4
sweep_mac_function columns24, 4
sweep_mac_function columns32, 8

chacha_rodata
poly1305_mulx_rodata
/* The products that make the powers, ten in all layouts but columns32. */
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
