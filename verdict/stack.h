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
 * a source line, or else with a name that is neither MPI's nor the system's, or else "?? in pw.x+0x3f2a1c". If the
 * caller of MPI has no name, the innermost such frame outside.
 *
 * @param python the Python functions of the thread (docs/json.md); NULL: none, or the snapshot is of an earlier version
 * @param sources of its process (docs/json.md): lines of files of
 * the system are not the program's, if it has others; NULL: unknown
 * @return borrowed; NULL: there is none
 */
const char *vd_stack_place(const json_t *backtrace, const json_t *python, const json_t *sources, bool in_mpi);

/**
 * Does a thread in an MPI function only wait for messages, as far as its stack shows: it is not about to send something
 * itself, and does not process a message at this moment?
 *
 * @param starts_nothing the function has no other action left than to wait: MPI_Recv, MPI_Wait; false: it may be
 * between two messages, so that only the library's function that waits is evidence
 */
bool vd_stack_waits(const json_t *backtrace, bool starts_nothing);

/**
 * Does a thread in no MPI function wait for another thread of its process: in pthread_join, at a condition or a
 * barrier, for a mutex or semaphore, for Python's global lock, or in the OpenMP runtime, which may spin?
 */
bool vd_stack_waits_for_own(const json_t *backtrace);

/** Was the thread created by a library, with no function of the program on its stack? */
bool vd_stack_is_helper(const json_t *backtrace);

/** Is it a function of MPI or of an MPI library, by the beginning of its name? */
bool vd_stack_is_mpi(const char *frame);

/** Of a helper: does the MPI library, or one that it uses, make progress in it? */
bool vd_stack_is_progress(const json_t *backtrace);

#endif /* VD_STACK_H */
