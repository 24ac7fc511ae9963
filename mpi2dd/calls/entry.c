/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exported symbols MPI_X and PMPI_X. Each jumps through its slot and leaves every
 * argument where the caller put it. The library can therefore precede an MPI library whose
 * handles have another width, and can pass on calls whose parameters it does not know. A
 * slot initially leads to m2d_lazy, which asks m2d_calls_entry() for the target (slots.c).
 *
 * Assembly for x86-64 and aarch64. On other processors the entries are C functions with the parameters of our flavour:
 * there the library of the wrong flavour must not be preloaded (32-bit handles would truncate pointers).
 */
#include "calls.h"
#include "registers.h"

/* Defined below together with the entries: first the rows, then MPI_T. */
extern void *m2d_slots[2 * (M2D_N_CALLS + M2D_N_TOOL_CALLS)] __attribute__((visibility("hidden")));

/* The target of an entry that is called for the first time. @param caller return address of the call */
void *m2d_calls_entry(unsigned entry, const void *caller) __attribute__((used, visibility("hidden")));

void *m2d_calls_entry(unsigned entry, const void *caller)
{
	return m2d_calls_fill_slots(m2d_slots, entry, caller);
}

#if defined(__x86_64__) && defined(__LP64__)

/* Entry number and return address are on the stack; integer and vector registers may hold arguments. */
#define JUMP "	jmp *78f(%rip)\n"
#define LAZY                                                                                                           \
	"	.cfi_startproc\n"                                                                                            \
	"	pushq $m2d_index\n"                                                                                          \
	"	.cfi_adjust_cfa_offset 8\n"                                                                                  \
	"	jmp m2d_lazy\n"                                                                                              \
	"	.cfi_endproc\n"
#define WORD "	.quad"

__asm__(".text\n"
	"	.type m2d_lazy, @function\n"
	"m2d_lazy:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n" M2D_SAVE_REGISTERS "	pushq %rax\n"
	"	pushq %r10\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	subq $128, %rsp\n"
	"	.cfi_adjust_cfa_offset 128\n"
	"	movups %xmm0, (%rsp)\n"
	"	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n"
	"	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n"
	"	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n"
	"	movups %xmm7, 112(%rsp)\n"
	"	movl 192(%rsp), %edi\n"
	"	movq 200(%rsp), %rsi\n"
	"	call m2d_calls_entry\n"
	"	movq %rax, %r11\n"
	"	movups (%rsp), %xmm0\n"
	"	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n"
	"	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n"
	"	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n"
	"	movups 112(%rsp), %xmm7\n"
	"	addq $128, %rsp\n"
	"	.cfi_adjust_cfa_offset -128\n"
	"	popq %r10\n"
	"	popq %rax\n"
	"	.cfi_adjust_cfa_offset -16\n" M2D_RESTORE_REGISTERS M2D_JUMP_TO_TARGET "	.cfi_endproc\n"
	"	.size m2d_lazy, . - m2d_lazy\n");

#elif defined(__aarch64__) && defined(__LP64__)

/* x16 and x17 may be clobbered between a call and its target. hint 34 is "bti c". */
#define JUMP                                                                                                           \
	"	hint 34\n"                                                                                                   \
	"	adrp x16, 78f\n"                                                                                             \
	"	ldr x16, [x16, :lo12:78f]\n"                                                                                 \
	"	br x16\n"
#define LAZY                                                                                                           \
	"	.cfi_startproc\n"                                                                                            \
	"	hint 36\n"                                                                                                   \
	"	mov w17, #m2d_index\n"                                                                                       \
	"	b m2d_lazy\n"                                                                                                \
	"	.cfi_endproc\n"
#define WORD "	.xword"

__asm__(".text\n"
	"	.type m2d_lazy, %function\n"
	"m2d_lazy:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-224]!\n"
	"	.cfi_def_cfa_offset 224\n"
	"	.cfi_offset 29, -224\n"
	"	.cfi_offset 30, -216\n"
	"	mov x29, sp\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	stp x6, x7, [sp, #64]\n"
	"	str x8, [sp, #80]\n"
	"	stp q0, q1, [sp, #96]\n"
	"	stp q2, q3, [sp, #128]\n"
	"	stp q4, q5, [sp, #160]\n"
	"	stp q6, q7, [sp, #192]\n"
	"	mov w0, w17\n"
	"	mov x1, x30\n"
	"	bl m2d_calls_entry\n"
	"	mov x16, x0\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldp x6, x7, [sp, #64]\n"
	"	ldr x8, [sp, #80]\n"
	"	ldp q0, q1, [sp, #96]\n"
	"	ldp q2, q3, [sp, #128]\n"
	"	ldp q4, q5, [sp, #160]\n"
	"	ldp q6, q7, [sp, #192]\n"
	"	ldp x29, x30, [sp], #224\n"
	"	.cfi_def_cfa_offset 0\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	"	.size m2d_lazy, . - m2d_lazy\n");

#endif

#ifdef JUMP

/* Label 77 is the path of the first call, 78 the slot. m2d_index counts the entries at assembly time. */
#define ENTRY(symbol)                                                                                                  \
	"	.pushsection .text\n"                                                                                        \
	"	.balign 16\n"                                                                                                \
	"	.globl " symbol "\n"                                                                                   \
	"	.type " symbol ", %function\n" symbol ":\n"                                                            \
	"	.cfi_startproc\n" JUMP "	.cfi_endproc\n"                                                               \
	"	.size " symbol ", . - " symbol "\n"                                                                    \
	"77:\n" LAZY "	.popsection\n"                                                                                  \
	"	.pushsection m2d_slot_table, \"aw\"\n"                                                                       \
	"78:\n" WORD " 77b\n"                                                                                          \
	"	.popsection\n"                                                                                               \
	"	.set m2d_index, m2d_index + 1\n"

__asm__("	.pushsection m2d_slot_table, \"aw\"\n"
	"	.balign 8\n"
	"	.globl m2d_slots\n"
	"	.hidden m2d_slots\n"
	"	.type m2d_slots, %object\n"
	"m2d_slots:\n"
	"	.popsection\n"
	"	.set m2d_index, 0\n"
#define CALL(name, symbol, facts, params, args, before, after) ENTRY(#symbol) ENTRY("P" #symbol)
#include "calls.def"
#define T(name) ENTRY("MPI_T_" #name) ENTRY("PMPI_T_" #name)
#include "../mpit/functions.def"
#undef T
);

#else

#define ENTRY(symbol, entry, params, args)                                                                             \
	M2D_EXPORT int symbol params;                                                                                  \
	int symbol params                                                                                              \
	{                                                                                                              \
		int(*to) params = (int(*) params)__atomic_load_n(&m2d_slots[entry], __ATOMIC_ACQUIRE);                 \
		if (!to)                                                                                               \
			to = (int(*) params)m2d_calls_entry(entry, __builtin_return_address(0));                       \
		return to args;                                                                                        \
	}
void *m2d_slots[2 * (M2D_N_CALLS + M2D_N_TOOL_CALLS)];
/* On these processors MPI_T remains the MPI library's own, because its functions have different parameters. */
#define CALL(name, symbol, facts, params, args, before, after)                                                         \
	ENTRY(symbol, 2 * M2D_CALL_##name + M2D_MPI, params, args)                                                     \
	ENTRY(P##symbol, 2 * M2D_CALL_##name + M2D_PMPI, params, args)
#include "calls.def"

#endif
