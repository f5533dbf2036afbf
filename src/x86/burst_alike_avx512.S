/* burst_alike_avx512.S: the sweeps of packets of one shape (RFC 8439 section 2.8) in zmm registers: 32 ChaCha20 blocks
 * of neighbouring packets, with the MACs of 32 rows of 64 bytes in the slots of the rounds. Called by
 * burst_alike_ifma.h, whose struct alike_work these functions work on: rdi points at it everywhere.
 *
 * A sweep is two states of 16 lanes in flight, X and Y: one alone waits for its own results where an instruction takes
 * two cycles. X is in zmm0 .. zmm15. Of Y rows b and d are in zmm16 .. zmm23 and rows a and c in memory, which are only
 * ever added to: that leaves zmm24 for Y and seven registers for a MAC.
 *
 * Lanes 8g .. 8g + 7 of a sweep are group g: eight packets, one in each 64-bit lane of the MAC. */
#include "asm.inc"
#include "chacha_rounds.inc"

	asm_arch avx512f, avx512bw, avx512vl, avx512ifma

/* The layout of struct alike_work, which burst_alike_ifma.h checks. */
#define WORD_STEP 128
#define IN 1536
#define OUT 1792
#define BYTES 2304
#define AT 2336
#define OUT_AT 2344
#define GROUP_STEP 2352
#define HALF_STEP 2360
#define SCRATCH 2432
#define GROUPS 3840

#include "burst_words.inc"

/* Rows a and c of Y, then the limbs of a column; block 0 of all packets lies there while there is no MAC. */
#define Y_ROWS SCRATCH
#define LIMBS (SCRATCH+512)
#define KEYS SCRATCH
#define SPILL (SCRATCH+1024)

/* struct alike_group */
#define POWER_STEP 320
#define R0 0
#define R1 64
#define R2 128
#define S1 192
#define S2 256
#define H 1280
#define GROUP_SIZE 1600

/* ---------------------------------------------------------------------------------------------- the MAC
 *
 * One column of a group: h = (h + b0) r^4 + b1 r^3 + b2 r^2 + b3 r. mac_group: the register that points at its struct
 * alike_group; mac_rows: where its eight pointers lie, counted from rsi on; rdx is added to them.
 *
 * Limbs are those of poly1305_ifma.h but for limb 0 of b1, b2 and b3: the multiplier takes 52 bits, so that the low
 * quadword stands for it as it is, and limb 1 begins with bit 52, the 8 bits below it zero. Products of that limb, with
 * r0, r1 and r2, are below 2^52 2^44.1: four to each hi part. ifma_carry's bounds for nine sums of products hold. */
#define MAC_T %zmm25
#define MAC_A %zmm26
#define MAC_B %zmm27
#define MAC_C %zmm28
#define MAC_D %zmm29
#define MAC_E %zmm30
#define MAC_F %zmm31
#define MAC_LO0 %zmm26
#define MAC_LO1 %zmm27
#define MAC_LO2 %zmm28
#define MAC_HI0 %zmm29
#define MAC_HI1 %zmm30
#define MAC_HI2 %zmm31

/* 32 bytes of each of two packets, side by side; rows: where the group's pointers lie, counted from rsi on. */
.macro mac_two_rows rows, at, low, high, r
	movq \rows+8*\low(%rsi), %rax
	vmovdqu64 \at(%rax, %rdx), %ymm\r
	movq \rows+8*\high(%rsi), %rax
	vinserti64x4 $1, \at(%rax, %rdx), %zmm\r, %zmm\r
.endm

/* Limbs of a block, whose quadwords are the lanes `pick` of E, A and F, B. */
.macro mac_limbs block, pick, piece
	.if (\piece) == 0
	vshufi64x2 $\pick, MAC_A, MAC_E, MAC_C
	vshufi64x2 $\pick, MAC_B, MAC_F, MAC_D
	.elseif (\piece) == 1
	vpsrlq $44, MAC_C, MAC_T
	.if (\block) == 0
	vpandq .Lalike_m44(%rip){1to8}, MAC_C, MAC_C
	.endif
	vmovdqa64 MAC_C, LIMBS+192*(\block)(%rdi)
	vpsllq $20, MAC_D, MAC_C
	.elseif (\piece) == 2
	.if (\block) == 0
	vpternlogq $0xa8, .Lalike_m44(%rip){1to8}, MAC_C, MAC_T
	.else
	vpternlogq $0xa8, .Lalike_m44_from_8(%rip){1to8}, MAC_C, MAC_T
	.endif
	vmovdqa64 MAC_T, LIMBS+192*(\block)+64(%rdi)
	vpsrlq $24, MAC_D, MAC_T
	.else
	vporq .Lalike_top(%rip){1to8}, MAC_T, MAC_T
	vmovdqa64 MAC_T, LIMBS+192*(\block)+128(%rdi)
	.endif
