/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file requests.h
 * Requests: created by the nonblocking, persistent and partitioned
 * functions, completed by MPI_Wait, MPI_Test and similar.
 *
 * Each request has a record in the table of the thread that created it (request_table.h). All
 * are created by trk_request_created(). All complete in the same way: the record is searched by
 * handle value, first in the calling thread's table, then in those of the other threads, and is
 * marked as ended. Handle values shared by several requests are recognized by the value (Open
 * MPI's request_empty, MPICH's built-in requests): such requests are complete when created.
 *
 * Below MPI_THREAD_MULTIPLE, when a handle value is reused, its earlier request has ended, even if we have not seen
 * that (it was completed by a function without a wrapper). Exception: a call nested in another one, such as from an
 * error handler in MPI_Waitall; the outer call, which completes the earlier request, has not returned yet. At
 * MPI_THREAD_MULTIPLE the earlier request stays live until its handle value is completed again.
 *
 * With MPI2DD_FLAG_BEING_DEBUGGED, an ended record is not reused: it stays until MPI2DD_release(), or until no other
 * record is left (counted in the slab's n_forgotten). Requests that were complete when created are not kept, because
 * their value identifies nothing.
 *
 * MPI calls of a signal handler that interrupts these functions are not recorded.
 */
#ifndef TRK_REQUESTS_H
#define TRK_REQUESTS_H

#include "request_snapshot.h"
#include "request_table.h"
#include "threads.h"

#pragma GCC visibility push(hidden)

_Static_assert((int)TRK_TABLES == (int)TRK_THREADS, "a table for each slot");

/** The class of a nonblocking collective, as part of the flags of CREATED(): TRK_CREATED_CLASS(TRK_BCAST). */
enum { TRK_CREATED_CLASS_SHIFT = 16 };
#define TRK_CREATED_CLASS(class) (((unsigned)(class) + 1) << TRK_CREATED_CLASS_SHIFT)

/** After MPI_Init and MPI_Init_thread: find out whether several threads may call MPI at the same time. */
void trk_requests_started(int rc);

/**
 * The call of @p frame has created a request with the arguments in the frame. Preserves errno.
 *
 * @param flags enum trk_request_flag and TRK_CREATED_CLASS()
 */
void trk_request_created(struct m2d_thread *t, const struct trk_frame *frame, uint64_t handle, unsigned flags);

/** In addition to enum trk_request_flag: the operation has failed or may have failed, so it has created no object. */
enum { TRK_END_FAILED = 1 << 8 };

/**
 * The request no longer exists: MPI_Request_free, or MPI_REQUEST_NULL
 * after a completion. @param flags are added to its record.
 */
void trk_request_ended(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** MPI_Psend_init and MPI_Precv_init, after trk_request_created(): set the number of partitions. */
void trk_request_partitions(struct m2d_thread *t, uint64_t handle, int partitions);

/**
 * MPI_Pready and similar, MPI_Parrived with a true flag: partitions
 * @p first to @p last are done. Invalid ones are ignored.
 */
void trk_request_partition(struct m2d_thread *t, uint64_t handle, int first, int last);

/** MPI_Pready_list: these @p n_done partitions are done. */
void trk_request_partition_list(struct m2d_thread *t, uint64_t handle, int n_done, const int done[]);

/** Add flags to a live request. */
void trk_request_mark(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** MPI_Comm_idup has completed: request->buffer is the address of the new handle. Defined in comm.c. */
void trk_comm_idup_done(const struct trk_request *request) __attribute__((weak, visibility("hidden")));

/**
 * Copy the live request with this handle value.
 *
 * @param[out] record the record itself, to be used for its flags only
 * @param[out] shared many requests have this handle value, and it is not known which one is meant
 * @return false: no such request, or shared
 */
bool trk_request_copy(const struct m2d_thread *t, uint64_t handle, struct trk_request *ret,
		      const struct trk_request **record, bool *shared);

/** Is this a handle value that many requests share? */
bool trk_request_is_shared(uint64_t handle);

/** Number of live requests of all threads. Adds counters up without a lock; slow, for occasional use. */
uint64_t trk_requests_n_live(void);

/** The kind of the object that a request operates on. */
static inline enum trk_kind trk_request_object_kind(const struct trk_request *r)
{
	return (enum trk_kind)(r->object_kind & 15);
}
_Static_assert(TRK_N_KINDS < 16, "four bits of object_kind");

/**
 * A call has reported one request as complete. @param was the handle before the call. @param is the handle after it.
 *
 * @param failed the call did not report success of the operation
 */
void trk_completed(struct m2d_thread *t, MPI_Request was, MPI_Request is, bool failed);

/** The same for @p n handles, after a call that has succeeded. */
void trk_completed_all(struct m2d_thread *t, int n, const MPI_Request was[], const MPI_Request is[]);

/**
 * A call for one request has failed with @p rc and left the handle unchanged. A persistent request is inactive now if
 * the error is that of its operation; the handle does not show that.
 */
void trk_request_failed(struct m2d_thread *t, MPI_Request was, int rc);

/* ---- arrays of requests, with a snapshot from before the call ------------------------------------------- */

/**
 * After MPI_Waitall, or MPI_Testall with a true flag: all requests
 * are complete, or, after an error, those that the statuses show.
 */
void trk_snapshot_all_done(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const MPI_Request requests[],
			   const MPI_Status statuses[]);

/**
 * After MPI_Waitsome, MPI_Waitany and similar: the @p n requests named by indices; after an error also those whose
 * handle has changed.
 *
 * @param statuses one for each index; NULL: none
 */
void trk_snapshot_some_done(struct m2d_thread *t, struct trk_snapshot *saved, int rc, const int *n, const int indices[],
			    const MPI_Request requests[], const MPI_Status statuses[]);

/* ---- for rows: BEFORE declares a variable that AFTER uses; both pass its name --------------------------- */

/** MPI_Wait and similar. After an error the request may still have been completed and freed. */
#define SAVE_ONE(was, request) MPI_Request was = (request) ? *(request) : m2d_constants.request_null
#define ONE_DONE(was, request, complete)                                                                               \
	do {                                                                                                           \
		if ((complete) || ((request) && *(request) != was))                                                    \
			trk_completed(t, was, *(request), rc != MPI_SUCCESS);                                          \
		else if (rc != MPI_SUCCESS)                                                                            \
			trk_request_failed(t, was, rc);                                                                \
	} while (0)

/** Calls with an array of requests. */
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

/** The same for a partitioned request. */
#define PARTITIONED(request, partitions)                                                                               \
	do {                                                                                                           \
		CREATED(request, TRK_REQ_PERSISTENT);                                                                  \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_request_partitions(t, TRK_BITS(request), partitions);                                      \
	} while (0)

#pragma GCC visibility pop

#endif /* TRK_REQUESTS_H */
