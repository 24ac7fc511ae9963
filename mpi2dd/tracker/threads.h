/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file threads.h
 * Current calls: which MPI call each thread of the program is in, with its arguments.
 *
 * The wrapper of every row enters and leaves the call; the ARGS_ macros in a row's BEFORE add the arguments. Each
 * thread writes only its own slot of the registry (struct trk_thread): no lock, no atomic read-modify-write. What a
 * reader sees between any two instructions is consistent (track_layout.h defines the order). A thread beyond the
 * registry's capacity uses a private slot that no reader finds, and is counted in n_threads_dropped.
 */
#ifndef TRK_THREADS_H
#define TRK_THREADS_H

#include "../../include/track_layout.h"
#include "../calls/calls.h"
#include "clock.h"

#pragma GCC visibility push(hidden)

enum { TRK_THREADS = 512 };

/** The slots of the registry. */
extern struct trk_thread trk_threads[TRK_THREADS];

/** Thread-local state, zero at first. In wrappers: `t`. */
struct m2d_thread {
	struct trk_thread *slot; /**< NULL: the thread has not called MPI yet */
	/**
	 * Address range of the program's code: calls from it are the program's. Empty before the first call. A copy, to
	 * save an indirection.
	 */
	uintptr_t program_from, program_bytes;
	/**
	 * Return address of the Fortran routine that is about to
	 * call the C function (calls/fortran_entry.c); NULL: none.
	 */
	const void *binding_caller;
	const void *binding_frame; /**< address of the stack word that holds it */
	unsigned binding_call;     /**< M2D_CALL_*: the C function */
	unsigned number;           /**< of its slot; TRK_THREADS: it uses `own` */
	struct trk_comm *last;     /**< the communicator of its last collective, or NULL */
	uint64_t *last_counters;   /**< the counters of `last`; not NULL if `last` is not */
	/** The communicator or file created by the call of `frame`, for calls/watch.h. */
	struct {
		const struct trk_frame *frame; /**< NULL: none */
		uint64_t handle, parent;       /**< parent 0: none */
	} created;
	/** The last access to a window, for trk_win_flushed(). */
	struct {
		uint64_t win; /**< 0: none */
		int target;
		uint32_t n_locks; /**< trk_n_locks at that time */
	} access;
	struct trk_thread own;
};
extern __thread struct m2d_thread m2d_thread __attribute__((tls_model("initial-exec")));

/** How often a lock of a window was requested or released. */
extern uint32_t trk_n_locks;

/** The bits of a handle, zero-extended, whatever its type on this host. */
#define TRK_BITS(handle) (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

/** The handle with these bits. */
#define TRK_HANDLE(type, bits) ((type)(uintptr_t)(bits))

/** Compiler barrier: a debugger that stops this thread sees the stores before it earlier than those after it. */
static inline void trk_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/**
 * Store a word that other threads (the stall detector, MPI_T variables) may read at the same time: not torn, and as
 * fast as a plain store. They read it with __atomic_load_n() and get a value that was current at some instant.
 */
#define TRK_PUT(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

/** Add to a word that only the calling thread writes. */
#define TRK_ADD(word, n) TRK_PUT(word, (word) + (n))
#define TRK_COUNT(word)  TRK_ADD(word, 1)

/* bits of frames[].flags */
enum { TRK_FRAME_PMPI = 1, TRK_FRAME_PASSED = 2 };

/** Sum of a 64-bit counter over all threads. @param field its offset in struct trk_thread. */
uint64_t trk_threads_sum(size_t field);

/**
 * The part of trk_enter() for the first call of a thread, nested calls, and calls from outside the program's code.
 *
 * @param entry 2 * call + M2D_MPI or M2D_PMPI
 */
struct trk_frame *trk_enter_slow_path(unsigned entry, const void *caller, const void *frame);

/* Write call, flags, depth and the argument bits with one store. */
typedef uint64_t trk_word __attribute__((may_alias));

static inline __attribute__((always_inline)) void trk_put_head(struct trk_frame *f, uint16_t call, uint8_t flags,
							       uint8_t depth, uint32_t has)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t head = (uint64_t)call | (uint64_t)flags << 16 | (uint64_t)depth << 24 | (uint64_t)has << 32;
#else
	uint64_t head = (uint64_t)call << 48 | (uint64_t)flags << 40 | (uint64_t)depth << 32 | has;
