/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file functions.h
 * What mpidbg knows about MPI functions: functions.def as a table (functions.c) for the code outside the target. The
 * in-target library includes this file for the values, and makes its wrappers from the same rows.
 */
#ifndef FN_FUNCTIONS_H
#define FN_FUNCTIONS_H

#include <stdint.h>

/** How a call of the function waits. */
enum fn_wait {
	FN_LOCAL,      /**< for nothing that another process does */
	FN_POLL,       /**< MPI_Test, MPI_Iprobe ...: returns without waiting, and is called again */
	FN_BUFFERED,   /**< MPI_Bsend: until the message is in the buffer */
	FN_ALL,        /**< for all its operations: MPI_Recv, MPI_Wait, MPI_Waitall ... */
	FN_SOME,       /**< for one of them: MPI_Waitany, MPI_Waitsome */
	FN_COLLECTIVE, /**< for other members of its communicator, or of that of its window or file */
	FN_NEIGHBORS,  /**< for neighbours: MPI_Neighbor_alltoall */
	FN_WINDOW,     /**< for other ranks at a window: MPI_Win_lock, MPI_Win_complete ... */
	FN_INIT,       /**< for the ranks of its world to call it, too */
	FN_FINALIZE,
	FN_UNFOLLOWED /**< for something else: a file, a name server, members of a group */
};

enum fn_fact {
	/* Operations that a call makes, or whose request it creates: sends by their mode, in the order of enum
	   mdl_send_mode. */
	FN_SENDS_STANDARD = 1 << 0,
	FN_SENDS_SYNCHRONOUS = 1 << 1,
	FN_SENDS_BUFFERED = 1 << 2,
	FN_SENDS_READY = 1 << 3,
	FN_SENDS = FN_SENDS_STANDARD | FN_SENDS_SYNCHRONOUS | FN_SENDS_BUFFERED | FN_SENDS_READY,
	FN_RECEIVES = 1 << 4,
	FN_OF_MESSAGE = 1 << 5, /**< receives a message that MPI_Mprobe has returned */
	FN_PROBES = 1 << 6,
	FN_MPROBES = 1 << 7,
	FN_MAKES = FN_SENDS | FN_RECEIVES | FN_OF_MESSAGE | FN_PROBES | FN_MPROBES,
	FN_ON_COMM = 1 << 8, /**< a collective with data, the barrier, or a constructor of a communicator */
	FN_COUNTED = 1 << 9, /**< a blocking collective that mqs_get_comm_coll_state() counts */

	/* Requests. */
	FN_REQUEST = 1 << 10,     /**< the operations are those of the request that the call creates */
	FN_PERSISTENT = 1 << 11,  /**< ... each time that it is started */
	FN_PARTITIONED = 1 << 12, /**< ... and the count is that of one partition */
	FN_STARTS = 1 << 13,
	FN_COMPLETES = 1 << 14,   /**< MPI_Wait, MPI_Test and their kinds: report requests as complete */
	FN_ONE_REQUEST = 1 << 15, /**< is given one request that exists; an array of them */
	FN_REQUESTS = 1 << 16,

	/*
	 * Collectives: does anybody leave before all members of the (intra)communicator have entered? The standard
	 * makes sure that nobody does: always (MPI_Barrier); if counts are not 0, because each result depends on all
	 * members (MPI_Allreduce). In MPI libraries it is usual, but not promised: the counts may be 0 for some ranks,
	 * the library may do without. None of the three: not even usual (MPI_Bcast).
	 */
	FN_SYNC_ALWAYS = 1 << 17,
	FN_SYNC_DATA = 1 << 18,
	FN_SYNC_USUAL = 1 << 19,

	FN_CONNECTS = 1 << 20, /**< waits for processes outside of its communicator as well */
	FN_ONE_SIZE = 1 << 21, /**< every rank passes the same number of elements of the same type (MPI_Scatter:
				  receives) */
	FN_SCATTERS = 1 << 22  /**< the first recorded data are those received, the second those sent */
};

/** Those of a collective's facts that its nonblocking and persistent forms share. */
#define FN_DATA(facts) ((facts) & (FN_ONE_SIZE | FN_SCATTERS))

struct fn_function {
	const char *name;       /**< "MPI_Send", "MPI_Send_c", "MPIX_Comm_shrink" */
	const char *parameters; /**< "const void *buf, int count, ..."; "": none */
	uint8_t name_bytes;
	uint8_t wait;   /**< enum fn_wait */
	uint32_t facts; /**< bits of enum fn_fact */
};

/** The function of this name; NULL: not known. @param name without "P"; NULL is allowed */
const struct fn_function *fn_find(const char *name);

/** The facts of a function; 0: not known. */
uint32_t fn_facts(const char *name);

#endif /* FN_FUNCTIONS_H */
