/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file requests.h
 * Requests: born by the nonblocking, persistent and partitioned functions, ended by MPI_Wait, MPI_Test and their kin.
 *
 * Each thread has a table of the requests that it made: no lock and no atomic operation on the usual way, where the
 * thread that made a request also completes it. Another thread's table is searched when it did not; it may change
 * meanwhile, and the search notices. MPI gives each handle to one thread at a time, so that nobody else writes a
 * record that is live.
 *
 * A handle value is no identity. A value that comes again takes the record over that it had (its request has ended).
 * What is complete at birth has a value that many share; such records are in lists, and completion takes any of them.
 *
 * What is never seen to end (a function that we do not wrap) stays live until its handle value comes again.
 */
#ifndef TRK_REQUESTS_H
#define TRK_REQUESTS_H

#include "threads.h"

#pragma GCC visibility push(hidden)

/**
 * Give the requests their slab. Called once, when the registry is set up; nothing is recorded before.
 *
 * @param records zero; 1 to 2^31 of them, kept
 * @param slab    its `high` and `n_dropped` are written from now on
 */
void trk_requests_setup(struct trk_request *records, uint32_t capacity, struct trk_slab *slab);

/** After MPI_Init and MPI_Init_thread: below MPI_THREAD_MULTIPLE a handle value that comes again is known to have ended. */
void trk_requests_started(int rc);

/** The class of a nonblocking collective goes with the flags of BORN: TRK_BORN_CLASS(TRK_BCAST). */
enum { TRK_BORN_CLASS_SHIFT = 16 };
#define TRK_BORN_CLASS(class) (((unsigned)(class) + 1) << TRK_BORN_CLASS_SHIFT)

/** A request was made by the call of @p frame, with its arguments. @p flags: enum trk_request_flag. Keeps errno. */
void trk_request_born(struct m2d_thread *t, const struct trk_frame *frame, uint64_t handle, unsigned flags);

/** The program was told that it is complete: freed, or inactive when it is persistent. Unknown ones: nothing. */
void trk_request_done(struct m2d_thread *t, uint64_t handle);

/** The handle is gone (MPI_Request_free, or REQUEST_NULL after a completion). @p flags are added. */
void trk_request_gone(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** Add flags to a live one. */
void trk_request_mark(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** MPI_Comm_idup is complete: @p request->buffer is where the new handle is. Written by comm.c. */
void trk_comm_idup_done(const struct trk_request *request) __attribute__((weak, visibility("hidden")));

/** Number of live records with this handle value, in all threads; for tests and other callers off the hot path. */
unsigned trk_requests_live(uint64_t handle);

/* ---- handles of arrays, saved before a call that sets them to MPI_REQUEST_NULL ------------------------- */

enum { TRK_SAVED = 64 };

/** On the wrapper's stack; longer arrays are kept in memory of the thread. */
struct trk_saved {
	int n;
	MPI_Request *handles; /**< NULL: there was no memory, and what has become of them is not recorded */
	size_t bytes;         /**< of memory to be given back */
	MPI_Request few[TRK_SAVED];
};

void trk_save_many(struct trk_saved *saved, int n, const MPI_Request requests[]);
void trk_saved_free(struct trk_saved *saved);

static inline void trk_save(struct trk_saved *saved, int n, const MPI_Request requests[])
{
	saved->n = n > 0 && requests ? n : 0;
	saved->bytes = 0;
	saved->handles = saved->few;
	if (__builtin_expect(saved->n > TRK_SAVED, 0))
		trk_save_many(saved, n, requests);
	else
		/* one by one, as wide as they were written: a wider load would wait for the stores */
		for (int i = 0; i < saved->n; i++)
			saved->few[i] = __atomic_load_n(&requests[i], __ATOMIC_RELAXED);
}

/** After MPI_Waitall, MPI_Testall with a true flag: all, or those that an error in the statuses leaves. */
void trk_saved_all(struct m2d_thread *t, struct trk_saved *saved, int rc, const MPI_Request requests[],
		   const MPI_Status statuses[]);

/** After MPI_Waitsome, Waitany and their like: the @p n whose index is named. After an error: those that are gone. */
void trk_saved_some(struct m2d_thread *t, struct trk_saved *saved, int rc, const int *n, const int indices[],
		    const MPI_Request requests[]);

/** One handle has become what it is now, by a call that told the program that the request is complete. */
static inline void trk_completed(struct m2d_thread *t, MPI_Request was, MPI_Request is)
{
	if (was == m2d_constants.request_null)
		return;
	if (is == m2d_constants.request_null)
		trk_request_gone(t, TRK_BITS(was), 0);
	else
		trk_request_done(t, TRK_BITS(was));
}

/** What a thread keeps for saving is given back when the thread ends. */
void trk_saved_end(void);

/* ---- for rows ---------------------------------------------------------------------------------------- */

/** BEFORE and AFTER of MPI_Wait and its like. After an error the request may be gone all the same. */
#define SAVE_ONE(request) MPI_Request was = (request) ? *(request) : m2d_constants.request_null
#define ONE_DONE(request, complete)                                                                                    \
	do {                                                                                                           \
		if ((complete) || ((request) && *(request) != was))                                                    \
			trk_completed(t, was, *(request));                                                             \
	} while (0)

/** BEFORE of MPI_Waitall and its like. */
#define SAVE(n, requests)                                                                                              \
	struct trk_saved was;                                                                                          \
	trk_save(&was, n, requests)

/** AFTER of a function that makes a request: BORN(*request, TRK_REQ_PERSISTENT). */
#define BORN(request, flags)                                                                                           \
	do {                                                                                                           \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_request_born(t, frame, TRK_BITS(request), flags);                                          \
	} while (0)

#pragma GCC visibility pop

#endif /* TRK_REQUESTS_H */
