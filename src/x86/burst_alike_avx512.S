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
#define OF 2352
#define ENDED 2384
#define SCRATCH 2432
#define GROUPS 3840

#include "burst_words.inc"

/* Rows a and c of Y, then the limbs of a column; block 0 of all packets lies there while there is no MAC. */
#define Y_ROWS SCRATCH
#define LIMBS (SCRATCH+512)
#define KEYS SCRATCH
#define SPILL (SCRATCH+1024)

#include "burst_alike_mac.inc"

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
	mac_piece r10, 0, k5, alike_from
	.else
	mac_piece r11, 64, k6, alike_from
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

/* The block in lane alike_first + lane. Four are loaded, then four are stored: where packets lie in slots of a power of
 * two, a load waits for stores before it to other packets with which it shares the last twelve bits of its address. */
.macro alike_xor lane, r
	movq IN+8*(alike_first+\lane)(%rdi), %rax
	vpxord (%rax, %r8), %zmm\r, %zmm\r
.endm

.macro alike_put lane, r
	movq OUT+8*(alike_first+\lane)(%rdi), %rcx
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

.macro alike_keys
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa64 %zmm\word, KEYS+64*\word(%rdi)
	.endr
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
	alike_keys
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

/* Both states out. later: what the transposes call for blocks once more. */
.macro alike_out put, later
	burst_add zmm, 1to16, 0, CHACHA_X
	alike_offsets
	.set alike_first, 0
	chacha_transpose16 \put, 24, CHACHA_X, \later
	.irp word, 0, 1, 2, 3, 4, 5, 6, 7
	vmovdqa64 Y_ROWS+64*\word(%rdi), %zmm\word
	.endr
	burst_add zmm, 1to16, 64, ALIKE_Y
	.set alike_first, 16
	chacha_transpose16 \put, 24, ALIKE_Y, \later
	alike_return
.endm

/* void alike_sweep_avx512(struct alike_work *w, const uint8_t *const *rows, size_t rows_at, unsigned halves,
 * unsigned masked): a sweep of text, under masks or not; beside the rounds the MACs of no rows, 16 (halves 1) or 32
 * (2): column i is of group of[i], and the lanes ended[i] are left out. */
asm_function alike_sweep_avx512
	leaq OF(%rdi), %r9
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
2:	movq (%r9), %r10
	movq 8(%r9), %r11
	kmovq ENDED-OF(%r9), %k5
	kmovq ENDED-OF+8(%r9), %k6
	.set alike_at, 0
	.rept 5
	alike_double_round alike_mac
	.endr
	addq $16, %r9
	addq $128, %rsi
	decl %ecx
	jnz 2b
4:	testl %r8d, %r8d
	jnz 5f
	alike_out alike_xor, alike_put
5:	alike_masks
	alike_out alike_put_some, chacha_idle
asm_end alike_sweep_avx512

/* Lanes 0 .. 15, ready to be written under masks. */
.macro alike_half
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
.endm

/* void alike_half_avx512(struct alike_work *w): a sweep of lanes 0 .. 15 under masks, without MACs. */
asm_function alike_half_avx512
	alike_half
	chacha_transpose16 alike_put_some, 24, CHACHA_X
	alike_return
asm_end alike_half_avx512

/* void alike_first_half_avx512(struct alike_work *w): the first sweep where that is all: block 0 of eight packets,
 * whose words 0 .. 7 go to w->keys, and text in lanes 8 .. 15. */
asm_function alike_first_half_avx512
	alike_half
	alike_keys
	chacha_transpose16 alike_put_upper, 24, CHACHA_X
	alike_return
asm_end alike_first_half_avx512

/* void alike_columns_avx512(struct alike_work *w, const uint8_t *const *rows, size_t at, unsigned groups, unsigned n): n
 * columns, 1 or more, of the first groups alone, from byte `at` of their rows on. */
asm_function alike_columns_avx512
	kxorq %k5, %k5, %k5
	movq %rsi, %r9
1:	movq %r9, %rsi
	movl %ecx, %r11d
	leaq GROUPS(%rdi), %r10
	.p2align 6
2:	.set alike_from, 0
	.rept MAC_PIECES
	mac_piece r10, 0, k5, alike_from
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
