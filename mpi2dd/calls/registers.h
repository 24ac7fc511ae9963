/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registers.h
 * Assembly shared by the entries on x86-64 (entry.c, fortran_entry.c), which call a C function of this library and then
 * jump to the real target with the arguments of the original call in place.
 *
 * An entry has pushed a number above the return address ("pushq $number") before it jumps here. Between
 * M2D_SAVE_REGISTERS and M2D_RESTORE_REGISTERS the number is at 48(%rsp) and the return address at 56(%rsp).
 * M2D_JUMP_TO_TARGET drops the number and jumps to the address in %r11, a register that holds no argument.
 */
#ifndef M2D_REGISTERS_H
#define M2D_REGISTERS_H

/* The registers that hold integer arguments. */
#define M2D_SAVE_REGISTERS                                                                                             \
	"	pushq %rdi\n"                                                                                                \
	"	pushq %rsi\n"                                                                                                \
	"	pushq %rdx\n"                                                                                                \
	"	pushq %rcx\n"                                                                                                \
	"	pushq %r8\n"                                                                                                 \
	"	pushq %r9\n"                                                                                                 \
	"	.cfi_adjust_cfa_offset 48\n"
#define M2D_RESTORE_REGISTERS                                                                                          \
	"	popq %r9\n"                                                                                                  \
	"	popq %r8\n"                                                                                                  \
	"	popq %rcx\n"                                                                                                 \
	"	popq %rdx\n"                                                                                                 \
	"	popq %rsi\n"                                                                                                 \
	"	popq %rdi\n"                                                                                                 \
	"	.cfi_adjust_cfa_offset -48\n"
#define M2D_JUMP_TO_TARGET                                                                                             \
	"	addq $8, %rsp\n"                                                                                             \
	"	.cfi_adjust_cfa_offset -8\n"                                                                                 \
	"	jmp *%r11\n"

#endif /* M2D_REGISTERS_H */
