/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file threads.h
 * Current calls: which MPI call each thread of the program is in, with its arguments.
 *
 * The wrapper of every row enters and leaves; what a row's BEFORE adds with the AT_ macros are the arguments. Each
 * thread writes its own slot of the registry (struct trk_thread) and nobody else's: no lock, no atomic operation, and
 * what a reader sees between any two instructions is true (track_layout.h says in which order). A thread beyond the
 * registry's capacity uses a slot of its own that no reader finds, and is counted in n_threads_dropped.
 */
#ifndef TRK_THREADS_H
#define TRK_THREADS_H

#include "../../include/track_layout.h"
#include "../calls/calls.h"

#include <time.h>

#pragma GCC visibility push(hidden)

enum { TRK_THREADS = 512 };

/** Slots of the registry. */
extern struct trk_thread trk_threads[TRK_THREADS];

/** What a thread has at hand, zero at first. The wrappers' `t`. */
struct m2d_thread {
	struct trk_thread *slot; /**< NULL: it has not called yet */
	unsigned number;         /**< of its slot; TRK_THREADS: it uses `own` */
	struct trk_table *table; /**< of its requests, or NULL (requests.c) */
	struct trk_comm *last;   /**< the communicator that it used last for a collective, or NULL */
	struct trk_thread own;
};
extern __thread struct m2d_thread m2d_thread __attribute__((tls_model("initial-exec")));

/** Bits of a handle, zero-extended, whatever its type is on this host. */
#define TRK_BITS(handle) (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

/** The stores before it come before those after it, for whoever stops this thread. No instruction. */
static inline void trk_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/**
 * The time, in ticks of the registry's clock: seconds since the Epoch. A call takes it when it may wait. time() is 2 ns,
 * CLOCK_MONOTONIC_COARSE 5, the processor's counter 10; and the times of core files are of this clock.
 */
static inline uint64_t trk_now(void)
{
	return (uint64_t)time(NULL);
}

/* frames[].flags; above them the frame's index */
enum { TRK_FRAME_PMPI = 1, TRK_FRAME_PASSED = 2, TRK_FRAME_INDEX_SHIFT = 8 };

/**
 * The part of trk_enter() for the first call of a thread, calls within calls, calls from everywhere.
 *
 * @param entry 2 * call + M2D_MPI or M2D_PMPI
 */
struct trk_frame *trk_enter_slowly(unsigned entry, const void *caller, const void *frame) __attribute__((used));

/*
 * The same, called so that no register of the wrapper is lost: else the compiler would move all arguments of the call
 * out of the way in advance, on the fast path too.
 */
