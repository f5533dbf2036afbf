/* aead_avx2.S: for one message in ymm registers, the sweep of aead_columns.inc. Called by aead_avx2.c. */
#include "asm.inc"

asm_arch avx2

#include "narrow_avx2.inc"

#define COLUMNS_MAC 4
#include "aead_columns.inc"

columns_function aead_sweep_columns8_avx2

narrow_rodata
asm_end_of_file