.endm

/* Blocks 2 half and 2 half + 1: 14 pieces. */
.macro mac_half rows, half, piece
	.if (\piece) == 0
	mac_two_rows \rows, 32*(\half), 0, 2, 26
	.elseif (\piece) == 1
	mac_two_rows \rows, 32*(\half), 1, 3, 27
	.elseif (\piece) == 2
	mac_two_rows \rows, 32*(\half), 4, 6, 28
	.elseif (\piece) == 3
	mac_two_rows \rows, 32*(\half), 5, 7, 29
	.elseif (\piece) == 4
	vpunpcklqdq MAC_B, MAC_A, MAC_E
	vpunpckhqdq MAC_B, MAC_A, MAC_F
	.elseif (\piece) == 5
	vpunpcklqdq MAC_D, MAC_C, MAC_A
	vpunpckhqdq MAC_D, MAC_C, MAC_B
	.elseif (\piece) < 10
	mac_limbs (2*(\half)), 0x88, ((\piece)-6)
	.else
	mac_limbs (2*(\half)+1), 0xdd, ((\piece)-10)
	.endif
.endm

/* One sum of products, to which the limb in T gives factor times itself: piece 0, 1 or 2. */
.macro mac_sum group, factors, piece, f0, f1, f2
	.if (\piece) == 0
	vpmadd52luq \factors+\f0(%\group), MAC_T, MAC_LO0
	vpmadd52huq \factors+\f0(%\group), MAC_T, MAC_HI0
	.elseif (\piece) == 1
	vpmadd52luq \factors+\f1(%\group), MAC_T, MAC_LO1
	vpmadd52huq \factors+\f1(%\group), MAC_T, MAC_HI1
	.else
	vpmadd52luq \factors+\f2(%\group), MAC_T, MAC_LO2
	vpmadd52huq \factors+\f2(%\group), MAC_T, MAC_HI2
	.endif
.endm

/* Limb `limb` of a block times its power: three pieces. */
.macro mac_limb_products group, block, limb, piece
	.if (\piece) == 0
	vmovdqa64 LIMBS+192*(\block)+64*(\limb)(%rdi), MAC_T
	.if (\block) == 0
	vpaddq H+64*(\limb)(%\group), MAC_T, MAC_T
	.endif
	.endif
	.if (\limb) == 0
	mac_sum \group, (3-(\block))*POWER_STEP, (\piece), R0, R1, R2
	.elseif (\limb) == 1
	mac_sum \group, (3-(\block))*POWER_STEP, (\piece), S2, R0, R1
	.else
	mac_sum \group, (3-(\block))*POWER_STEP, (\piece), S1, S2, R0
	.endif
.endm

/* ifma_carry: ten pieces. */
.macro mac_carry group, piece
	.if (\piece) == 0
	vpsllq $8, MAC_HI0, MAC_HI0
	vpsllq $8, MAC_HI1, MAC_HI1
	.elseif (\piece) == 1
	vpaddq MAC_HI0, MAC_LO1, MAC_LO1
	vpaddq MAC_HI1, MAC_LO2, MAC_LO2
	vpsllq $8, MAC_HI2, MAC_HI2
	.elseif (\piece) == 2
	vpsrlq $44, MAC_LO1, MAC_T
	vpandq .Lalike_m44(%rip){1to8}, MAC_LO1, MAC_LO1
	.elseif (\piece) == 3
	vpaddq MAC_T, MAC_LO2, MAC_LO2
	vpsrlq $44, MAC_LO2, MAC_T
	.elseif (\piece) == 4
	vpandq .Lalike_m44(%rip){1to8}, MAC_LO2, MAC_LO2
	vpaddq MAC_T, MAC_HI2, MAC_HI2
	.elseif (\piece) == 5
	vmovdqa64 MAC_LO2, H+128(%\group)
	vpsllq $4, MAC_HI2, MAC_T
	.elseif (\piece) == 6
	vpsllq $2, MAC_HI2, MAC_HI2
	vpaddq MAC_T, MAC_LO0, MAC_LO0
	.elseif (\piece) == 7
	vpaddq MAC_HI2, MAC_LO0, MAC_LO0
	.elseif (\piece) == 8
	vpsrlq $44, MAC_LO0, MAC_T
	vpandq .Lalike_m44(%rip){1to8}, MAC_LO0, MAC_LO0
	.else
	vpaddq MAC_T, MAC_LO1, MAC_LO1
	vmovdqa64 MAC_LO0, H(%\group)
	vmovdqa64 MAC_LO1, H+64(%\group)
	.endif
