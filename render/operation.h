/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file operation.h
 * Writes pending operations and their queues.
 */
#ifndef OUT_OPERATION_H
#define OUT_OPERATION_H

#include "../model/operation.h"
#include "out.h"

/** The thread that belongs to an operation, from the threads' stacks. */
struct out_caller {
	bool known;           /**< false: the debugger has passed no threads */
	bool claimed;         /**< a thread is blocked in it or waits for it */
	int64_t thread;       /**< id of that thread, if claimed */
	const char *function; /**< the blocking call it belongs to; NULL: a non-blocking one */
	const char *place;    /**< text for op->caller; NULL: none */
};

/** JSON key of a class: "pending_sends" ... */
const char *out_queue_key(enum mdl_op_class op_class);

/** The same as text: "pending sends" ... */
const char *out_queue_words(enum mdl_op_class op_class);

/** Start a queue. @param why NULL; or the reason why it is unavailable: the queue is then complete */
void out_queue_begin(struct out *o, enum mdl_op_class op_class, const char *why);
void out_queue_end(struct out *o);

/** Operations of communicators that this process does not have: of each class one list, in JSON one for all. */
void out_orphans_begin(struct out *o);
void out_orphans_class(struct out *o, enum mdl_op_class op_class);
void out_orphans_end(struct out *o);

/** One operation, in its queue. */
void out_operation(struct out *o, const struct mdl_op *op, const struct out_caller *caller);

/**
 * The call that created an operation in which no thread is blocked: "MPI_Recv_init". NULL: not known; for
 * operations that are not persistent only the tracker records it (MPI_Irecv and MPI_Imrecv leave the same state).
 */
const char *out_function(const struct mdl_op *op);

#endif /* OUT_OPERATION_H */
