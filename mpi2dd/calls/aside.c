/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a wrapper calls before the real function, with all registers kept: the arguments of the call stay where they are,
 * and the compiler has no reason to move them out of the way on the usual path. x86-64 only; elsewhere these are plain
 * calls (tracker/threads.h, watch.h).
 */
#include "watch.h"

#if defined(__x86_64__)

/* Move what is in rax and r11 to where a C function finds its parameters. */
#define ASIDE(name, function, parameters)                                                                              \
	__asm__("	.text\n"                                                                                             \
		"	.type " name ", @function\n"                                                                   \
		"	.globl " name "\n"                                                                             \
		"	.hidden " name "\n" name ":\n"                                                                 \
		"	.cfi_startproc\n"                                                                                    \
		"	pushq %rbp\n"                                                                                        \
		"	.cfi_def_cfa_offset 16\n"                                                                            \
		"	.cfi_offset rbp, -16\n"                                                                              \
		"	movq %rsp, %rbp\n"                                                                                   \
		"	.cfi_def_cfa_register rbp\n"                                                                         \
		"	pushq %rdi\n"                                                                                        \
		"	pushq %rsi\n"                                                                                        \
		"	pushq %rdx\n"                                                                                        \
		"	pushq %rcx\n"                                                                                        \
		"	pushq %r8\n"                                                                                         \
		"	pushq %r9\n"                                                                                         \
		"	pushq %r10\n"                                                                                        \
		"	pushq %r11\n" parameters "	andq $-16, %rsp\n"                                                  \
		"	call " function "\n"                                                                           \
		"	leaq -64(%rbp), %rsp\n"                                                                              \
		"	popq %r11\n"                                                                                         \
		"	popq %r10\n"                                                                                         \
		"	popq %r9\n"                                                                                          \
		"	popq %r8\n"                                                                                          \
		"	popq %rcx\n"                                                                                         \
		"	popq %rdx\n"                                                                                         \
		"	popq %rsi\n"                                                                                         \
		"	popq %rdi\n"                                                                                         \
		"	popq %rbp\n"                                                                                         \
		"	.cfi_def_cfa rsp, 8\n"                                                                               \
		"	ret\n"                                                                                               \
		"	.cfi_endproc\n"                                                                                      \
		"	.size " name ", . - " name "\n")

ASIDE("m2d_enter_aside", "trk_enter_slowly",
      "	movl %eax, %edi\n"
      "	movq (%r11), %rsi\n"
      "	movq %r11, %rdx\n");
ASIDE("m2d_watch_enter_aside", "m2d_watch_enter", "	movq %rax, %rdi\n");

#endif
