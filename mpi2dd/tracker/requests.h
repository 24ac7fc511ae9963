/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file requests.h
 * Requests: created by the nonblocking, persistent and partitioned functions, completed by MPI_Wait, MPI_Test and their like.
 *
 * Each has a record in the table of the thread that created it (request_table.h). There is one way to create one,
 * trk_request_created(), and one way to complete one: the record is looked for by its handle value, first in the calling
 * thread's table, then in those of the others, and is ended. What several requests at once have as their handle value is
 * known from the value (Open MPI's request_empty, MPICH's built-in requests): those are complete when they are created.
 *
 * Below MPI_THREAD_MULTIPLE a handle value that comes again has ended, also when we have not seen its end: by a function that we do
 * not wrap. Not so within a call, from an error handler of MPI_Waitall: the call that completes the first request has not returned
 * yet. At MPI_THREAD_MULTIPLE it stays live until its handle value is completed again.
 *
 * With MPI2DD_FLAG_BEING_DEBUGGED a record that has ended is not used again: it stays until MPI2DD_release(), or until
 * no other is left (counted in the slab's n_forgotten). Requests that were complete when they were created are not kept: their
 * value says nothing.
 *
 * A call of MPI in a signal handler that interrupts these functions is not recorded.
 */
#ifndef TRK_REQUESTS_H
#define TRK_REQUESTS_H

#include "request_snapshot.h"
#include "request_table.h"
#include "threads.h"

#pragma GCC visibility push(hidden)

_Static_assert((int)TRK_TABLES == (int)TRK_THREADS, "a table for each slot");

/** The class of a nonblocking collective goes with the flags of CREATED: TRK_CREATED_CLASS(TRK_BCAST). */
enum { TRK_CREATED_CLASS_SHIFT = 16 };
#define TRK_CREATED_CLASS(class) (((unsigned)(class) + 1) << TRK_CREATED_CLASS_SHIFT)

/** After MPI_Init and MPI_Init_thread: can threads be in MPI at the same time? */
void trk_requests_started(int rc);

/**
 * A request was created by the call of @p frame, with its arguments. Keeps errno.
 *
 * @param flags enum trk_request_flag and TRK_CREATED_CLASS()
 */
void trk_request_created(struct m2d_thread *t, const struct trk_frame *frame, uint64_t handle, unsigned flags);

/** Beside enum trk_request_flag: the operation has failed, or may have, so that nothing was made by it. */
enum { TRK_END_FAILED = 1 << 8 };

/** The program was told that it is complete: freed, or inactive when it is persistent. Unknown ones: nothing. */
void trk_request_done(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** The request no longer exists: MPI_Request_free, or MPI_REQUEST_NULL after a completion. @p flags are added to its record. */
void trk_request_ended(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** MPI_Psend_init and MPI_Precv_init, after trk_request_created(): say that it has so many partitions. */
void trk_request_partitions(struct m2d_thread *t, uint64_t handle, int partitions);

/** MPI_Pready and its like, MPI_Parrived with a true flag: of partitions @p first to @p last. Nothing when it has no such. */
void trk_request_partition(struct m2d_thread *t, uint64_t handle, int first, int last);

/** MPI_Pready_list: of these @p n_done ones. */
void trk_request_partition_list(struct m2d_thread *t, uint64_t handle, int n_done, const int done[]);

/** Add flags to a live one. */
void trk_request_mark(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** MPI_Comm_idup is complete: @p request->buffer is where the new handle is. Written by comm.c. */
void trk_comm_idup_done(const struct trk_request *request) __attribute__((weak, visibility("hidden")));

/**
 * The live request with this handle value, a copy. @p record where it is, for its flags alone.
 *
 * @return false: none, or @p shared: the value is that of many requests, and which one is meant is not known
 */
bool trk_request_look(const struct m2d_thread *t, uint64_t handle, struct trk_request *ret,
		      const struct trk_request **record, bool *shared);

/** Is it a value that many requests have? */
bool trk_request_is_shared(uint64_t handle);

/** Number of live requests of all threads: added up without a lock; slow, for rare use. */
uint64_t trk_requests_n_live(void);

/** The kind of what a request is on. */
static inline enum trk_kind trk_request_object_kind(const struct trk_request *r)
{
	return (enum trk_kind)(r->object_kind & 15);
}
_Static_assert(TRK_N_KINDS < 16, "four bits of object_kind");

/**
 * One handle has become what it is now, by a call that told the program that the request is complete.
 *
 * @param failed it was not told that the operation has succeeded
 */
void trk_completed(struct m2d_thread *t, MPI_Request was, MPI_Request is, bool failed);

/** The same of @p n handles, by a call that has succeeded. */
void trk_completed_all(struct m2d_thread *t, int n, const MPI_Request was[], const MPI_Request is[]);

/**
 * A call for one has failed with @p rc and left the handle as it was. A persistent one is inactive now, when the error is
 * that of its operation; its handle says nothing of that.
 */
void trk_request_failed(struct m2d_thread *t, MPI_Request was, int rc);

/* ---- arrays of requests, of which there is a snapshot from before the call ------------------------------ */

/** After MPI_Waitall, MPI_Testall with a true flag: all, or those that an error in the statuses leaves. */
void trk_snapshot_all_done(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const MPI_Request requests[],
			   const MPI_Status statuses[]);

/**
 * After MPI_Waitsome, Waitany and their like: the @p n whose index is named, and after an error also those whose handle has changed.
 *
 * @param statuses one for each index that is named; NULL: there are none
 */
void trk_snapshot_some_done(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const int *n, const int indices[],
			    const MPI_Request requests[], const MPI_Status statuses[]);

/* ---- for rows: BEFORE declares a variable, AFTER uses it; both name it -------------------------------- */

/** MPI_Wait and its like. After an error the request may still have been completed and freed. */
#define SAVE_ONE(was, request) MPI_Request was = (request) ? *(request) : m2d_constants.request_null
#define ONE_DONE(was, request, complete)                                                                               \
	do {                                                                                                           \
		if ((complete) || ((request) && *(request) != was))                                                    \
			trk_completed(t, was, *(request), rc != MPI_SUCCESS);                                          \
		else if (rc != MPI_SUCCESS)                                                                            \
			trk_request_failed(t, was, rc);                                                                \
	} while (0)

/** Calls with an array. */
#define SAVE(was, n, requests)                                                                                         \
	struct trk_snapshot was;                                                                                       \
	trk_snapshot_take(&was, n, requests)
#define ALL_DONE(was, requests, statuses) trk_snapshot_all_done(t, &was, rc, requests, statuses)
#define SOME_DONE(was, n, indices, requests, statuses)                                                                 \
	trk_snapshot_some_done(t, &was, rc, n, indices, requests, statuses)
#define NONE_DONE(was) trk_snapshot_free(&was)

/** AFTER of a function that creates a request: CREATED(*request, TRK_REQ_PERSISTENT). */
#define CREATED(request, flags)                                                                                        \
	do {                                                                                                           \
		frame->requests = (uintptr_t) & (request); /* for calls/watch.h */                                     \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_request_created(t, frame, TRK_BITS(request), flags);                                       \
	} while (0)

/** The same of a partitioned one. */
#define PARTITIONED(request, partitions)                                                                               \
	do {                                                                                                           \
		CREATED(request, TRK_REQ_PERSISTENT);                                                                  \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_request_partitions(t, TRK_BITS(request), partitions);                                      \
	} while (0)

#pragma GCC visibility pop

#endif /* TRK_REQUESTS_H */
