/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file collectives.h
 * Collective calls: their arguments, and how many of each class were begun and finished on each communicator.
 *
 * The counters are a span of the communicator's record. Calls on a communicator without a record are not counted.
 */
#ifndef TRK_COLLECTIVES_H
#define TRK_COLLECTIVES_H

#include "threads.h"

#pragma GCC visibility push(hidden)

/** Classes, in the order of mqs_get_comm_coll_state(). */
enum trk_coll {
	TRK_BARRIER,
	TRK_BCAST,
	TRK_ALLGATHER,
	TRK_ALLGATHERV,
	TRK_ALLREDUCE,
	TRK_ALLTOALL,
	TRK_ALLTOALLV,
	TRK_REDUCE_SCATTER,
	TRK_REDUCE,
	TRK_GATHER,
	TRK_GATHERV,
	TRK_SCAN,
	TRK_SCATTER,
	TRK_SCATTERV,
	TRK_OTHER,
	TRK_NO_COLL
};

/** The live communicator with this handle, or NULL. Defined in comm.c. Takes no lock; used on the hot path. */
struct trk_comm *trk_comm_of(uint64_t handle) __attribute__((weak, visibility("hidden")));

/** Count a collective as begun or as finished. Accepts any handle; preserves errno. */
void trk_coll_begun(uint64_t comm, enum trk_coll class);
void trk_coll_finished(uint64_t comm, enum trk_coll class);

/**
 * The counters of a communicator, two for each class: begun and
 * finished. NULL: none, or the communicator is not recorded.
 */
uint64_t *trk_coll_counters(struct m2d_thread *t, uint64_t comm);

/**
 * A blocking collective begins. Mostly the communicator is the one that the thread used last.
 *
 * @return for trk_coll_end(); NULL: it is not counted
 */
static inline __attribute__((always_inline)) uint64_t *trk_coll_begin(struct m2d_thread *t, uint64_t comm,
								      enum trk_coll class)
{
	const struct trk_comm *c = t->last;
	uint64_t *n = t->last_counters;

	/* records never move, so reading an outdated one is safe */
	if (__builtin_expect(!c || c->handle != comm || c->state != TRK_LIVE, 0))
		n = trk_coll_counters(t, comm);
	if (__builtin_expect(!n, 0))
		return NULL;
	n += 2 * class;
	TRK_COUNT(n[0]);
	return n;
}

/** The collective has returned, with or without an error. */
static inline __attribute__((always_inline)) void trk_coll_end(uint64_t *n)
{
	if (__builtin_expect(n != NULL, 1))
		TRK_COUNT(n[1]);
}

/* ---- for rows ---------------------------------------------------------------------------------------- */

/**
 * Arguments of a collective with data: the sent and the received data (for MPI_Scatter and similar the received data
 * first). ROOT: it has a root, and one side only; ROOT_TWO: a root and both sides. OP: a reduction operation; both
 * sides have the same count and datatype. MIXED: datatypes for each rank. With counts for each rank, count is -1.
 */
#define TRK_HAS_COLL (TRK_HAS_COMM | TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE)
#define TRK_SET_COLL(comm_, buf, count_, datatype_)                                                                    \
	(trk_set_data(frame, buf, count_, TRK_BITS(datatype_)), frame->comm = TRK_BITS(comm_))
#define TRK_SET_OP(op_, buf)                                                                                           \
	(frame->object = TRK_BITS(op_), frame->object_kind = TRK_OP, frame->second_buffer = (uintptr_t)(buf))
#define ARGS_COLL(comm_, buf, count_, datatype_, buf2, count2, datatype2)                                              \
	(TRK_SET_COLL(comm_, buf, count_, datatype_), TRK_SET_SECOND(buf2, count2, datatype2),                         \
	 SET_HAS(TRK_HAS_COLL | TRK_HAS_SECOND))
#define ARGS_COLL_MIXED(comm_, buf, buf2)                                                                              \
	(frame->buffer = (uintptr_t)(buf), frame->comm = TRK_BITS(comm_), frame->second_buffer = (uintptr_t)(buf2),    \
	 SET_HAS(TRK_HAS_COMM | TRK_HAS_BUFFER | TRK_HAS_SECOND_BUFFER))
#define ARGS_ROOT(comm_, buf, count_, datatype_, root_)                                                                \
	(TRK_SET_COLL(comm_, buf, count_, datatype_), frame->peer = (root_),                                           \
	 SET_HAS(TRK_HAS_COLL | TRK_HAS_PEER | TRK_HAS_ROOT))
#define ARGS_ROOT_TWO(comm_, buf, count_, datatype_, root_, buf2, count2, datatype2)                                   \
	(TRK_SET_COLL(comm_, buf, count_, datatype_), frame->peer = (root_), TRK_SET_SECOND(buf2, count2, datatype2),  \
	 SET_HAS(TRK_HAS_COLL | TRK_HAS_PEER | TRK_HAS_ROOT | TRK_HAS_SECOND))
#define ARGS_OP(comm_, buf, count_, datatype_, op_, buf2)                                                              \
	(TRK_SET_COLL(comm_, buf, count_, datatype_), TRK_SET_OP(op_, buf2),                                           \
	 SET_HAS(TRK_HAS_COLL | TRK_HAS_OBJECT | TRK_HAS_SECOND_BUFFER))
#define ARGS_ROOT_OP(comm_, buf, count_, datatype_, root_, op_, buf2)                                                  \
	(TRK_SET_COLL(comm_, buf, count_, datatype_), frame->peer = (root_), TRK_SET_OP(op_, buf2),                    \
	 SET_HAS(TRK_HAS_COLL | TRK_HAS_OBJECT | TRK_HAS_PEER | TRK_HAS_ROOT | TRK_HAS_SECOND_BUFFER))

#pragma GCC visibility pop

#endif /* TRK_COLLECTIVES_H */
