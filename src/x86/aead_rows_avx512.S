/* aead_rows_avx512.S: sweeps of ChaCha20 over rows of 4 and 8 blocks in zmm registers with scalar work in the slots of the
 * rounds, for one message (RFC 8439 section 2.8; the sweeps: aead_sweep.inc). Called by aead_rows_avx512.c, and by
 * aead_columns_avx512.c for the end of a message. */
#define FRAME_SIZE 64
#include "aead_sweep.inc"

asm_arch bmi2, avx512f, avx512bw, avx512vl

/* The work of the key functions is a struct fused_key (aead_fused_key.h). */
#define KEY_S 64
#define KEY_R 80

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

.macro sweep_load_rows8 words
	chacha_row_load zmm, rcx, 0, 1, 2, 3
	chacha_row_next zmm, .Lchacha_row_4, 0, 1, 2, 3, 4, 5, 6, 7
.endm

.macro sweep_first_rows8 slot, middle
.endm

.macro sweep_rounds_rows8 slot, middle
	chacha_row_double_round zmm, 2, \slot
.endm

.macro sweep_out_rows8
	sweep_input_rows
	sweep_out_row 0, 0, 1, 2, 3
	vpaddd .Lchacha_row_4(%rip), %zmm27, %zmm27
	sweep_out_row 4, 4, 5, 6, 7
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

sweep_key_function rows4
sweep_key_function rows8
sweep_mac_function rows8, 2

chacha_rodata
poly1305_mulx_rodata

asm_end_of_file
