/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stack_lines.h
 * The stack of a thread below its call.
 */
#ifndef MPIDBG_STACK_LINES_H
#define MPIDBG_STACK_LINES_H

#include "describe.h"

/**
 * Write the C and Python functions of a thread: members `backtrace` and `python` of the open object, or lines (C
 * functions only with the option all).
 */
void mpidbg_write_stack(struct mpidbg_description *d, uint64_t tid);

#endif /* MPIDBG_STACK_LINES_H */
