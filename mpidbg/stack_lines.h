/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stack_lines.h
 * The stack of a thread below its call.
 */
#ifndef MPIDBG_STACK_LINES_H
#define MPIDBG_STACK_LINES_H

#include "describe.h"

/**
 * The functions of C and Python as the debugger has passed them: members `backtrace` and `python` of an open object, or
 * lines (of C with the option all only).
 */
void mpidbg_write_stack(struct mpidbg_description *d, uint64_t tid);

#endif /* MPIDBG_STACK_LINES_H */