.endm

/* Block 0 comes last, because it waits for h. */
.macro mac_piece group, rows, piece
	.if (\piece) < 28
	mac_half \rows, ((\piece)/14), ((\piece)%14)
	.elseif (\piece) == 28
	vpxord MAC_LO0, MAC_LO0, MAC_LO0
	vpxord MAC_LO1, MAC_LO1, MAC_LO1
	vpxord MAC_LO2, MAC_LO2, MAC_LO2
	.elseif (\piece) == 29
	vpxord MAC_HI0, MAC_HI0, MAC_HI0
	vpxord MAC_HI1, MAC_HI1, MAC_HI1
	vpxord MAC_HI2, MAC_HI2, MAC_HI2
	.elseif (\piece) < 66
	mac_limb_products \group, (3-((\piece)-30)/9), (2-((\piece)-30)/3%3), (((\piece)-30)%3)
	.else
	mac_carry \group, ((\piece)-66)
	.endif
.endm

/* ------------------------------------------------------------------------------------------- the rounds
 *
 * alike_step has 5 slots, a double round 40; five double rounds share 200 among the columns of two groups. */
#define MAC_SLOTS 100
#define MAC_PIECES 76

.macro alike_mac
	.set alike_from, alike_at%MAC_SLOTS*MAC_PIECES/MAC_SLOTS
	.set alike_to, (alike_at%MAC_SLOTS+1)*MAC_PIECES/MAC_SLOTS
	.if alike_from < alike_to
	.if alike_at < MAC_SLOTS
	mac_piece r10, 0, alike_from
	.else
	mac_piece r11, 64, alike_from
	.endif
	.endif
	.set alike_at, alike_at+1
.endm

.macro alike_no_mac
.endm

/* y += s, u ^= y, where y is word `word` of Y's row in memory. */
.macro alike_add_xor y, s, u
	vpaddd Y_ROWS+64*\y(%rdi), %zmm\s, %zmm24
	vmovdqa64 %zmm24, Y_ROWS+64*\y(%rdi)
	vpxord %zmm24, %zmm\u, %zmm\u
.endm

.macro alike_step slot, bits, p0, p1, p2, p3, q0, q1, q2, q3, t0, t1, t2, t3, y0, y1, y2, y3, s0, s1, s2, s3, u0, u1, u2, u3
	chacha_add2 zmm, \p0, \p1, \q0, \q1
	chacha_xor2 zmm, \t0, \t1, \p0, \p1
	\slot
	alike_add_xor \y0, \s0, \u0
	chacha_rol2 zmm, \bits, \t0, \t1
	\slot
	alike_add_xor \y1, \s1, \u1
	chacha_add2 zmm, \p2, \p3, \q2, \q3
	\slot
	chacha_rol2 zmm, \bits, \u0, \u1
	chacha_xor2 zmm, \t2, \t3, \p2, \p3
	alike_add_xor \y2, \s2, \u2
	\slot
	chacha_rol2 zmm, \bits, \t2, \t3
	alike_add_xor \y3, \s3, \u3
	\slot
	chacha_rol2 zmm, \bits, \u2, \u3
.endm

/* X's rows b, c, d, then Y's: rows a are zmm0 .. 3 and memory 0 .. 3. */
.macro alike_round slot, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, f0, f1, f2, f3, g0, g1, g2, g3, h0, h1, h2, h3
	alike_step \slot, 16, 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, \
	    0, 1, 2, 3, \f0, \f1, \f2, \f3, \h0, \h1, \h2, \h3
	alike_step \slot, 12, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, \
	    \g0, \g1, \g2, \g3, \h0, \h1, \h2, \h3, \f0, \f1, \f2, \f3
	alike_step \slot, 8, 0, 1, 2, 3, \b0, \b1, \b2, \b3, \d0, \d1, \d2, \d3, \
	    0, 1, 2, 3, \f0, \f1, \f2, \f3, \h0, \h1, \h2, \h3
	alike_step \slot, 7, \c0, \c1, \c2, \c3, \d0, \d1, \d2, \d3, \b0, \b1, \b2, \b3, \
	    \g0, \g1, \g2, \g3, \h0, \h1, \h2, \h3, \f0, \f1, \f2, \f3
