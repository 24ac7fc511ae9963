/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch.h
 * Watching calls for their listeners: events of MPI_T, and performance variables that are counted while they are
 * started (mpi2dd/mpit/).
 *
 * Without a listener a call reads one word. With a listener the wrapper of every call reports here that the call begins, with its
 * arguments in place, and that it has returned; what that means (a message, a request, a collective ...) follows from the frame,
 * from the kind of the call (kinds.h) and from what the registry knows. Callbacks run in the thread of the call, before or after
 * the real function, with no lock held.
 *
 * No end is reported for a call that began before the first listener registered, nor for one that is left by longjmp.
 * Threads beyond the registry's capacity (tracker/threads.h) are not watched.
 */
#ifndef M2D_WATCH_H
#define M2D_WATCH_H

#include "../tracker/threads.h"
#include "watching.h"

#pragma GCC visibility push(hidden)

/** For the wrappers, when m2d_is_watched(): after BEFORE, and after AFTER. They keep errno. */
void m2d_watch_enter(struct trk_frame *frame) __attribute__((cold, noinline));
void m2d_watch_leave(struct m2d_thread *t, struct trk_frame *frame, int rc) __attribute__((cold, noinline));

/**
 * What the real function is to be given in the place of the program's statuses: those, or when it ignores them ours.
 *
 * @param n        how many; @p single: the argument is one MPI_Status, not an array
 * @param n_some   how many of them are filled in, when @p indices says whose they are; NULL: one
 * @param indices  of the requests that are told; NULL: status i is request i's
 */
MPI_Status *m2d_watch_statuses(struct m2d_thread *t, struct trk_frame *frame, int n, bool single, MPI_Status *statuses,
			       const int *n_some, const int *indices) __attribute__((cold, noinline));

/* ---- for rows, last in BEFORE ------------------------------------------------------------------------ */

/** A call with one status: of a receive, or of a request; which one, when it is one of an array, is in *index. */
#define WATCH_STATUS(status)                                                                                           \
	(void)(m2d_is_watched() && (status = m2d_watch_statuses(t, frame, 1, true, status, NULL, NULL)))
#define WATCH_STATUS_OF(status, index)                                                                                 \
	(void)(m2d_is_watched() && (status = m2d_watch_statuses(t, frame, 1, true, status, NULL, index)))
/** A call with a status for each request; for those in indices[0 .. *n_some - 1]. */
#define WATCH_STATUSES(n, statuses)                                                                                    \
	(void)(m2d_is_watched() && (statuses = m2d_watch_statuses(t, frame, n, false, statuses, NULL, NULL)))
#define WATCH_STATUSES_OF(n, statuses, n_some, indices)                                                                \
	(void)(m2d_is_watched() && (statuses = m2d_watch_statuses(t, frame, n, false, statuses, n_some, indices)))

#pragma GCC visibility pop

#endif /* M2D_WATCH_H */
