/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file reader.h
 * The interface to the data of an MPI process, for any MPI. Faces and render/ (through the faces) use this
 * and no individual reader.
 *
 * A struct rd_process is one process in its current state: open it after a stop, use it, and tell it with
 * rd_update() that the process may have run. Every function may be called between acc_space_begin() and
 * acc_space_end() (then pages are shared between calls) or outside.
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

/** The parsed packs that a process may be read with. The face owns the list. */
struct rd_packs {
	const struct acc_pack *const *packs;
	size_t n;
};

/**
 * Find out which MPI the process has and resolve its layout.
 *
 * Where no source describes the layout of the MPI library, what the in-target library has recorded is read instead,
 * if it is there: rd_refused() then says why. If a queue is not available from the memory of the MPI library (another
 * component moves the messages), it is the recorder's, if that is there: an operation says whose word it is
 * (mdl_op.origin). So are members of a communicator, blocked probes and the level of thread support if the memory of
 * the library does not contain them.
 *
 * Succeeds also for an MPI that is not initialised yet or finalised: see rd_library()->state, which the caller
 * must test before anything else; only what the state allows is read.
 *
 * @param sp    stays the caller's, must outlive the result.
 * @param packs must outlive the result.
 * @param[out] ret the caller's, rd_close(). Untouched on failure.
 * @return ACC_OK; ACC_NONE: no MPI that we know is in this process; ACC_EWITNESS: a known MPI whose layout no
 *         source describes, or whose witnesses disagree (noted: which one, what to do); ACC_EFIELD, ACC_EREAD,
 *         ACC_ENOMEM.
 */
enum acc_rc rd_open(struct acc_space *sp, const struct rd_packs *packs, struct rd_process **ret);

/** Release. Takes NULL. */
void rd_close(struct rd_process *p);

/** Drop whatever was learnt about the process but its layout: it may have run. Re-reads the library's state. */
enum acc_rc rd_update(struct rd_process *p);

/** The library. Borrowed, valid until rd_update() or rd_close(). */
const struct mdl_library *rd_library(const struct rd_process *p);

/** Why the MPI library's own memory is not read although the library is known; "" it is, or none is known. Borrowed. */
const char *rd_refused(const struct rd_process *p);

/** The resolved layout and the reader's schema, for `doctor`. Borrowed. */
const struct acc_layout *rd_layout(const struct rd_process *p);

/** What became of the witnesses; all zero when no pack was used. Borrowed. */
const struct acc_witness_result *rd_witnesses(const struct rd_process *p);

/** Part of a thread's stack: from its pointer to beyond the frame of the MPI function that it is in. */
struct rd_stack {
	uint64_t lo, hi;
};

/**
 * Where blocking calls may have requests that the MPI library lists nowhere (of Open MPI over UCX those of MPI_Send).
 * Without this, or for a debugger that does not say it, such requests are not found.
 *
 * @param stacks borrowed until the next call, rd_update() or rd_close()
 */
void rd_set_stacks(struct rd_process *p, const struct rd_stack *stacks, size_t n);

/* ---- communicators ------------------------------------------------------------------------------- */

/** A walk over communicators. Plain data: copy it, drop it. */
struct rd_comm_iter {
	struct rd_process *p;
	bool all;       /**< internal ones too */
	uint64_t i, n;  /**< the reader's */
	uint64_t n_bad; /**< communicators that were skipped because they made no sense or could not be read */
};

/** Start. @return ACC_OK; ACC_NONE: not initialised, or finalised; ACC_EREAD, ACC_ECORRUPT, ACC_ELIMIT. */
enum acc_rc rd_comm_first(struct rd_process *p, bool all, struct rd_comm_iter *ret);

/**
 * The next communicator, by context id. A bad one is skipped, counted in n_bad, and its failure noted.
 *
 * @return ACC_OK; ACC_NONE at the end; a failure that ends the walk.
 */
enum acc_rc rd_comm_next(struct rd_comm_iter *it, struct mdl_comm *ret);

/** One communicator by its id or handle value. @return ACC_OK; ACC_NONE: no such one now; a failure. */
enum acc_rc rd_comm_get(struct rd_process *p, uint64_t id, struct mdl_comm *ret);

/**
 * Members @p first .. @p first + @p n - 1 of the local or remote group.
 *
 * @param ret room for @p n; one that cannot be read is marked unknown.
 * @return ACC_OK; ACC_NONE: no remote group; ACC_EINVAL: outside the group; ACC_EREAD: none could be read.
 */