.endm

.macro alike_double_round slot
	alike_round \slot, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, \
	    16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23
	alike_round \slot, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, \
	    17, 18, 19, 16, 6, 7, 4, 5, 23, 20, 21, 22
.endm

/* Y in the order of its words, once rows a and c are in the registers that X had. */
#define ALIKE_Y 0,1,2,3,16,17,18,19,4,5,6,7,20,21,22,23

.macro alike_load
	burst_load zmm, 0, CHACHA_X
	.irp word, 0, 1, 2, 3
	vmovdqa64 %zmm\word, Y_ROWS+64*\word(%rdi)
	vmovdqa64 64+WORD_STEP*(4+\word)(%rdi), %zmm24
	vmovdqa64 %zmm24, Y_ROWS+64*(4+\word)(%rdi)
	.endr
	.set alike_from, 64
	.irp r, 16, 17, 18, 19
	vmovdqa64 alike_from(%rdi), %zmm\r
	.set alike_from, alike_from+WORD_STEP
	.endr
	.set alike_from, 64+8*WORD_STEP
	.irp r, 20, 21, 22, 23
	vmovdqa64 alike_from(%rdi), %zmm\r
	.set alike_from, alike_from+WORD_STEP
	.endr
.endm

/* ---------------------------------------------------------------------------------------------- the ways out */

/* The block in lane alike_first + lane. */
.macro alike_put lane, r
	movq IN+8*(alike_first+\lane)(%rdi), %rax
	movq OUT+8*(alike_first+\lane)(%rdi), %rcx
	vpxord (%rax, %r8), %zmm\r, %zmm\r
	vmovdqu32 %zmm\r, (%rcx, %r9)
.endm

/* Those bytes of it that are there: k1 .. k4 say so for the lanes of each group. zmm30 is free. */
.macro alike_put_some lane, r
	movq IN+8*(alike_first+\lane)(%rdi), %rax
	movq OUT+8*(alike_first+\lane)(%rdi), %rcx
	.set alike_group, (alike_first+\lane)/8
	.if alike_group == 0
	alike_put_masked k1, \r
	.elseif alike_group == 1
	alike_put_masked k2, \r
	.elseif alike_group == 2
	alike_put_masked k3, \r
	.else
	alike_put_masked k4, \r
	.endif
.endm

.macro alike_put_masked k, r
	vmovdqu8 (%rax, %r8), %zmm30{%\k}{z}
	vpxord %zmm30, %zmm\r, %zmm\r
	vmovdqu8 %zmm\r, (%rcx, %r9){%\k}
.endm

/* The same where group 0 has no text. */
.macro alike_put_upper lane, r
	.if \lane >= 8
	alike_put_some \lane, \r
	.endif
.endm

.macro alike_masks
	kmovq BYTES(%rdi), %k1
	kmovq BYTES+8(%rdi), %k2
	kmovq BYTES+16(%rdi), %k3
	kmovq BYTES+24(%rdi), %k4
.endm

.macro alike_offsets
	movq AT(%rdi), %r8
	movq OUT_AT(%rdi), %r9
.endm

.macro alike_return
	vzeroupper
	ret
.endm

/* void alike_first_avx512(struct alike_work *w, unsigned depth): the first sweep. Words 0 .. 7 of block 0 of all
 * packets go to w->keys; depth, 1, 2 or 4, is how many blocks of a packet there are: those behind the first are text
 * under masks. */
asm_function alike_first_avx512
	burst_load zmm, 0, CHACHA_X
	burst_load zmm, 64, CHACHA_Y
	movl $10, %eax
	.p2align 6
