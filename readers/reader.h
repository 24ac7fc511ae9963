/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file reader.h
 * The interface to the data of an MPI process, for any MPI. Faces and render/ (through the faces) use this interface
 * and no individual reader.
 *
 * A struct rd_process represents one process in its current state: open it after a stop, use it, and call rd_update()
 * when the process may have run. Every function may be called between acc_space_begin() and acc_space_end() (then pages
 * are shared between calls) or outside.
 *
 * Results "noted" are stored in sp->note as one line of text.
 */
#ifndef RD_READER_H
#define RD_READER_H

#include "../access/layout.h"
#include "../access/pack.h"
#include "../access/witness.h"
#include "../model/comm.h"
#include "../model/handle.h"
#include "../model/library.h"
#include "../model/operation.h"
#include "objects.h"

struct rd_process;

/** The parsed packs that may be used for a process. The face owns the list. */
struct rd_packs {
	const struct acc_pack *const *packs;
	size_t n;
};

/**
 * Find out which MPI the process uses and resolve its layout.
 *
 * If no source describes the layout of the MPI library, the records of the in-target library are read instead, if there
 * are any; rd_refused() says why. If the memory of the MPI library does not show a queue (because another component
 * transfers the messages), the records supply it; mdl_op.origin says where an operation comes from. The same holds for
 * members of a communicator, blocked probes and the level of thread support.
 *
 * Also succeeds for an MPI that is not initialized yet or is finalized: the caller must test rd_library()->state before
 * anything else; only what the state allows is read.
 *
 * @param sp    stays the caller's, must outlive the result
 * @param packs must outlive the result
 * @param[out] ret released by rd_close(). Unchanged on failure.
 * @return ACC_OK; ACC_NONE: no known MPI in this process; ACC_EWITNESS: a known MPI whose layout no source describes,
 *         or whose witnesses disagree (the note says which one, and what to do); ACC_EFIELD, ACC_EREAD, ACC_ENOMEM.
 */
enum acc_rc rd_open(struct acc_space *sp, const struct rd_packs *packs, struct rd_process **ret);

/** Release. Takes NULL. */
void rd_close(struct rd_process *p);

/**
 * Discard everything known about the process except its layout, because it may have run. Reads the library's state
 * again. @return like rd_open().
 */
enum acc_rc rd_update(struct rd_process *p);

/** The library. Borrowed, valid until rd_update() or rd_close(). */
const struct mdl_library *rd_library(const struct rd_process *p);

/**
 * Why the MPI library's own memory is not read although the library
 * is known. "": it is read, or no library is known. Borrowed.
 */
const char *rd_refused(const struct rd_process *p);

/** The resolved layout and the reader's schema, for `doctor`. Borrowed. */
const struct acc_layout *rd_layout(const struct rd_process *p);

/** The results of the witnesses; all zero if no pack was used. Borrowed. */
const struct acc_witness_result *rd_witnesses(const struct rd_process *p);

/** Part of a thread's stack: from the stack pointer to beyond the frame of the MPI function that the thread is in. */
struct rd_stack {
	uint64_t lo, hi;
	/**
	 * The stack pointer is not known, and lo is below it. A thread is blocked in one call at most: if several
	 * requests are found, which of them is in use is unknown, and none is listed.
	 */
	bool no_pointer;
};

/**
 * Set the stacks that are searched for requests of blocking calls which the MPI
 * library lists nowhere (for Open MPI over UCX, those of MPI_Send). Without this
 * call, or with a debugger that does not provide stacks, such requests are not found.
 *
 * @param stacks borrowed until the next call, rd_update() or rd_close()
 */
void rd_set_stacks(struct rd_process *p, const struct rd_stack *stacks, size_t n);

/** What a thread in MPI_Probe or MPI_Mprobe asks UCX for, of an MPI library that keeps it nowhere. */
struct rd_probe {
	uint64_t info_addr; /**< on the thread's stack: identifies the operation */
	uint64_t tag, mask; /**< of UCX */
	bool removes;       /**< MPI_Mprobe */
};

/**
 * Set the blocked probes that the debugger has seen: they are walked after the receives of their communicators.
 * Without this call, or if the in-target library records them, these are not used.
 *
 * @param probes borrowed until the next call, rd_update() or rd_close()
 */
void rd_set_probes(struct rd_process *p, const struct rd_probe *probes, size_t n);

/** What an address may be, for a wait for one of several requests. */
enum rd_request_is {
	RD_NO_REQUEST,
	RD_IDLE_REQUEST,   /**< MPI_REQUEST_NULL, complete, inactive, or free */
	RD_PENDING_REQUEST /**< not complete; also of a kind that no walk over operations lists, such as a generalized
			      one */
};

/**
 * Is this the address of a request of the MPI library? RD_NO_REQUEST also if the reader cannot tell.
 *
 * @param addr 0: RD_IDLE_REQUEST if the library's arrays have null pointers for MPI_REQUEST_NULL
 */
