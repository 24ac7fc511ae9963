/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file errors.h
 * The last error that an MPI call of a thread has returned to the program.
 */
#ifndef M2D_ERRORS_H
#define M2D_ERRORS_H

#include "../tracker/threads.h"

#pragma GCC visibility push(hidden)

/**
 * Raise the event of a call that has returned an error, and record it for its thread. Those of files are not recorded:
 * they have MPI_ERRORS_RETURN by default, and a file that is not there is no fault.
 *
 * @param call M2D_CALL_*
 * @param name without "MPI_"
 */
void m2d_note_error(struct m2d_thread *t, unsigned call, const char *name, int code, const void *caller);

#pragma GCC visibility pop

#endif /* M2D_ERRORS_H */
