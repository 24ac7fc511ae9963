/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stack.h
 * Analysis of the stack of a thread in a snapshot: lines of text, innermost first.
 */
#ifndef VD_STACK_H
#define VD_STACK_H

#include <jansson.h>
#include <stdbool.h>

/**
 * The frame that called MPI; for a thread in no MPI function, the innermost frame of the program itself: one with
 * a source line, or else the function that main has called.
 *
 * @param python the Python functions of the thread (docs/json.md); NULL: none, or the snapshot is of an earlier version
 * @return borrowed; NULL: there is none
 */
const char *vd_stack_place(const json_t *backtrace, const json_t *python, bool in_mpi);

/** Was the thread created by a library, with no function of the program on its stack? */
bool vd_stack_is_helper(const json_t *backtrace);

#endif /* VD_STACK_H */