enum acc_rc rd_comm_members(struct rd_process *p, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
			    struct mdl_member *ret);

/** Topology. @return ACC_OK, free it with rd_comm_topology_free(); ACC_NONE: it has none; a failure. */
enum acc_rc rd_comm_topology(struct rd_process *p, const struct mdl_comm *comm, struct mdl_topology *ret);

/** Release the arrays. Takes an all-zero topology. */
void rd_comm_topology_free(struct rd_process *p, struct mdl_topology *topology);

/* ---- operations ---------------------------------------------------------------------------------- */

/** A walk over one class of operations of one communicator. Plain data; one per process at a time. */
struct rd_op_iter {
	struct rd_process *p;
	const struct mdl_comm *comm; /**< borrowed; NULL: messages whose communicator does not exist here yet */
	enum mdl_op_class op_class;
	bool all;           /**< internal traffic and inactive requests too */
	bool recorded;      /**< the walk is over the records (rd_open()) */
	bool probes;        /**< of that only probes, after what the library's memory has */
	uint64_t n_bad;     /**< operations that were skipped */
	uint64_t state[16]; /**< the reader's */
};

/**
 * Is the class available for this process?
 *
 * @param[out] why static text when ACC_NONE: "pml ucx keeps unexpected messages inside UCX ..."
 * @return ACC_OK or ACC_NONE.
 */
enum acc_rc rd_ops_available(struct rd_process *p, enum mdl_op_class op_class, const char **why);

/** Start. @return ACC_OK; ACC_NONE: unavailable (rd_ops_available()); a failure. */
enum acc_rc rd_op_first(struct rd_process *p, const struct mdl_comm *comm, enum mdl_op_class op_class, bool all,
			struct rd_op_iter *ret);

/**
 * The next operation: receives and messages in the order in which they were posted or arrived as far as the
 * library records it, sends in the order of their sequence where that is cheap, else of the free list.
 *
 * @return ACC_OK; ACC_NONE at the end; a failure that ends the walk (bad single ones are skipped and counted).
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
 * The objects of all kinds, as the MPI library's own memory has them. Good until rd_update() or rd_close().
 *
 * @return ACC_OK; ACC_NONE: this reader finds no objects, or MPI is not up
 */
enum acc_rc rd_objects_open(struct rd_process *p, struct rd_objects *ret);

/** The C handle of the object with this Fortran handle. Codes as rd_request_get(). */
enum acc_rc rd_handle_fortran(struct rd_process *p, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret);

/** Name ("" none) and bytes of the datatype with this C handle. Codes as rd_request_get(). */
enum acc_rc rd_datatype_get(struct rd_process *p, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes);

/**
 * A performance variable of MPI_T that is bound to communicators, where the MPI library counts it.
 *
 * @param[out] ret   the sum over @p count elements
 * @return ACC_OK; ACC_NONE: the location of the counter is unknown, or MPI is not initialized; ACC_EINVAL: not
 *         supported by this reader; a failure.
 */
enum acc_rc rd_pvar_get(struct rd_process *p, const char *name, const struct mdl_comm *comm, uint64_t *ret,
			uint64_t *count);

/**
 * The numbers of the messages between the process and each member of a communicator. A member that it has had nothing
 * to do with yet is left out, or comes with 0 and 1.
 *
 * @param each called for each member; @return false ends the walk
 * @return ACC_OK: all that there are came; ACC_NONE: messages of this communicator are not numbered, or it is not
 *         known how; a failure.
 */
enum acc_rc rd_flows(struct rd_process *p, const struct mdl_comm *comm,
		     bool (*each)(void *ctx, const struct mdl_flow *flow), void *ctx);

/* ---- what an MPI's reader implements -------------------------------------------------------------- */

/** One MPI. Functions as above, on the reader's own state. */
struct rd_reader {
	const char *name; /**< "openmpi" */
	bool no_probes;   /**< a blocked MPI_Probe leaves nothing in this MPI's memory: the recorder's word is added */
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
	enum acc_rc (*request_get)(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret);
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
	struct rd_process *recorded; /**< in addition to a reader of an MPI's memory that lacks some facts; NULL */
	struct acc_note refused;     /**< rd_refused() */
};

/** All readers, NULL-terminated, in the order in which they are tried. */
extern const struct rd_reader *const rd_readers[];

#endif /* RD_READER_H */
