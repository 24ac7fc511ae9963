/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file threads.h
 * Matches threads with the operations in which they are blocked or for which they wait.
 *
 * A thread in an MPI function has, in a register or in its stack between the stack pointer and that function's
 * frame, the address of its request, the request itself, or a synchronization object to which the request refers.
 * An address is evidence, not proof: the word may be left over from an earlier call. So all operations are
 * examined first (mpidbg_threads_match), and then the best ones are chosen (mpidbg_threads_decide):
 *
 * - a blocking point-to-point function has one operation of a kind and mode that it can make, not complete, not
 *   persistent: MPI_Sendrecv one send and one receive. The request on the stack wins over a word. Of two receives of
 *   one communicator the one that was posted later wins: unless the program may call MPI from several threads at once
 *   nothing can have been posted since, so that the last receive of a communicator is the only one there that can be
 *   meant, whatever words say, and the one when it is the only one of the process. Of receives of several communicators
 *   the one with most words wins; if two have equally many, none is meant;
 * - MPI_Wait and MPI_Test have one operation; MPI_Waitall and its kind those that name their synchronisation object,
 *   else all whose words are there;
 * - any other function (a collective) can only have internal messages of the library, which identify its communicator,
 *   unless they may be those of a non-blocking collective that is in progress. Otherwise the communicator is an
 *   argument of the function, which needs its address again when it returns with an error: it is in a register
 *   or in the stack.
 */
#ifndef MPIDBG_THREADS_H
#define MPIDBG_THREADS_H

#include "../access/space.h"
#include "../functions/functions.h"
#include "../model/operation.h"
#include "../readers/reader.h"
#include "../render/operation.h"
#include "../mqs/export.h"

/** Maximum number of operations stored for one thread; more are only counted. */
enum { MPIDBG_CANDIDATES_MAX = 1024 };

/** Maximum number of communicators stored for one thread. */
enum { MPIDBG_GIVEN_MAX = 8 };

/** The kind of function that a thread is in. */
enum mpidbg_call_kind {
	MPIDBG_CALL_NONE,
	MPIDBG_CALL_BLOCKING,
	MPIDBG_CALL_WAIT_ONE,
	MPIDBG_CALL_WAIT_MANY,
	MPIDBG_CALL_OTHER
};

/** Kinds of evidence, from weak to strong. */
enum mpidbg_evidence { MPIDBG_BY_NOTHING, MPIDBG_BY_WORD, MPIDBG_BY_PLACE, MPIDBG_BY_WAITER };

struct mpidbg_candidate {
	uint64_t op_addr, comm_id;
	enum mpidbg_evidence evidence;
	bool send; /**< a send; otherwise it receives */
	uint64_t n_words;
	int64_t sequence;
};

/** A communicator of the program whose address is a word of a thread. */
struct mpidbg_given {
	uint64_t comm_id;
	bool internal; /**< the library has incomplete operations of its own in it */
};

struct mpidbg_thread_matches {
	const struct mpidbg_thread *thread;
	enum mpidbg_call_kind kind;
	enum fn_wait waits; /**< how the function waits */
	uint32_t makes; /**< operations that a blocking function can create: bits of FN_MAKES (functions/functions.h) */
	uint64_t lo, hi; /**< address range of the stack; equal: not known */
	uint64_t *words; /**< sorted words of the stack and the registers that may be addresses */
	size_t n_words;
	struct mpidbg_candidate *candidates; /**< after the decision: the operations, sorted by address */
	size_t n_candidates, cap_candidates;
	uint64_t n_more;  /**< number of operations that do not fit into the array, or that no queue shows */
	uint64_t *unseen; /**< addresses of requests that the thread may wait for and no operation has yet */
	size_t n_unseen;
	bool too_many;    /**< there may be more of them */
	uint64_t *arrays; /**< requests in arrays whose address is a word; sorted */
	size_t n_arrays;
	/**
	 * A wait whose operations are known from words only, which may be left over from earlier calls: all that it may
	 * wait for, of which it waits for one at least. Set by the decision; empty: the candidates are certain.
	 */
	uint64_t *possible;
	size_t n_possible;
	struct mpidbg_given given[MPIDBG_GIVEN_MAX];
	size_t n_given;  /**< more than MPIDBG_GIVEN_MAX: some are not stored */
	bool comm_known; /**< all operations are of one communicator */
	bool comm_given; /**< its address, and that of no other communicator of the program, is a word of the thread */
	uint64_t comm_id;
	char comm_name[MDL_NAME_BYTES]; /**< filled in by the caller */
	uint64_t shown_comm_id;         /**< the same communicator; 0: not known. Filled in by the caller */
	uint64_t *ids;                  /**< addresses of the operations, for out_call; one
					 *   for each candidate, none for MPIDBG_CALL_OTHER */
};

struct mpidbg_threads {
	struct acc_space *sp;
	bool serial;                           /**< only one thread of the program at a time may call MPI */
	bool has_parts;                        /**< collectives may wait in memory shared by the processes of a node */
	uint64_t n_collectives;                /**< number of incomplete non-blocking collectives */
	uint64_t collective_comm_id;           /**< of one of them */
	uint64_t internal_comm_id;             /**< of the library's own operations and of these collectives; 0: none */
	bool internal_comms_differ;            /**< they are of several communicators */
	struct mpidbg_thread_matches *matches; /**< n of them */
	size_t n, n_in_mpi;
	struct rd_stack *stacks; /**< of the threads that are in an MPI function, for rd_set_stacks() */
	size_t n_stacks;
	bool given; /**< the debugger has passed threads */
};

/**
 * Take the threads and read their stacks.
 *
 * @param threads borrowed until mpidbg_threads_deinit()
 * @return ACC_OK, also when a stack cannot be read; ACC_ENOMEM, and *ret is all-zero.
 */
enum acc_rc mpidbg_threads_init(struct mpidbg_threads *ret, struct acc_space *sp, const struct mpidbg_thread *threads,
				size_t n);
void mpidbg_threads_deinit(struct mpidbg_threads *t);

/**
 * Find the requests that a thread in MPI_Wait, MPI_Waitall, MPI_Waitany or MPI_Waitsome may wait for, before operations
 * are examined: MPI_Waitany ends when one of its requests is complete, and one that no queue shows is one of them, too.
 *
 * The functions need the address of the request or of the array again when they return with an error, so that it is in
 * a register or in their stack; each word there is tried.
 */
void mpidbg_threads_requests(struct mpidbg_threads *t, struct rd_process *p);

/** Examine a communicator, before its operations. */
void mpidbg_threads_comm(struct mpidbg_threads *t, const struct mdl_comm *comm);

/** Examine an operation. If it cannot be stored for a thread, it is counted in n_more. */
void mpidbg_threads_match(struct mpidbg_threads *t, const struct mdl_comm *comm, const struct mdl_op *op);

/** Choose the best candidates. mpidbg_threads_match() must not be called afterwards. */
void mpidbg_threads_decide(struct mpidbg_threads *t);

/** Is the operation among those that a thread waits for, or may wait for? After the decision. */
bool mpidbg_threads_may_wait(const struct mpidbg_threads *t, const struct mdl_op *op);

/** The thread to which an operation belongs. */
struct out_caller mpidbg_threads_caller(const struct mpidbg_threads *t, const struct mdl_op *op);

#endif /* MPIDBG_THREADS_H */