#endif

	trk_order();
	TRK_PUT(*(trk_word *)(void *)f, head);
	trk_order();
}
_Static_assert(offsetof(struct trk_frame, call) == 0 && offsetof(struct trk_frame, flags) == 2 &&
		       offsetof(struct trk_frame, depth) == 3 && offsetof(struct trk_frame, has) == 4 &&
		       offsetof(struct trk_frame, comm) == 8,
	       "the head");

/** Number of nested calls that the thread is in. */
static inline uint32_t trk_depth(const struct trk_thread *s)
{
	return __atomic_load_n(&s->frames[0].depth, __ATOMIC_RELAXED);
}

static inline void trk_set_depth(struct trk_thread *s, uint32_t depth)
{
	TRK_PUT(s->frames[0].depth, (uint8_t)depth);
}

/* Start to use a frame of this slot. Its `since` is 0 already. */
static inline struct trk_frame *trk_begin(struct trk_thread *s, uint32_t depth, unsigned entry, const void *caller,
					  const void *frame)
{
	struct trk_frame *f = &s->frames[depth];

	f->caller = (uintptr_t)caller;
	f->frame = (uintptr_t)frame;
	trk_put_head(f, (uint16_t)(entry / 2), entry % 2 == M2D_PMPI ? TRK_FRAME_PMPI : 0, depth == 0, 0);
	if (depth)
		trk_set_depth(s, depth + 1);
	return f;
}

/**
 * A wrapped function was called.
 *
 * @param entry  2 * call + M2D_MPI or M2D_PMPI
 * @param caller return address
 * @param frame  address of the stack word that holds @p caller
 * @return the frame, without arguments, to be released with trk_leave(). NULL: not the program's call; only pass it on.
 */
static inline struct trk_frame *trk_enter(struct m2d_thread *t, unsigned entry, const void *caller, const void *frame)
{
	if ((uintptr_t)caller - t->program_from < t->program_bytes && !trk_depth(t->slot))
		return trk_begin(t->slot, 0, entry, caller, frame);
	return trk_enter_slow_path(entry, caller, frame);
}

/** Is it a call by the program that is not nested in another one? */
static inline bool trk_is_first(const struct m2d_thread *t, const struct trk_frame *frame)
{
	return frame == t->slot->frames;
}

/** End all calls at this depth and deeper, including those that were left unnoticed (longjmp). */
void trk_drop_frames(struct trk_thread *s, uint32_t depth);

/** The call of this frame (of the calling thread) has returned, and all calls nested in it. */
static inline void trk_leave(struct m2d_thread *t, struct trk_frame *frame)
{
	struct trk_thread *s = t->slot;

	if (__builtin_expect(frame == s->frames && trk_depth(s) == 1, 1)) {
		TRK_PUT(frame->since, 0);
		TRK_COUNT(s->n_calls);
		trk_order();
		trk_set_depth(s, 0);
		return;
	}
	trk_drop_frames(t->slot, (uint32_t)(frame - t->slot->frames));
}

/** Fill in the thread fields of the registry. Before the registry is published. */
void trk_threads_publish(struct trk_registry *registry);

/** Number of the call that the calling thread is in, for the records of objects; TRK_NO_CALL: none. */
static inline uint32_t trk_current_call(void)
{
	const struct trk_thread *s = m2d_thread.slot;

	return s && trk_depth(s) ? s->frames[trk_depth(s) - 1].call : TRK_NO_CALL;
}

/** The frame of the call that the calling thread is in; NULL: none. */
static inline struct trk_frame *trk_current_frame(void)
{
	struct trk_thread *s = m2d_thread.slot;

	return s && trk_depth(s) ? &s->frames[trk_depth(s) - 1] : NULL;
}

/** The current call of this thread has created this communicator or file. @param parent handle bits; 0: none. */
static inline void trk_note_created(uint64_t handle, uint64_t parent)
{
	m2d_thread.created.frame = trk_current_frame();
	m2d_thread.created.handle = handle;
	m2d_thread.created.parent = parent;
}

/* ---- for BEFORE of rows; they use the wrapper's `frame` -------------------------------------------------- */

/** Declare which arguments are in the frame, after they have been stored. */
static inline void trk_has(struct trk_frame *frame, uint32_t has)
{
	trk_order();
	frame->has = has;
}
#define SET_HAS(has) trk_has(frame, has)

