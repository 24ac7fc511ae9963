/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch.h
 * Watches calls on behalf of listeners: events of MPI_T, and
 * performance variables while they are started (mpi2dd/mpit/).
 *
 * Without a listener, the cost for a call is to read one word. With a listener, the wrapper of every call reports here
 * when the call begins, with its arguments in the frame, and when it has returned. What happened (a message, a request,
 * a collective ...) is derived from the frame, the facts about the function (functions/functions.h) and the registry.
 * Callbacks run in the thread of the call, before or after the real function, with no lock held.
 *
 * No end is reported for a call that began before the first listener registered, nor for one that is left by longjmp.
 * Threads beyond the registry's capacity (tracker/threads.h) are not watched.
 */
#ifndef M2D_WATCH_H
#define M2D_WATCH_H

#include "../tracker/threads.h"
#include "watching.h"

#pragma GCC visibility push(hidden)

/** For the wrappers, if m2d_is_watched(): to be called after BEFORE, and after AFTER. Both preserve errno. */
void m2d_watch_enter(struct trk_frame *frame) __attribute__((cold, noinline));
void m2d_watch_leave(struct m2d_thread *t, struct trk_frame *frame, int rc) __attribute__((cold, noinline));

/**
 * Choose the statuses to pass to the real function: the program's, or our own if the program ignores them.
 *
 * @param n        number of statuses
 * @param single   the argument is one MPI_Status, not an array
 * @param statuses the program's argument
 * @param n_some   with @p indices: where the call stores how many statuses it fills in; NULL: one
 * @param indices  where the call stores which request each status belongs to; NULL: status i belongs to request i
 * @return the array or status to pass; it belongs to the thread or the program
 */
MPI_Status *m2d_watch_statuses(struct m2d_thread *t, struct trk_frame *frame, int n, bool single, MPI_Status *statuses,
			       const int *n_some, const int *indices) __attribute__((cold, noinline));

/* ---- for rows, as the last part of BEFORE ---------------------------------------------------------------- */

/** A call with one status, of a receive or a request; for a request from an array, its position is in *index. */
#define WATCH_STATUS(status)                                                                                           \
	(void)(m2d_is_watched() && (status = m2d_watch_statuses(t, frame, 1, true, status, NULL, NULL)))
#define WATCH_STATUS_OF(status, index)                                                                                 \
	(void)(m2d_is_watched() && (status = m2d_watch_statuses(t, frame, 1, true, status, NULL, index)))
/** A call with a status for each request; for the requests in indices[0 .. *n_some - 1]. */
#define WATCH_STATUSES(n, statuses)                                                                                    \
	(void)(m2d_is_watched() && (statuses = m2d_watch_statuses(t, frame, n, false, statuses, NULL, NULL)))
#define WATCH_STATUSES_OF(n, statuses, n_some, indices)                                                                \
	(void)(m2d_is_watched() && (statuses = m2d_watch_statuses(t, frame, n, false, statuses, n_some, indices)))

#pragma GCC visibility pop

#endif /* M2D_WATCH_H */
