/* burst_sweep_avx512.S: the ChaCha20 sweep of a burst (RFC 8439 section 2.3) in zmm and ymm registers: one block a
 * lane, each lane with its own key, number, nonce, source and destination. Called by burst_sweep_asm.h. */
#include "asm.inc"
#include "chacha_rounds.inc"

	asm_arch avx512f, avx512vl

/* The layout of struct aead_sweep, which burst_sweep_asm.h checks. */
#define WORD_STEP 192
#define IN 2304
#define OUT 2688

#include "burst_words.inc"

/* Block `block` of the state whose first lane is burst_first: out = in ^ block. */
.macro burst_put block, low, high
	movq IN+8*(burst_first+\block)(%rdx), %rax
	movq OUT+8*(burst_first+\block)(%rdx), %rcx
	.ifb \high
	vpxord (%rax), %zmm\low, %zmm\low
	vmovdqu32 %zmm\low, (%rcx)
	.else
	vpxord (%rax), %ymm\low, %ymm\low
	vpxord 32(%rax), %ymm\high, %ymm\high
	vmovdqu32 %ymm\low, (%rcx)
	vmovdqu32 %ymm\high, 32(%rcx)
	.endif
.endm

/* Two states in flight need all 32 registers: what the first transpose takes as its spare waits in the red zone, which
 * is wiped on the way out. */
#define SPILL -128(%rsp)

/* Two states of `lanes` lanes each, interleaved, at rdi and rdx. */
.macro burst_two_states w, bcst, lanes, transpose
	burst_load \w, 0, CHACHA_X
	burst_load \w, 4*\lanes, CHACHA_Y
	movl $10, %eax
	.p2align 6
1:	chacha_double_round_twice \w, \w, chacha_idle, CHACHA_X, CHACHA_Y
	decl %eax
	jnz 1b
	vmovdqu32 %\w\()31, SPILL
	burst_add \w, \bcst, 0, CHACHA_X
	.set burst_first, 0
	\transpose burst_put, 31, CHACHA_X
	vmovdqu32 SPILL, %\w\()31
	burst_add \w, \bcst, 4*\lanes, CHACHA_Y
	.set burst_first, \lanes
	\transpose burst_put, 0, CHACHA_Y
.endm

.macro burst_one_state w, bcst, transpose
	burst_load \w, 0, CHACHA_X
	movl $10, %eax
	.p2align 6
1:	chacha_double_round \w, chacha_idle, CHACHA_X
	decl %eax
	jnz 1b
	burst_add \w, \bcst, 0, CHACHA_X
	.set burst_first, 0
	\transpose burst_put, 16, CHACHA_X
.endm

/* burst_blocks_ISA(const struct aead_sweep *s, unsigned n): the first n lanes, n a multiple of one state's. rdi moves
 * over the words and rdx over the pointers. */
.macro burst_blocks name, w, bcst, lanes, transpose
asm_function \name
	movq %rdi, %rdx
2:	subl $2*\lanes, %esi
	jb 3f
	burst_two_states \w, \bcst, \lanes, \transpose
	addq $2*4*\lanes, %rdi
	addq $2*8*\lanes, %rdx
	jmp 2b
3:	addl $2*\lanes, %esi
	jz 4f
	burst_one_state \w, \bcst, \transpose
4:	vpxord %xmm0, %xmm0, %xmm0
	vmovdqu32 %\w\()0, SPILL
	vzeroupper
	ret
asm_end \name
.endm

burst_blocks burst_blocks_avx512, zmm, 1to16, 16, chacha_transpose16
burst_blocks burst_blocks_avx512vl, ymm, 1to8, 8, chacha_transpose8

burst_rodata
asm_end_of_file