static inline void trk_set_data(struct trk_frame *frame, const void *buf, int64_t count, uint64_t datatype)
{
	frame->buffer = (uintptr_t)buf;
	frame->count = count;
	frame->datatype = datatype;
}

static inline void trk_set_message_args(struct trk_frame *frame, const void *buf, int64_t count, uint64_t datatype,
					int peer, int tag, uint64_t comm)
{
	frame->comm = comm;
	trk_set_data(frame, buf, count, datatype);
	frame->peer = peer;
	frame->tag = tag;
}

static inline void trk_set_request_args(struct trk_frame *frame, const void *requests, int64_t n)
{
	frame->requests = (uintptr_t)requests;
	frame->count = n;
}

/** The call waits for others (or may wait): store the time. */
#define MAY_WAIT TRK_PUT(frame->since, trk_now())

/** A message to or from a peer. */
#define ARGS_MESSAGE(buf, count, datatype, peer, tag, comm)                                                            \
	(trk_set_message_args(frame, buf, count, TRK_BITS(datatype), peer, tag, TRK_BITS(comm)),                       \
	 SET_HAS(TRK_HAS_MESSAGE))

/** The second buffer, with count and datatype. TRK_SET_SECOND must be followed by SET_HAS() with these bits. */
#define TRK_HAS_SECOND (TRK_HAS_SECOND_BUFFER | TRK_HAS_SECOND_DATA)
#define TRK_SET_SECOND(buf, count, datatype)                                                                           \
	(frame->second_datatype = TRK_BITS(datatype), frame->second_count = (count),                                   \
	 frame->second_buffer = (uintptr_t)(buf))

/** A message out and one in (MPI_Sendrecv), with two peers. */
#define ARGS_SENDRECV(buf, count, datatype, dest, tag, inbuf, incount, intype, from, fromtag, comm)                    \
	(frame->source = (from), frame->receive_tag = (fromtag), TRK_SET_SECOND(inbuf, incount, intype),               \
	 trk_set_message_args(frame, buf, count, TRK_BITS(datatype), dest, tag, TRK_BITS(comm)),                       \
	 SET_HAS(TRK_HAS_MESSAGE | TRK_HAS_SECOND | TRK_HAS_SOURCE))

/** A call with a buffer only. */
#define ARGS_BUFFER(buf) (frame->buffer = (uintptr_t)(buf), SET_HAS(TRK_HAS_BUFFER))

/** A call with a communicator; with a peer and a tag as well (MPI_Probe). */
#define ARGS_COMM(handle) (frame->comm = TRK_BITS(handle), SET_HAS(TRK_HAS_COMM))
#define ARGS_PROBE(source, msgtag, handle)                                                                             \
	(frame->peer = (source), frame->tag = (msgtag), frame->comm = TRK_BITS(handle),                                \
	 SET_HAS(TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COMM))

/** A call with another object: ARGS_OBJECT(TRK_FILE, fh). */
#define ARGS_OBJECT(kind, handle)                                                                                      \
	(frame->object = TRK_BITS(handle), frame->object_kind = (kind), SET_HAS(TRK_HAS_OBJECT))

/**
 * Data access of a file or of a window. For a window with the target's rank and data, and with a reduction operation.
 */
#define ARGS_FILE(fh, buf, count, datatype)                                                                            \
	(trk_set_data(frame, buf, count, TRK_BITS(datatype)), frame->object = TRK_BITS(fh),                            \
	 frame->object_kind = TRK_FILE, SET_HAS(TRK_HAS_OBJECT | TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE))
#define TRK_HAS_WIN_DATA                                                                                               \
	(TRK_HAS_OBJECT | TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE | TRK_HAS_PEER | TRK_HAS_SECOND)
#define TRK_SET_WIN_DATA(win, buf, count, datatype, target, displacement, tcount, ttype)                               \
	(trk_set_data(frame, buf, count, TRK_BITS(datatype)), frame->object = TRK_BITS(win),                           \
	 frame->object_kind = TRK_WIN, frame->peer = (target), TRK_SET_SECOND(displacement, tcount, ttype))
#define ARGS_WIN(win, buf, count, datatype, target, displacement, tcount, ttype)                                       \
	(TRK_SET_WIN_DATA(win, buf, count, datatype, target, displacement, tcount, ttype), SET_HAS(TRK_HAS_WIN_DATA))
