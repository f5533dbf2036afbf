/* poly1305_parts_power.S: see poly1305_parts.h. One product of the fused kernels' powers of r. */
#include "asm.inc"

asm_arch bmi2

#include "poly1305_mulx.inc"

/* part_mulx_power(table, offsets): rdi and rsi as the macro wants them. */
asm_function part_mulx_power
	asm_push rbx
	asm_push r12
	asm_push r13
	asm_push r14
	asm_push r15
	poly1305_mulx_power
	asm_pop r15
	asm_pop r14
	asm_pop r13
	asm_pop r12
	asm_pop rbx
	ret
asm_end part_mulx_power

poly1305_mulx_rodata
asm_end_of_file
