/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file events.h
 * MPI2DD_breakpoint: debug_state is written, then the function is called; one thread at a time.
 */
#ifndef M2D_EVENTS_H
#define M2D_EVENTS_H

#include <mpi.h>

/**
 * Tell a debugger: MPI2DD_info.debug_state = @p state, then MPI2DD_breakpoint(). DIRECTORY_CHANGED and
 * METADIRECTORY_CHANGED only when the debugger has asked for them. Another thread's event waits until this one is
 * over. Not from a signal handler.
 */
void m2d_events_emit(int state);

/**
 * Called before each MPI2DD_breakpoint, with its cause in words, a text that stays. NULL, as it is at first: nothing is. It keeps
 * errno.
 */
extern void (*m2d_events_before)(const char *why) __attribute__((visibility("hidden")));

/** ABORT, with abort_string saying which code on which communicator (its name). Before the real MPI_Abort. */
void m2d_events_abort(MPI_Comm comm, int errorcode);

/** ABORT, for an end by the library's own error handler. @p function that the error is of, or NULL: not known */
void m2d_events_fatal(const char *function, int code);

/** Hold the calling rank while the job's gate is closed: until the debugger sets MPI2DD_FLAG_GATE (run with --gate). */
void m2d_events_gate(void);

#endif /* M2D_EVENTS_H */