#define ARGS_WIN_OP(win, buf, count, datatype, target, displacement, tcount, ttype, reduction)                         \
	(frame->op = TRK_BITS(reduction),                                                                              \
	 TRK_SET_WIN_DATA(win, buf, count, datatype, target, displacement, tcount, ttype),                             \
	 SET_HAS(TRK_HAS_WIN_DATA | TRK_HAS_OP))
/** The same with a result buffer, which is recorded if the origin is ignored (MPI_NO_OP). */
#define ARGS_WIN_RESULT(win, buf, count, datatype, target, displacement, tcount, ttype, reduction, rbuf, rcount,       \
			rtype)                                                                                         \
	do {                                                                                                           \
		if ((reduction) == m2d_constants.op_no_op)                                                             \
			ARGS_WIN_OP(win, rbuf, rcount, rtype, target, displacement, tcount, ttype, reduction);         \
		else                                                                                                   \
			ARGS_WIN_OP(win, buf, count, datatype, target, displacement, tcount, ttype, reduction);        \
	} while (0)
/** A row's AFTER: the thread has accessed a window, with @p count elements. */
#define ACCESSED(handle, rank, count)                                                                                  \
	do {                                                                                                           \
		if (rc == MPI_SUCCESS && (count) > 0) {                                                                \
			t->access.win = TRK_BITS(handle);                                                              \
			t->access.target = (rank);                                                                     \
			t->access.n_locks = __atomic_load_n(&trk_n_locks, __ATOMIC_RELAXED);                           \
		}                                                                                                      \
	} while (0)
#define ARGS_TARGET(win, target)                                                                                       \
	(frame->object = TRK_BITS(win), frame->object_kind = TRK_WIN, frame->peer = (target),                          \
	 SET_HAS(TRK_HAS_OBJECT | TRK_HAS_PEER))

/** MPI_Win_lock and MPI_Win_start: what they wait for. */
#define ARGS_LOCK(win, target, type)                                                                                   \
	(frame->lock = (type) == MPI_LOCK_SHARED      ? TRK_LOCK_SHARED                                                \
		       : (type) == MPI_LOCK_EXCLUSIVE ? TRK_LOCK_EXCLUSIVE                                             \
						      : TRK_LOCK_NONE,                                                 \
	 frame->object = TRK_BITS(win), frame->object_kind = TRK_WIN, frame->peer = (target),                          \
	 SET_HAS(TRK_HAS_OBJECT | TRK_HAS_PEER | TRK_HAS_LOCK))
#define ARGS_START(win, group)                                                                                         \
	(frame->op = TRK_BITS(group), frame->object = TRK_BITS(win), frame->object_kind = TRK_WIN,                     \
	 SET_HAS(TRK_HAS_OBJECT | TRK_HAS_GROUP))

/**
 * MPI_Intercomm_create: the leaders, of whom the other group's is one of `peers`, and the tag. MPI ignores `peers` and
 * `other` on ranks other than the leader.
 */
#define ARGS_LEADERS(handle, leader, peers, other, msgtag)                                                             \
	(frame->object = TRK_BITS(peers), frame->object_kind = TRK_COMM, frame->source = (other),                      \
	 frame->peer = (leader), frame->tag = frame->receive_tag = (msgtag), frame->comm = TRK_BITS(handle),           \
	 SET_HAS(TRK_HAS_COMM | TRK_HAS_PEER | TRK_HAS_ROOT | TRK_HAS_TAG | TRK_HAS_OBJECT | TRK_HAS_SOURCE))

/** A connection to other processes: its root, and the name of its port, which MPI ignores on other ranks. */
#define ARGS_CONNECTION(handle, root_)                                                                                 \
	(frame->peer = (root_), frame->comm = TRK_BITS(handle), SET_HAS(TRK_HAS_COMM | TRK_HAS_PEER | TRK_HAS_ROOT))
#define ARGS_PORT(handle, root_, name)                                                                                 \
	(frame->buffer = (uintptr_t)(name), frame->peer = (root_), frame->comm = TRK_BITS(handle),                     \
	 SET_HAS(TRK_HAS_COMM | TRK_HAS_PEER | TRK_HAS_ROOT | TRK_HAS_BUFFER))

/** Requests that the call waits for or tests. */
#define ARGS_REQUESTS(n, requests) (trk_set_request_args(frame, requests, n), SET_HAS(TRK_HAS_REQUESTS | TRK_HAS_COUNT))

#pragma GCC visibility pop

#endif /* TRK_THREADS_H */
