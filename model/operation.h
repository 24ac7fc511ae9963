/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file operation.h
 * A pending operation: a send, a receive, an unexpected message, a collective.
 */
#ifndef MDL_OPERATION_H
#define MDL_OPERATION_H

#include "comm.h"

/** The queues of a communicator. */
enum mdl_op_class {
	MDL_SENDS,
	MDL_RECEIVES,
	MDL_UNEXPECTED,
	MDL_COLLECTIVES, /**< non-blocking collectives in flight */
	MDL_N_CLASSES
};

/** Facts of an operation that more than one origin may have, as bits of a mask. */
enum mdl_op_fact {
	MDL_FACT_PEER = 1 << 0,
	MDL_FACT_TAG = 1 << 1,
	MDL_FACT_BYTES = 1 << 2,
	MDL_FACT_COUNT = 1 << 3,
	MDL_FACT_DATATYPE = 1 << 4, /**< name */
	MDL_FACT_DATATYPE_HANDLE = 1 << 5,
	MDL_FACT_BUFFER = 1 << 6,
	MDL_FACT_MODE = 1 << 7
};

/** A fact whose values differ between two origins. */
struct mdl_difference {
	const char *fact; /**< static, name of the JSON member: "tag" */
	struct mdl_num library, tracker;
};

enum { MDL_DIFFERENCES_MAX = 9 };

struct mdl_differences {
	unsigned n;
	struct mdl_difference list[MDL_DIFFERENCES_MAX];
};

enum mdl_op_kind {
	MDL_SEND,
	MDL_RECEIVE,
	MDL_PROBE,   /**< a blocked MPI_Probe */
	MDL_MPROBE,  /**< a blocked MPI_Mprobe, or a message that one returned (status matched) */
	MDL_MESSAGE, /**< an unexpected message */
	MDL_COLLECTIVE
};

/** Unknown: the library does not record it. */
enum mdl_send_mode { MDL_STANDARD, MDL_SYNCHRONOUS, MDL_BUFFERED, MDL_READY, MDL_MODE_UNKNOWN };

enum mdl_op_status { MDL_PENDING, MDL_MATCHED, MDL_COMPLETE };

/** How a message is transferred. */
enum mdl_protocol { MDL_PROTOCOL_UNKNOWN, MDL_EAGER, MDL_RENDEZVOUS };

struct mdl_op {
	enum mdl_op_kind kind;
	enum mdl_send_mode mode; /**< of a send */
	enum mdl_op_status status;
	enum mdl_protocol protocol;
	bool persistent; /**< MPI_Send_init or a similar function */
	bool active;     /**< false: an inactive persistent request, or complete without a waiting thread */
	bool freed;      /**< MPI_Request_free was called on it */
	bool cancelled;
	bool internal;                 /**< internal traffic of the library (collectives, windows ...) */
	bool out_of_order;             /**< arrived before an earlier message: cannot be matched yet */
	struct mdl_num peer;           /**< desired: rank in the (remote) group; MDL_ANY; of a message, its source */
	struct mdl_num peer_world;     /**< the same in this process's MPI_COMM_WORLD */
	struct mdl_num tag;            /**< desired; MDL_ANY; of a message, its tag */
	struct mdl_num bytes;          /**< size of the buffer; of a message, its length */
	struct mdl_num count;          /**< elements of datatype */
	char datatype[MDL_NAME_BYTES]; /**< name; "" unknown or not applicable */
	struct mdl_num datatype_handle;
	struct mdl_num buffer; /**< address */
	bool system_buffer;    /**< the buffer is the library's (buffered send, unexpected message) */
	/* once matched; MDL_NOT_APPLICABLE before */
	struct mdl_num actual_peer, actual_peer_world, actual_tag, actual_bytes;
	struct mdl_num request;   /**< C handle of the request; MDL_UNAVAILABLE for a message */
	struct mdl_num fortran;   /**< its Fortran handle; MDL_UNAVAILABLE: none was created */
	uint64_t addr;            /**< address of the library's object, for matching with stacks */
	uint64_t persistent_addr; /**< address of the persistent request if that is a separate object; otherwise 0 */
	uint64_t waiter_addr;     /**< address of the waiting thread's synchronisation object, 0: not known */
	/**
	 * Order of posting: of a receive, among all of its communicator; of a send or a message, among those from one
	 * process to another on it (ob1: modulo 65536, so that a send and its message have the same number).
	 */
	struct mdl_num sequence;
	struct mdl_num sender_request; /**< of a rendezvous message: the sender's request, in its own process */
	const char *origin;            /**< static: "ob1" */
	const char *contradiction;     /**< static: two places in memory that contradict each other; NULL: none */
	char call[MDL_NAME_BYTES];     /**< the function that started it: "MPI_Irecv"; "": not known */
	/* from the tracker, in addition to the memory of the library */
	bool tracked; /**< the tracker also has this request or call: call and the following members are from it */
	unsigned from_tracker;                     /**< enum mdl_op_fact: facts that only the tracker has */
	const struct mdl_differences *differences; /**< borrowed until the next operation; NULL: the origins agree */
	struct mdl_num caller;                     /**< return address of the call; not applicable when not tracked */
	char datatype_call[MDL_NAME_BYTES]; /**< the call that created the datatype: "MPI_Type_vector"; "" predefined or
					       not known */
	bool blocking;                      /**< a thread is in that function now */
	uint64_t thread;                    /**< which thread; 0 not known */
};

/** The function that has created a persistent request: "MPI_Ssend_init"; NULL: not known, or it is not persistent. */
static inline const char *mdl_persistent_call(const struct mdl_op *op)
{
	static const char *const sends[] = {
		[MDL_STANDARD] = "MPI_Send_init",
		[MDL_SYNCHRONOUS] = "MPI_Ssend_init",
		[MDL_BUFFERED] = "MPI_Bsend_init",
		[MDL_READY] = "MPI_Rsend_init",
	};

	if (!op->persistent)
		return NULL;
	if (op->kind == MDL_RECEIVE)
		return "MPI_Recv_init";
	return op->kind == MDL_SEND && op->mode != MDL_MODE_UNKNOWN ? sends[op->mode] : NULL;
}

#endif /* MDL_OPERATION_H */
