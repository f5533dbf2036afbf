/* burst_eight_avx2.S: a sweep of eight lanes in ymm registers where there are sixteen of them, one ChaCha20 block a lane
 * (RFC 8439 section 2.3), each with its own key, number, nonce, source and destination; and beside its rounds, in
 * general registers, the Poly1305 of eight packets (section 2.5). Called by burst_alike_eight.h, which knows the order
 * of things. */
#include "asm.inc"

asm_arch avx2, bmi2

#include "narrow_avx2.inc"

#define NARROW_AT 64
#include "chacha_narrow.inc"
#include "burst_eight.inc"

/* rcx: the words. */
.macro eight_load
	.irp i, 2, 3
	n_load 8, EIGHT_ROW(8+\i)
	n_store ROW_C(\i), 8
	.endr
	.irp i, 0, 1, 2, 3
	n_load \i, .Leight_sigma+BYTES*\i(%rip)
	.endr
	.irp i, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15
	n_load \i, EIGHT_ROW(\i)
	.endr
.endm

.macro eight_input p, word
	.if (\word) < 4
	vpaddd .Leight_sigma+BYTES*(\word)(%rip), %ymm\p, %ymm\p
	.else
	vpaddd EIGHT_ROW(\word), %ymm\p, %ymm\p
	.endif
.endm

.macro eight_put at, p, label, next
	eight_pointers ((\at)/64)
	n_xor_bytes \p, (\at)%64(%rax)
	n_bytes (\at)%64(%rdx), \p
.endm

/* Eight slots. */
.macro eight_slot n
	.if (\n) % 2 == 1
	eight_block ((\n)/2)
	.endif
.endm

.macro eight_rounds slot=narrow_free
	narrow_double_round \slot
.endm

.macro eight_out
	narrow_out eight_put, eight_input, eight_half
.endm

eight_functions avx2, NARROW_AT+NARROW_FRAME

narrow_rodata
	.p2align 5
.Leight_sigma: /* "expand 32-byte k", each word eight times */
	.irp word, 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574
	.fill 8, 4, \word
	.endr
asm_end_of_file