enum rd_request_is rd_request_at(struct rd_process *p, uint64_t addr);

/* ---- communicators ------------------------------------------------------------------------------- */

/** A walk over communicators. Plain data: it may be copied and need not be released. */
struct rd_comm_iter {
	struct rd_process *p;
	bool all;       /**< include internal ones */
	uint64_t i, n;  /**< used by the reader */
	uint64_t n_bad; /**< communicators skipped because they were invalid or unreadable */
};

/**
 * Start a walk. @param all include internal communicators. @return ACC_OK; ACC_NONE: MPI is not initialized, or
 * finalized; ACC_EREAD, ACC_ECORRUPT, ACC_ELIMIT.
 */
enum acc_rc rd_comm_first(struct rd_process *p, bool all, struct rd_comm_iter *ret);

/**
 * The next communicator, by context id. A bad one is skipped, counted in n_bad, and its failure noted.
 *
 * @return ACC_OK; ACC_NONE at the end; a failure that ends the walk.
 */
enum acc_rc rd_comm_next(struct rd_comm_iter *it, struct mdl_comm *ret);

/** Find a communicator by its id or handle value. @return ACC_OK; ACC_NONE: no such communicator now; a failure. */
enum acc_rc rd_comm_get(struct rd_process *p, uint64_t id, struct mdl_comm *ret);

/**
 * Members @p first .. @p first + @p n - 1 of the local or remote group.
 *
 * @param[out] ret array of @p n; members that cannot be read are marked unknown
 * @return ACC_OK; ACC_NONE: no remote group; ACC_EINVAL: outside the group; ACC_EREAD: none could be read.
 */
enum acc_rc rd_comm_members(struct rd_process *p, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
			    struct mdl_member *ret);

/** Get the topology. @return ACC_OK: free it with rd_comm_topology_free(); ACC_NONE: it has none; a failure. */
enum acc_rc rd_comm_topology(struct rd_process *p, const struct mdl_comm *comm, struct mdl_topology *ret);

/** Release the arrays. Takes an all-zero topology. */
void rd_comm_topology_free(struct rd_process *p, struct mdl_topology *topology);

/* ---- operations ---------------------------------------------------------------------------------- */

/** A walk over one class of operations of one communicator. Plain data; only one walk per process at a time. */
struct rd_op_iter {
	struct rd_process *p;
	/** Borrowed; NULL: messages whose communicator does not exist here yet, sends and receives of
	 * a released one. */
	const struct mdl_comm *comm;
	enum mdl_op_class op_class;
	bool all;           /**< include internal traffic and inactive requests */
	bool recorded;      /**< the walk is over the records of the in-target library (rd_open()) */
	bool probes;        /**< of the records only probes, after the operations from the library's memory */
	size_t at_probe;    /**< of rd_set_probes(): the next one, after these operations */
	uint64_t n_bad;     /**< operations that were skipped */
	uint64_t state[16]; /**< the reader's */
};

/**
 * Is this class available for this process?
 *
 * @param[out] why static text if ACC_NONE: "pml ucx keeps unexpected messages inside UCX ..."
 * @return ACC_OK or ACC_NONE.
 */
enum acc_rc rd_ops_available(struct rd_process *p, enum mdl_op_class op_class, const char **why);

/** Start a walk. @return ACC_OK; ACC_NONE: unavailable (rd_ops_available()); a failure. */
enum acc_rc rd_op_first(struct rd_process *p, const struct mdl_comm *comm, enum mdl_op_class op_class, bool all,
			struct rd_op_iter *ret);

/**
 * The next operation. Receives and messages come in the order in which they were posted or arrived, if the library
 * records it; sends in the order of their sequence numbers where that is cheap, else in the order of the free list.
 *
 * @return ACC_OK; ACC_NONE at the end; a failure that ends the walk
 *         (single invalid operations are skipped and counted).
 */
enum acc_rc rd_op_next(struct rd_op_iter *it, struct mdl_op *ret);

/* ---- single handles ------------------------------------------------------------------------------- */

/**
 * The request with this C handle, from the library's own object.
 *
 * @param[out] comm its communicator
 * @return ACC_OK; ACC_NONE: its kind is not supported, or it is not in use (complete and waited for, freed);
 *         ACC_EINVAL: not supported by this reader; a failure.
 */
enum acc_rc rd_request_get(struct rd_process *p, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret);

/**
 * The objects of all kinds in the MPI library's own memory. Valid until rd_update() or rd_close().
 *
 * @return ACC_OK; ACC_NONE: this reader finds no objects, or MPI is not initialized
 */
enum acc_rc rd_objects_open(struct rd_process *p, struct rd_objects *ret);

/**
 * Has the library completed the request with this C handle, of
 * whatever kind? Also true for a persistent one that is not active.
 *
 * @return ACC_OK; ACC_NONE: no such request is in use; ACC_EINVAL: not supported by this reader; a failure, not noted
 */
enum acc_rc rd_request_done(struct rd_process *p, uint64_t handle, bool *ret);

