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
 * Below MPI_THREAD_MULTIPLE messages that are completed many at once are recorded in a ring instead (request_table.h).
 *
 * With MPI2DD_FLAG_BEING_DEBUGGED a record that has ended is not taken over: it stays until trk_requests_release(), or
 * until no other slot is left (counted in the slab's n_forgotten). A thread notices the flag when it makes a request whose
 * handle value is new to it or calls MPI_Request_free, and all do after a trk_requests_release(). Requests that were
 * complete at birth are not kept: their value says nothing.
 *
 * What is never seen to end (a function that we do not wrap) stays live until its handle value comes again.
 */
#ifndef TRK_REQUESTS_H
#define TRK_REQUESTS_H

#include "request_table.h"

#pragma GCC visibility push(hidden)

/**
 * Give the requests their slab. Called once, when the registry is set up; nothing is recorded before.
 *
 * @param records zero; 64 to 2^20 of them, a multiple of 64, kept
 * @param slab    its `high` and `n_dropped` are written from now on
 * @param aside   trk_requests_aside(capacity) bytes, zero, kept: what finding them takes, so that it is there in advance
 */
void trk_requests_setup(struct trk_request *records, uint32_t capacity, struct trk_slab *slab, void *aside);
size_t trk_requests_aside(uint32_t capacity);

/** How many there are when so many are wanted: threads get them by 64, and there is a limit. 0: 0. */
uint32_t trk_requests_capacity(uint64_t wanted);

/** After MPI_Init and MPI_Init_thread: below MPI_THREAD_MULTIPLE a handle value that comes again is known to have ended. */
void trk_requests_started(int rc);

/** The program was told that it is complete: freed, or inactive when it is persistent. Unknown ones: nothing. */
void trk_request_done(struct m2d_thread *t, uint64_t handle);

/** Beside enum trk_request_flag: the operation has failed, or may have, so that nothing was made by it. */
enum { TRK_GONE_FAILED = 1 << 8 };

/** The handle is gone (MPI_Request_free, or REQUEST_NULL after a completion). @p flags are added. */
void trk_request_gone(struct m2d_thread *t, uint64_t handle, unsigned flags);

/** MPI_Psend_init and MPI_Precv_init, after trk_request_born(): say that it has so many partitions. */
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
 * The live record with this handle value, for callers off the hot path. NULL: none, or @p shared: the value is that of many
 * requests, and which one is meant is not known.
 */
const struct trk_request *trk_request_look(const struct m2d_thread *t, uint64_t handle, bool *shared);

/** Part of MPI2DD_release(): forget the ended requests that had this handle value. @return how many */
int trk_requests_release(uint64_t handle);

/**
 * A handle value is that of a new object from now on, before the program knows: live requests that name the earlier object
 * by it name it by its number (TRK_BY_NUMBER). With the lock held. Looks at the first 4,096 records; at none while no
 * request is live.
 */
void trk_requests_name(enum trk_kind kind, uint64_t handle, uint64_t id);

/** Number of live requests of all threads: added up without a lock, for who needs it seldom. */
uint64_t trk_requests_n_live(void);

/** Number of live records with this handle value, in all threads; for tests and other callers off the hot path. */
unsigned trk_requests_live(uint64_t handle);

/**
 * One handle has become what it is now, by a call that told the program that the request is complete.
 *
 * @param failed it was not told that the operation has succeeded
 */
static inline void trk_completed(struct m2d_thread *t, MPI_Request was, MPI_Request is, bool failed)
{
	if (was == m2d_constants.request_null)
		return;
	if (is == m2d_constants.request_null)
		trk_request_gone(t, TRK_BITS(was), failed ? TRK_GONE_FAILED : 0);
	else
		trk_request_done(t, TRK_BITS(was));
}

/**
 * A call for one has failed with @p rc and left the handle as it was. A persistent one is inactive now, when the error is
 * that of its operation; its handle says nothing of that.
 */
__attribute__((cold)) void trk_request_failed(MPI_Request was, int rc);

/** As trk_completed(), in the usual call of this frame. @return false: it is not the usual end, and nothing was done */
static inline __attribute__((always_inline)) bool trk_completed_message(struct trk_frame *frame, MPI_Request was,
									MPI_Request is)
{
	struct trk_thread *slot = trk_slot_of(frame);
	bool null = was == m2d_constants.request_null || is != m2d_constants.request_null;

	if (__builtin_expect(null || !trk_request_end_message(slot, TRK_BITS(was)), 0))
		return false;
	TRK_COUNT(slot->n_retired);
	return true;
}

/** Each of @p n handles has become what it is now, by a call that told the program that all of them are complete and well. */
void trk_completed_all(int n, const MPI_Request was[], const MPI_Request is[]);

/** An array of many was completed, one by one: the ring is opened when there was a use for it (request_ring.c). */
void trk_ring_want(struct trk_thread *slot) __attribute__((cold));

/** The same of the last @p n_left by the call of this frame, which has how many there are and what they have become. */
void trk_completed_slowly(const struct trk_frame *frame, const MPI_Request was[], size_t n_left) __attribute__((cold));

/** The same by MPI_Waitall: how many there are and what they have become is in its frame. */
static inline __attribute__((always_inline)) void trk_completed_few(struct trk_frame *frame, const MPI_Request was[])
{
	struct trk_thread *slot = trk_slot_of(frame);
	const MPI_Request *all = was, null = m2d_constants.request_null;
	uint64_t n_ended = 0;

	for (size_t n = (size_t)frame->count; n; n--, was++) {
		if (*was == null)
			continue;
		/* a message's request is gone when it is complete: no need to look what its handle is now */
		if (__builtin_expect(!trk_request_end_message(slot, TRK_BITS(*was)), 0)) {
			trk_completed_slowly(frame, all, n);
			break;
		}
		n_ended++;
	}
	TRK_ADD(slot->n_retired, n_ended);
	if (n_ended >= TRK_ROUND_MIN && !slot->limit)
		trk_ring_want(slot);
}

/** The same when they are all of the round. */
static inline __attribute__((always_inline)) void trk_completed_round(struct trk_frame *frame)
{
	struct trk_thread *slot = trk_slot_of(frame);

	TRK_ADD(slot->n_retired, (uint64_t)frame->count);
	trk_round_end(slot, (uint64_t)frame->count);
}

/** After an error of a call that waited for all requests of the round: those that are in the array no more have ended. */
void trk_round_left(struct trk_thread *slot, int n, const MPI_Request requests[]) __attribute__((cold));

/* ---- handles of arrays, saved before a call that sets them to MPI_REQUEST_NULL ------------------------- */

enum { TRK_SAVED = 128 };

/** On the wrapper's stack; longer arrays are kept in memory of the thread, which is reserved when it first calls. */
struct trk_saved {
	int n;
	MPI_Request *handles; /**< NULL: there was no memory, and what has become of them is not recorded */
	size_t bytes;         /**< of memory to be given back: an array longer than what the thread has */
	bool round;           /**< MPI_Waitall and its like, the usual way: they are all of the round, and not saved */
	MPI_Request few[TRK_SAVED];
};

void trk_save_many(struct trk_saved *saved, int n, const MPI_Request requests[]);
void trk_saved_free(struct trk_saved *saved);

/** As QUICK_IF(FEW(n, requests), ...): they fit on the stack. */
#define FEW(n, requests) ((unsigned)(n) <= TRK_SAVED && (requests))

/** They are in saved->few. */
static inline void trk_saved_few(struct trk_saved *saved, int n)
{
	saved->n = n;
	saved->handles = saved->few;
}

/** @p few FEW() is known to be true: trk_saved_few() is left to who needs it */
static inline __attribute__((always_inline)) void trk_save(struct trk_saved *saved, int n, const MPI_Request requests[],
							   bool few)
{
	if (!few) {
		n = requests && n > 0 ? n : 0;
		trk_saved_few(saved, n);
		if (n > TRK_SAVED) {
			trk_save_many(saved, n, requests);
			return;
		}
	}
	/* one by one, as wide as they were written: a wider load would wait for the stores */
	for (int i = 0; i < n; i++)
		saved->few[i] = __atomic_load_n(&requests[i], __ATOMIC_RELAXED);
}

/** Where the few are, anew: no register is to be saved for it. */
static inline __attribute__((always_inline)) const MPI_Request *trk_few(const struct trk_saved *saved)
{
#if defined(__x86_64__)
	const MPI_Request *ret;

	__asm__ volatile("leaq %1, %0" : "=r"(ret) : "m"(saved->few));
	return ret;
#else
	return saved->few;
#endif
}

/** After MPI_Waitall, MPI_Testall with a true flag: all, or those that an error in the statuses leaves. */
void trk_saved_all(struct trk_saved *saved, int rc, const MPI_Request requests[], const MPI_Status statuses[]);

/**
 * After MPI_Waitsome, Waitany and their like: the @p n whose index is named, and after an error also those that are gone.
 *
 * @param statuses one for each index that is named; NULL: there are none
 */
void trk_saved_some(struct m2d_thread *t, struct trk_saved *saved, int rc, const int *n, const int indices[],
		    const MPI_Request requests[], const MPI_Status statuses[]);

/** The memory for long arrays, of the calling thread: it goes with the slot of threads of this number. */
void trk_saved_begin(unsigned number);
void trk_saved_end(void);

/* ---- for rows ---------------------------------------------------------------------------------------- */

/** BEFORE and AFTER of MPI_Wait and its like. After an error the request may be gone all the same. */
#define SAVE_ONE(request) MPI_Request was = (request) ? *(request) : m2d_constants.request_null
#define ONE_DONE(request, complete)                                                                                    \
	do {                                                                                                           \
		if (!((complete) || ((request) && *(request) != was))) {                                               \
			if (__builtin_expect(rc != MPI_SUCCESS, 0))                                                    \
				trk_request_failed(was, rc);                                                           \
			break;                                                                                         \
		}                                                                                                      \
		if (!quick || rc != MPI_SUCCESS || !trk_completed_message(frame, was, *(request)))                     \
			trk_completed(t, was, *(request), rc != MPI_SUCCESS);                                          \
	} while (0)

/** BEFORE of MPI_Waitall and its like. */
#define SAVE(n, requests)                                                                                              \
	struct trk_saved was;                                                                                          \
	was.round = false;                                                                                             \
	trk_save(&was, n, requests, quick)

/**
 * MPI_Waitall and its like. What AFTER asks for is in the frame, the statuses (told to nobody) in place of a buffer: no
 * register is to be saved for it.
 */
#define SAVE_ALL(n, requests, statuses)                                                                                \
	struct trk_saved was;                                                                                          \
	was.round = quick ? trk_round_is(trk_slot_of(frame), n, requests)                                              \
			  : (requests) && trk_is_first(t, frame) && trk_round_is(t->slot, n, requests);                \
	if (!was.round)                                                                                                \
		trk_save(&was, n, requests, quick);                                                                    \
	frame->buffer = (uintptr_t)(statuses)
#define ALL_DONE(requests, statuses)                                                                                   \
	do {                                                                                                           \
		const MPI_Request *are = quick ? (const MPI_Request *)frame->requests : (requests);                    \
		if (was.round && rc == MPI_SUCCESS) {                                                                  \
			trk_completed_round(frame);                                                                    \
			break;                                                                                         \
		}                                                                                                      \
		if (quick && rc == MPI_SUCCESS) {                                                                      \
			trk_completed_few(frame, trk_few(&was));                                                       \
			break;                                                                                         \
		}                                                                                                      \
		if (was.round) {                                                                                       \
			trk_round_left(trk_slot_of(frame), (int)frame->count, are);                                    \
			break;                                                                                         \
		}                                                                                                      \
		if (quick)                                                                                             \
			trk_saved_few(&was, (int)frame->count);                                                        \
		trk_saved_all(&was, rc, are, quick ? (const MPI_Status *)frame->buffer : (statuses));                  \
		if (rc == MPI_SUCCESS && was.n >= TRK_ROUND_MIN && trk_is_first(t, frame))                             \
			trk_ring_want(t->slot);                                                                        \
	} while (0)

/** AFTER of MPI_Waitsome, Waitany and their like, and of those which have found none. */
#define SOME_DONE(n, indices, requests, statuses)                                                                      \
	do {                                                                                                           \
		if (quick)                                                                                             \
			trk_saved_few(&was, (int)frame->count);                                                        \
		trk_saved_some(t, &was, rc, n, indices, requests, statuses);                                           \
	} while (0)
#define NONE_DONE                                                                                                      \
	do {                                                                                                           \
		if (!quick && !was.round)                                                                              \
			trk_saved_free(&was);                                                                          \
	} while (0)

/** AFTER of a function that makes a request: BORN(*request, TRK_REQ_PERSISTENT). */
#define BORN(request, flags)                                                                                           \
	do {                                                                                                           \
		frame->requests = (uintptr_t) & (request); /* for who watches (calls/watch.h) */                       \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_request_born(frame, TRK_BITS(request), flags);                                             \
	} while (0)

/** The same of a partitioned one. */
#define PARTITIONED(request, partitions)                                                                               \
	do {                                                                                                           \
		BORN(request, TRK_REQ_PERSISTENT);                                                                     \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_request_partitions(t, TRK_BITS(request), partitions);                                      \
	} while (0)

/** BEFORE of a nonblocking send or receive: AT_POINT, but the usual call's arguments are written where `next` is. */
static inline __attribute__((always_inline)) void trk_at_next(const struct trk_thread *slot, const void *buf,
							      int64_t count, uint64_t datatype, int peer, int tag,
							      uint64_t comm)
{
	struct trk_arguments *a = trk_arguments_at(slot->next);

	trk_store_two(&a->comm, comm, datatype);
	a->buffer = (uintptr_t)buf;
	a->count = count;
	a->peer = peer;
	a->tag = tag;
}
#define AT_MESSAGE(buf, count, datatype, peer, tag, comm)                                                              \
	do {                                                                                                           \
		if (!quick) {                                                                                          \
			AT_POINT(buf, count, datatype, peer, tag, comm);                                               \
			break;                                                                                         \
		}                                                                                                      \
		trk_at_next(trk_slot_of(frame), buf, count, TRK_BITS(datatype), peer, tag, TRK_BITS(comm));            \
		HAS(TRK_HAS_MESSAGE | TRK_HAS_NEXT);                                                                   \
	} while (0)

/** AFTER of a nonblocking send or receive, MPI_@p name; @p request a pointer, the seventh parameter. */
#define BORN_MESSAGE(request, name)                                                                                    \
	do {                                                                                                           \
		if (!quick)                                                                                            \
			frame->requests = (uintptr_t)(request);                                                        \
		if (rc != MPI_SUCCESS)                                                                                 \
			break;                                                                                         \
		uint64_t handle = TRK_BITS(*(quick ? TRK_PARAMETER_AGAIN(request, rc) : (request)));                   \
		if (quick)                                                                                             \
			next = trk_request_born_next(trk_slot_of(frame), M2D_CALL_##name, handle);                     \
		else if (trk_is_first(t, frame))                                                                       \
			trk_request_born_slowly(t->slot, M2D_CALL_##name, handle);                                     \
		else                                                                                                   \
			trk_request_born(frame, handle, 0);                                                            \
	} while (0)

#pragma GCC visibility pop

#endif /* TRK_REQUESTS_H */