#if defined(__x86_64__)
static inline __attribute__((always_inline)) struct trk_frame *trk_enter_aside(unsigned entry, const void *caller,
									       const void *frame)
{
	struct trk_frame *ret;

	__asm__ volatile("call m2d_enter_aside"
			 : "=a"(ret)
			 : "D"(entry), "S"(caller), "d"(frame)
			 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
	return ret;
}
#else
#define trk_enter_aside trk_enter_slowly
#endif

/* A frame of this slot is in use from now on. */
static inline __attribute__((always_inline)) struct trk_frame *
trk_begin(struct trk_thread *s, uint32_t depth, unsigned call, unsigned which, const void *caller, const void *frame)
{
	struct trk_frame *f = &s->frames[depth];

	f->call = call;
	f->has = 0;
	f->flags = depth << TRK_FRAME_INDEX_SHIFT | (which == M2D_PMPI ? TRK_FRAME_PMPI : 0);
	f->since = 0;
	f->caller = (uintptr_t)caller;
	f->frame = (uintptr_t)frame;
	s->n_calls++;
	trk_order();
	s->depth = depth + 1;
	return f;
}

/**
 * A wrapped function was called.
 *
 * @param which  M2D_MPI or M2D_PMPI
 * @param caller return address
 * @param frame  address of the word on the stack that holds @p caller
 * @return the frame, without arguments; to be left with trk_leave(). NULL: not the program's call, just pass it on.
 */
static inline __attribute__((always_inline)) struct trk_frame *
trk_enter(struct m2d_thread *t, unsigned call, unsigned which, const void *caller, const void *frame)
{
	struct trk_thread *s = t->slot;
	const struct m2d_span *program = __atomic_load_n(&m2d_calls_program, __ATOMIC_ACQUIRE);

	/* constants on the fast path: no call has to wait for what the last one stored */
	if (__builtin_expect(s && !s->depth && (uintptr_t)caller - program->from < program->bytes, 1))
		return trk_begin(s, 0, call, which, caller, frame);
	return trk_enter_aside(2 * call + which, caller, frame);
}

/** The call of this frame is over, and all that were made within it. */
static inline __attribute__((always_inline)) void trk_leave(struct m2d_thread *t, const struct trk_frame *frame)
{
	trk_order();
	t->slot->depth = frame->flags >> TRK_FRAME_INDEX_SHIFT;
}

/** Fill in the registry's fields about threads. Before the registry is published. */
void trk_threads_publish(struct trk_registry *registry);

/** Number of the call that the calling thread is in, for records of objects; TRK_NO_CALL: in none. */
static inline uint32_t trk_current_call(void)
{
	const struct trk_thread *s = m2d_thread.slot;

	return s && s->depth ? s->frames[s->depth - 1].call : TRK_NO_CALL;
}

/** The frame that the calling thread is in; NULL: none. */
static inline struct trk_frame *trk_current_frame(void)
{
	struct trk_thread *s = m2d_thread.slot;

	return s && s->depth ? &s->frames[s->depth - 1] : NULL;
}

/* ---- for rows: BEFORE; they use the wrapper's `frame` ------------------------------------------------ */

/** Arguments are in place: say so. */
static inline void trk_has(struct trk_frame *frame, uint32_t has)
{
	trk_order();
	frame->has = has;
}

static inline void trk_set_data(struct trk_frame *frame, const void *buf, int64_t count, uint64_t datatype)
{
	frame->buffer = (uintptr_t)buf;
	frame->count = count;
	frame->datatype = datatype;
}

static inline void trk_at_point(struct trk_frame *frame, const void *buf, int64_t count, uint64_t datatype, int peer,
				int tag, uint64_t comm)
{
	trk_set_data(frame, buf, count, datatype);
	frame->peer = peer;
	frame->tag = tag;
	frame->comm = comm;
	trk_has(frame, TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE | TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COMM);
}

static inline void trk_at_comm(struct trk_frame *frame, uint64_t comm)
{
	frame->comm = comm;
	trk_has(frame, TRK_HAS_COMM);
}

static inline void trk_at_object(struct trk_frame *frame, uint32_t kind, uint64_t object)
{
	frame->object = object;
	frame->object_kind = kind;
	trk_has(frame, TRK_HAS_OBJECT);
}

static inline void trk_at_requests(struct trk_frame *frame, const void *requests, int64_t n)
{
	frame->requests = (uintptr_t)requests;
	frame->count = n;
	trk_has(frame, TRK_HAS_REQUESTS | TRK_HAS_COUNT);
}

/** The call waits for others (or may): take the time. First in BEFORE. */
#define AT_WAITING (frame->since = trk_now())

/** A message to or from a peer. */
#define AT_POINT(buf, count, datatype, peer, tag, comm)                                                                \
	trk_at_point(frame, buf, count, TRK_BITS(datatype), peer, tag, TRK_BITS(comm))

/** A message out and one in, of two peers. */
#define AT_BOTH(buf, count, datatype, dest, tag, from, fromtag, comm)                                                  \
	(frame->source = (from), frame->receive_tag = (fromtag), AT_POINT(buf, count, datatype, dest, tag, comm),      \
	 trk_has(frame, frame->has | TRK_HAS_SOURCE))

/** A call with memory only. */
#define AT_BUFFER(buf) (frame->buffer = (uintptr_t)(buf), trk_has(frame, TRK_HAS_BUFFER))

/** A call with a communicator; with a peer and a tag (MPI_Probe). */
#define AT_COMM(comm) trk_at_comm(frame, TRK_BITS(comm))
#define AT_PROBE(source, msgtag, comm)                                                                                 \
	(frame->peer = (source), frame->tag = (msgtag), frame->comm = TRK_BITS(comm),                                  \
	 trk_has(frame, TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COMM))

/** A call with another object: AT_OBJECT(TRK_FILE, fh). */
#define AT_OBJECT(kind, handle) trk_at_object(frame, kind, TRK_BITS(handle))

/** Data of a file or a window; the latter with the target's rank. */
#define AT_FILE(fh, buf, count, datatype)                                                                              \
	(trk_set_data(frame, buf, count, TRK_BITS(datatype)), frame->object = TRK_BITS(fh),                            \
	 frame->object_kind = TRK_FILE,                                                                                \
	 trk_has(frame, TRK_HAS_OBJECT | TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE))
#define AT_WIN(win, buf, count, datatype, target)                                                                      \
	(trk_set_data(frame, buf, count, TRK_BITS(datatype)), frame->object = TRK_BITS(win),                           \
	 frame->object_kind = TRK_WIN, frame->peer = (target),                                                         \
	 trk_has(frame, TRK_HAS_OBJECT | TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE | TRK_HAS_PEER))
#define AT_TARGET(win, target)                                                                                         \
	(frame->object = TRK_BITS(win), frame->object_kind = TRK_WIN, frame->peer = (target),                          \
	 trk_has(frame, TRK_HAS_OBJECT | TRK_HAS_PEER))

/** Requests that are waited for, or asked about. */
#define AT_REQUESTS(n, requests) trk_at_requests(frame, requests, n)

#pragma GCC visibility pop

#endif /* TRK_THREADS_H */
