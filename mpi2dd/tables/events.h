/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file events.h
 * Raises events: writes debug_state and calls MPI2DD_breakpoint(), one thread at a time.
 */
#ifndef M2D_EVENTS_H
#define M2D_EVENTS_H

#include <mpi.h>

/**
 * Raise an event: set MPI2DD_info.debug_state to @p state, then call MPI2DD_breakpoint(). DIRECTORY_CHANGED and
 * METADIRECTORY_CHANGED are raised only if the debugger has asked for them. Events of other threads wait until this one
 * has ended. Not from a signal handler.
 */
void m2d_events_emit(int state);

/**
 * Called before each MPI2DD_breakpoint() with the cause as a permanent text. NULL, the initial value: nothing is
 * called. Must preserve errno.
 */
extern void (*m2d_events_before)(const char *why) __attribute__((visibility("hidden")));

/** Raise ABORT before the real MPI_Abort. abort_string names the error code and the communicator. */
void m2d_events_abort(MPI_Comm comm, int errorcode);

/** Raise ABORT for an error that ends the program. @param function in which the error occurred; NULL: not known. */
void m2d_events_fatal(const char *function, int code);

/**
 * Hold the calling rank while the job's gate is closed (started with --gate), until the debugger sets MPI2DD_FLAG_GATE.
 */
void m2d_events_gate(void);

#endif /* M2D_EVENTS_H */