/**
 * Replace a handle of the program by the library's own, if they differ (the standard ABI of MPI 5); a handle of the
 * library stays as it is.
 *
 * @return ACC_OK; ACC_NONE: there is no such object, or the value of the constant is not known; ACC_EREAD
 */
enum acc_rc rd_handle_own(struct rd_process *p, enum mdl_handle_kind kind, uint64_t *handle);

/** The C handle of the object with this Fortran handle. Codes as for rd_request_get(). */
enum acc_rc rd_handle_fortran(struct rd_process *p, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret);

/** Name ("": none) and size in bytes of the datatype with this C handle. Codes as for rd_request_get(). */
enum acc_rc rd_datatype_get(struct rd_process *p, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes);

/**
 * Read a performance variable of MPI_T that is bound to communicators at the place where the MPI library counts it.
 *
 * @param[out] ret   the sum over @p count elements
 * @return ACC_OK; ACC_NONE: the location of the counter is unknown, or MPI is not initialized; ACC_EINVAL: not
 *         supported by this reader; a failure.
 */
enum acc_rc rd_pvar_get(struct rd_process *p, const char *name, const struct mdl_comm *comm, uint64_t *ret,
			uint64_t *count);

/**
 * The numbers of the messages between the process and each member of a communicator. Members with which no message was
 * exchanged are omitted, or have the numbers 0 and 1.
 *
 * @param each called for each member; returns false to end the walk
 * @return ACC_OK: complete; ACC_NONE: messages of this communicator
 *         are not numbered, or it is not known how; a failure.
 */
enum acc_rc rd_flows(struct rd_process *p, const struct mdl_comm *comm,
		     bool (*each)(void *ctx, const struct mdl_flow *flow), void *ctx);

/* ---- what an MPI's reader implements -------------------------------------------------------------- */

/** The functions of one MPI's reader. Like the functions above, with the reader's own state. */
struct rd_reader {
	const char *name; /**< "openmpi" */
	bool no_probes;   /**< a blocked MPI_Probe leaves no trace in this MPI's memory: it is taken from the records */
	/** ACC_NONE: not this MPI. On ACC_OK *state is the reader's. */
	enum acc_rc (*open)(struct rd_process *p, const struct rd_packs *packs, void **state);
	void (*close)(void *state);
	enum acc_rc (*update)(void *state);
	enum acc_rc (*comm_first)(void *state, struct rd_comm_iter *it);
	enum acc_rc (*comm_next)(void *state, struct rd_comm_iter *it, struct mdl_comm *ret);
	enum acc_rc (*comm_get)(void *state, uint64_t id, struct mdl_comm *ret);
	enum acc_rc (*comm_members)(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				    struct mdl_member *ret);
	enum acc_rc (*comm_topology)(void *state, const struct mdl_comm *comm, struct mdl_topology *ret);
	enum acc_rc (*ops_available)(void *state, enum mdl_op_class op_class, const char **why);
	enum acc_rc (*op_first)(void *state, struct rd_op_iter *it);
	enum acc_rc (*op_next)(void *state, struct rd_op_iter *it, struct mdl_op *ret);
	/** May be NULL. */
	enum acc_rc (*objects)(void *state, struct rd_objects *ret);
	void (*set_stacks)(void *state, const struct rd_stack *stacks, size_t n);
	/** May be NULL. ACC_NONE: it is none of this communicator, or no operation of a program's communicator. */
	enum acc_rc (*probe)(void *state, const struct mdl_comm *comm, const struct rd_probe *probe,
			     struct mdl_op *ret);
	/** May be NULL. */
	enum rd_request_is (*request_at)(void *state, uint64_t addr);
	enum acc_rc (*request_get)(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret);
	enum acc_rc (*request_done)(void *state, uint64_t handle, bool *ret);
	enum acc_rc (*handle_fortran)(void *state, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret);
	enum acc_rc (*datatype_get)(void *state, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes);
	enum acc_rc (*pvar_get)(void *state, const char *name, const struct mdl_comm *comm, uint64_t *ret,
				uint64_t *count);
	enum acc_rc (*flows)(void *state, const struct mdl_comm *comm,
			     bool (*each)(void *ctx, const struct mdl_flow *flow), void *ctx);
};

/** The process, for readers only: readers fill library, layout and witnesses. */
struct rd_process {
	struct acc_space *sp;
	const struct rd_reader *reader;
	void *state;
	struct mdl_library library;
	struct acc_layout layout;
	struct acc_witness_result witnesses;
	struct rd_process *recorded;   /**< the records, in addition to a reader of the MPI's own memory; NULL: none */
	struct acc_note refused;       /**< rd_refused() */
	const struct rd_probe *probes; /**< borrowed: rd_set_probes() */
	size_t n_probes;
};

/** All readers, NULL-terminated, in the order in which they are tried. */
extern const struct rd_reader *const rd_readers[];

#endif /* RD_READER_H */