1:	chacha_double_round_twice zmm, zmm, chacha_idle, CHACHA_X, CHACHA_Y
	decl %eax
	jnz 1b
	burst_add zmm, 1to16, 0, CHACHA_X
	burst_add zmm, 1to16, 64, CHACHA_Y
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa64 %zmm\word, KEYS+64*\word(%rdi)
	.endr
	cmpl $2, %esi
	jae 2f
	.set alike_from, KEYS+512
	.irp word, 16, 17, 18, 19, 20, 21, 22, 23
	vmovdqa64 %zmm\word, alike_from(%rdi)
	.set alike_from, alike_from+64
	.endr
	alike_return
2:	alike_masks
	alike_offsets
	je 3f
	vmovdqa64 %zmm30, SPILL(%rdi)
	vmovdqa64 %zmm31, SPILL+64(%rdi)
	.set alike_first, 0
	chacha_transpose16 alike_put_upper, 31, CHACHA_X
	vmovdqa64 SPILL(%rdi), %zmm30
	vmovdqa64 SPILL+64(%rdi), %zmm31
3:	vmovdqa64 %zmm30, %zmm2
	.set alike_first, 16
	chacha_transpose16 alike_put_some, 0, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,2,31
	alike_return
asm_end alike_first_avx512

/* Both states out. */
.macro alike_out put
	burst_add zmm, 1to16, 0, CHACHA_X
	alike_offsets
	.set alike_first, 0
	chacha_transpose16 \put, 24, CHACHA_X
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa64 Y_ROWS+64*\word(%rdi), %zmm\word
	.endr
	burst_add zmm, 1to16, 64, ALIKE_Y
	.set alike_first, 16
	chacha_transpose16 \put, 24, ALIKE_Y
	alike_return
.endm

/* void alike_sweep_avx512(struct alike_work *w, const uint8_t *const *rows, size_t rows_at, unsigned halves,
 * unsigned masked): a sweep of text, under masks or not; beside the rounds the MACs of no rows, 16 (halves 1) or 32
 * (2). */
asm_function alike_sweep_avx512
	leaq GROUPS(%rdi), %r10
	movq %r10, %r11
	addq GROUP_STEP(%rdi), %r11
	alike_load
	movl $10, %eax
	cmpl $1, %ecx
	ja 2f
	je 3f
	jmp 1f
3:	movl $5, %eax
	.p2align 6
1:	alike_double_round alike_no_mac
	decl %eax
	jnz 1b
	testl %ecx, %ecx
	jz 4f
	.p2align 6
2:	.set alike_at, 0
	.rept 5
	alike_double_round alike_mac
	.endr
	addq HALF_STEP(%rdi), %r10
	addq HALF_STEP(%rdi), %r11
	addq $128, %rsi
	decl %ecx
	jnz 2b
4:	testl %r8d, %r8d
	jnz 5f
	alike_out alike_put
5:	alike_masks
	alike_out alike_put_some
asm_end alike_sweep_avx512

/* void alike_half_avx512(struct alike_work *w): a sweep of lanes 0 .. 15 under masks, without MACs. */
asm_function alike_half_avx512
	burst_load zmm, 0, CHACHA_X
	movl $10, %eax
	.p2align 6
1:	chacha_double_round zmm, chacha_idle, CHACHA_X
	decl %eax
	jnz 1b
	burst_add zmm, 1to16, 0, CHACHA_X
	alike_masks
	alike_offsets
	.set alike_first, 0
	chacha_transpose16 alike_put_some, 24, CHACHA_X
	alike_return
asm_end alike_half_avx512

/* void alike_columns_avx512(struct alike_work *w, const uint8_t *const *rows, size_t at, unsigned groups, unsigned n): n
 * columns, 1 or more, of the first groups alone, from byte `at` of their rows on. */
asm_function alike_columns_avx512
	movq %rsi, %r9
1:	movq %r9, %rsi
	movl %ecx, %r11d
	leaq GROUPS(%rdi), %r10
	.p2align 6
2:	.set alike_from, 0
	.rept MAC_PIECES
	mac_piece r10, 0, alike_from
	.set alike_from, alike_from+1
	.endr
	addq $GROUP_SIZE, %r10
	addq $64, %rsi
	decl %r11d
	jnz 2b
	addq $64, %rdx
	decl %r8d
	jnz 1b
	alike_return
asm_end alike_columns_avx512

burst_rodata
	.p2align 3
.Lalike_m44:
	.quad 0xfffffffffff
.Lalike_m44_from_8:
	.quad 0xfffffffff00
.Lalike_top: /* 2^128 */
	.quad 0x10000000000

asm_end_of_file
