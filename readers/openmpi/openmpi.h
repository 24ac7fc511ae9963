/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file openmpi.h
 * The state of the Open MPI reader, and the internal interface between its files.
 *
 * The facts come from Open MPI 4.0, 4.1 and 5.0; the foreign structs are named above the code that reads them. The code
 * asks "does the field exist" instead of testing versions, so that it also works for versions that add or drop a field.
 *
 * Data about a process is valid for one epoch: rd_ompi_update() begins the next one and discards everything except the
 * addresses of symbols and the layout.
 */
#ifndef RD_OMPI_H
#define RD_OMPI_H

#include "../../access/walk.h"
#include "../reader.h"
#include "../ucx/ucx.h"
#include "schema.h"

/**
 * Constants of Open MPI that no type describes: ompi/include/mpi.h,
 * ompi/runtime, ompi/request, ompi/mca/pml/base (4.1, 5.0).
 */
enum {
	RD_OMPI_ANY = -1,            /**< MPI_ANY_SOURCE, MPI_ANY_TAG */
	RD_OMPI_STATE_INIT = 2,      /**< ompi_mpi_state: MPI_Init has completed */
	RD_OMPI_STATE_FINALIZE = 3,  /**< MPI_Finalize has begun */
	RD_OMPI_STATE_FINALIZED = 5, /**< MPI_Finalize has completed */
	RD_OMPI_REQ_INVALID = 0,     /**< req_state: in the free list */
	RD_OMPI_REQ_INACTIVE = 1,
	RD_OMPI_REQ_ACTIVE = 2,
	RD_OMPI_REQ_COMPLETED = 1, /**< req_complete; 0: pending, other values: address of a waiting thread's object */
	RD_OMPI_PML_SEND = 1,      /**< req_type of mca_pml_base_request_t */
	RD_OMPI_PML_RECV = 2,
	RD_OMPI_PML_PROBE = 4,
	RD_OMPI_PML_IMPROBE = 5,
	RD_OMPI_PML_MPROBE = 6,
};

/** Symbols, each looked up once; a missing one is looked up again in the next epoch (dlopen). */
enum rd_ompi_symbol {
	S_ompi_mpi_state,
	S_ompi_version_string,
	S_ompi_mpi_communicators,
	S_ompi_proc_local_proc,
	S_ompi_mpi_thread_multiple,
	S_ompi_mpi_windows,
	S_ompi_file_f_to_c_table,
	S_mca_pml_base_selected_component,
	S_pml_selected_component,
	S_mca_pml_base_send_requests,
	S_mca_pml_base_recv_requests,
	S_mca_pml_ob1,
	S_mca_pml_ob1_recvreq,
	S_ompi_pml_ucx,
	S_mca_coll_libnbc_component,
	RD_OMPI_N_SYMBOLS
};

/** Classes of objects that are recognized by name. */
enum rd_ompi_class {
	C_ompi_communicator_t,
	C_ompi_group_t,
	C_ompi_proc_t,
	C_ompi_datatype_t,
	C_opal_datatype_t, /* of predefined datatypes */
	C_mca_pml_ob1_comm_t,
	C_mca_pml_ob1_comm_proc_t,
	C_mca_pml_ob1_send_request_t,
	C_mca_pml_ob1_recv_request_t,
	C_mca_pml_ob1_recv_frag_t,
	C_ompi_coll_libnbc_request_t,
	C_ompi_request_t,
	C_mca_pml_ucx_persistent_request_t,
	C_ompi_errhandler_t,
	C_ompi_file_t,
	C_ompi_grequest_t,
	C_ompi_info_t,
	C_ompi_message_t,
	C_ompi_op_t,
	C_ompi_win_t,
	C_opal_hash_table_t,
	C_opal_pointer_array_t,
	C_attribute_key_value_t,
	C_attribute_value_t,
	C_ompi_attribute_keyval_t,
	C_ompi_osc_rdma_sync_t,
	C_ompi_osc_pt2pt_sync_t,
	C_ompi_osc_ucx_lock_t,
	C_ompi_osc_rdma_request_t,
	C_ompi_osc_pt2pt_request_t,
	C_ompi_osc_ucx_request_t, /* up to 4.1 */
	C_ompi_osc_ucx_generic_request_t,
	C_ompi_osc_ucx_accumulate_request_t,
	C_mca_ompio_request_t,
	C_ompi_instance_t,
	RD_OMPI_N_CLASSES
};

/** A group, checked: 0 <= n <= ACC_RANKS_MAX. */
struct rd_ompi_group {
	uint64_t addr;
	uint64_t n;
	int64_t my_rank; /**< negative: not a member */
	uint64_t procs_addr;
	uint32_t flags;
	uint64_t parent_addr;
};

/** Facts about a communicator beyond those of struct mdl_comm. */
struct rd_ompi_comm {
	struct mdl_comm facts;
	struct rd_ompi_group local, remote; /**< the same for an intracommunicator */
	uint64_t slot;                      /**< index in ompi_mpi_communicators */
	uint64_t pml_comm_addr, topo_addr, local_comm_addr;
};

/** A datatype by its handle. */
struct rd_ompi_datatype {
	uint64_t handle; /**< 0: an empty slot of the cache */
	uint64_t bytes;
	char name[MDL_NAME_BYTES];
};

/** A cached member, by group and rank. */
struct rd_ompi_peer {
	uint64_t group_addr; /**< 0: an empty slot */
	uint64_t rank;
	struct mdl_member member;
};

/** A walk over all items of an opal_free_list_t, used and unused. */
struct rd_ompi_freelist {
	struct acc_walk chunks;
	uint64_t class_addr;  /**< class of every item */
	uint64_t n_allocated; /**< according to the list itself */
	uint64_t n, n_before; /**< items returned; those of the chunks before this one */
	bool used;            /**< it has chunks */
	uint64_t stride, align, header;
	uint32_t class_off; /**< offset of obj_class in an item */
	uint64_t item_addr; /**< next item of this chunk, 0: take the next chunk */
};

/** An item of an index: a request that may be shown. */
struct rd_ompi_entry {
	uint64_t addr;
	uint32_t next; /**< 1 + number of the next entry of the same communicator; 0: none */
	uint32_t key;  /**< sort key */
};

/** The entries of one communicator. */
struct rd_ompi_bucket {
	uint64_t comm_addr; /**< 0: an empty slot */
	uint32_t head;      /**< 1 + number of the first entry */
	bool sorted;
};

enum {
	RD_OMPI_INDEX_BLOCK = 4096, /**< entries of a block */
	RD_OMPI_INDEX_BLOCKS = ACC_ARENA_BYTES / 2 / (RD_OMPI_INDEX_BLOCK * sizeof(struct rd_ompi_entry)),
	RD_OMPI_DATATYPES = 64, /**< slots of the datatype cache: a power of two */
	RD_OMPI_PEERS = 256,    /**< slots of the cache of peers: a power of two */
	RD_OMPI_GROUPS = 8,     /**< slots of the cache of groups: a power of two */
};

/**
 * The requests of one free list, grouped by communicator. Built once per epoch, because otherwise each of many
 * communicators would need a walk over the free list.
 */
struct rd_ompi_index {
	bool built;
	bool overflow;  /**< too large: walk the free list and filter instead */
	bool empty;     /**< proven to have nothing, without a walk */
	enum acc_rc rc; /**< why it could not be built */
	uint64_t n_bad;
	struct rd_ompi_entry *blocks[RD_OMPI_INDEX_BLOCKS];
	uint32_t n;
	struct rd_ompi_bucket *buckets;
	uint32_t n_buckets, n_used; /**< slots (a power of two), and those in use */
};

/** A list of posted receives, at its current first element. */
struct rd_ompi_head {
	uint64_t item_addr, sentinel_addr;
	uint64_t list_addr, prev_addr; /**< the list; the item before this one, or the sentinel */
	uint64_t length, n;            /**< items according to the list; items returned */
	uint32_t key;                  /**< age: smaller was posted earlier */
	bool torn;                     /**< a `prev` pointer differed */
};

/** Phases of a walk over operations. */
enum rd_ompi_phase {
	P_DONE,
	P_POSTED,       /**< receives: merge the posted lists */
	P_INDEX,        /**< requests of an index */
	P_FILTER,       /**< requests of a free list, filtered */
	P_PROC,         /**< messages: take the next source */
	P_LIST,         /**< messages: its unexpected list */
	P_RING,         /**< messages: those that arrived too early */
	P_RANGE,        /**< messages: a run of those */
	P_ORPHANS,      /**< messages for a communicator that does not exist here */
	P_UCX_QUEUED,   /**< pml ucx: receives and messages in UCX's queues */
	P_UCX_BEGUN,    /**< sends, and receives that are matched */
	P_UCX_INACTIVE, /**< persistent requests that are not started */
};

/** Words of rd_op_iter.state that are used. */
enum {
	RD_OMPI_IT_SERIAL, /**< number of the walk that it belongs to */
	RD_OMPI_IT_POSTED, /**< posted receives: 0: nothing read; 1: the list of receives from any source; 2: the
			    *   lists by peer */
};

/** The current walk over operations; one per process. */
struct rd_ompi_ops {
	uint64_t serial; /**< number of this walk; earlier walks have ended */
	enum rd_ompi_phase phase;
	struct rd_ompi_comm comm;
	struct acc_slots procs;
	uint64_t posted_seq;        /**< receives: recv_sequence of the communicator */
	struct rd_ompi_head *heads; /**< receives: a heap by key */
	uint64_t n_heads, cap_heads;
	uint64_t n_left; /**< messages: how many more out-of-order messages one source may have */
	struct acc_walk list, ring, range;
	uint64_t ring_first, range_first; /**< first elements; 0: already returned */
	struct rd_ompi_index *index;
	uint32_t entry; /**< 1 + number of the next entry */
	struct rd_ompi_freelist freelist;
	uint64_t ucx_at; /**< next entry of UCX's list */
};

/** The rank that an endpoint inside UCX belongs to. */
struct rd_ompi_endpoint {
	uint64_t ep_addr;
	int64_t rank; /**< in the (remote) group */
};

/** The endpoints of one communicator's members, sorted by address; collected for its first send. */
struct rd_ompi_endpoints {
	uint64_t comm_id; /**< 0: none yet */
	struct rd_ompi_endpoint *all;
	uint64_t n;
};

/** A communicator that the library created for itself. */
struct rd_ompi_internal {
	uint64_t comm_addr;
	const char *why;     /**< static */
	uint64_t inter_addr; /**< the intercommunicator whose local group it has; 0: none */
};

struct rd_ompi {
	struct rd_process *p;
	struct acc_space *sp;
	const struct acc_layout *layout;
	const struct rd_packs *packs;
	int64_t mpi_state;
	bool ob1;            /**< the queues are ob1's, possibly behind another pml */
	const char *pml_why; /**< why the queues are unavailable: static text, or ucx_why; NULL: available */
	struct rd_ucx ucx;   /**< all zero unless pml ucx is selected */
	bool ucx_ready;      /**< its layout is resolved */
	bool by_ucx;         /**< the queues are UCX's and readable */
	char ucx_why[ACC_NOTE_BYTES];
	struct rd_ompi_endpoints endpoints;
	bool job_known;
	uint32_t job, vpid; /**< this process's name */

	uint64_t symbol_addr[RD_OMPI_N_SYMBOLS];
	bool symbol_asked[RD_OMPI_N_SYMBOLS];
	uint64_t class_addr[RD_OMPI_N_CLASSES];
	uint32_t send_span, recv_span, coll_span, frag_span,
		request_span;        /**< size of each kind of object that is read at once */
	uint32_t match_header_bytes; /**< match_header.c; 0: not determined yet */

	struct rd_ompi_datatype datatypes[RD_OMPI_DATATYPES];
	struct rd_ompi_peer peers[RD_OMPI_PEERS];
	struct rd_ompi_group groups[RD_OMPI_GROUPS];
	struct rd_ompi_index sends, receives, collectives;
	struct rd_ompi_internal *internals;
	uint64_t n_internals, cap_internals;
	bool internals_built;
	struct rd_ompi_ops ops;
	uint64_t serial;
	struct rd_ompi_objects *objects; /**< objects.h; NULL until first needed */
	uint64_t keyval_table_addr;      /**< of the process: it never moves; 0: not found yet */
	bool keyval_table_asked;         /**< in this epoch */
};

/** The reader, for rd_readers[]. */
extern const struct rd_reader rd_ompi_reader;

/* ---- object.c: objects with their base classes ----------------------------------------------------- */

/**
 * An object of a derived class: one copy of its bytes from the start, from which the fields of all base classes (which
 * start at offset 0) and of embedded structures are taken. A failure is kept in rc.
 */
struct rd_ompi_obj {
	struct rd_ompi *o;
	uint64_t addr;
	unsigned type;
	uint32_t n; /**< bytes in buf */
	enum acc_rc rc;
	unsigned char buf[ACC_OBJ_BYTES];
};

/** Bytes from the start of an object to the end of the fields of @p n types, at most ACC_OBJ_BYTES. */
uint32_t rd_ompi_span(const struct acc_layout *layout, const unsigned *types, unsigned n);

/**
 * Copy the first @p n bytes of an object. Nothing is noted; the caller decides whether to call rd_ompi_bad(). peek:
 * does not count as an object read.
 */
void rd_ompi_peek(struct rd_ompi_obj *ret, struct rd_ompi *o, unsigned type, uint64_t addr, uint32_t n);
void rd_ompi_load(struct rd_ompi_obj *ret, struct rd_ompi *o, unsigned type, uint64_t addr, uint32_t n);

/** A field, unsigned or signed. 0 after a failure. */
uint64_t rd_ompi_u(struct rd_ompi_obj *obj, unsigned field);
int64_t rd_ompi_i(struct rd_ompi_obj *obj, unsigned field);

/** The same for a structure embedded at offset @p base. */
uint64_t rd_ompi_u_at(struct rd_ompi_obj *obj, uint32_t base, unsigned field);
int64_t rd_ompi_i_at(struct rd_ompi_obj *obj, uint32_t base, unsigned field);

/** Offset of a field; 0 and rc set when it is not known. */
uint32_t rd_ompi_offset(struct rd_ompi_obj *obj, unsigned field);

/** Does the layout have the field? */
static inline bool rd_ompi_has(const struct rd_ompi *o, unsigned field)
{
	return acc_layout_has(o->layout, field);
}

/**
 * Is an object with obj_class @p class_addr of this class? The name of each class object is compared once.
 *
 * @return ACC_OK; ACC_ECORRUPT: another class, or none; ACC_EREAD.
 */
enum acc_rc rd_ompi_is(struct rd_ompi *o, uint64_t class_addr, enum rd_ompi_class which);

/** Load obj_class of the object at @p addr and compare. */
enum acc_rc rd_ompi_check(struct rd_ompi *o, uint64_t addr, enum rd_ompi_class which);

/** Read the string that a member of an object points to; "" for NULL. A failure is noted and kept in obj->rc. */
void rd_ompi_text_at(struct rd_ompi *o, struct acc_obj *obj, unsigned field, char *ret, size_t size);

/** Note a failure about an object: "mca_pml_ob1_recv_request_t at 0x55d0: cannot be read". @return @p rc. */
enum acc_rc rd_ompi_bad(struct rd_ompi *o, enum acc_rc rc, unsigned type, uint64_t addr);

/** Note a bad element. @return ACC_OK to continue, or ACC_ECORRUPT when there are too many. */
enum acc_rc rd_ompi_skip(struct rd_ompi *o, struct rd_op_iter *it, enum acc_rc rc, unsigned type, uint64_t addr);

/** Address of a symbol. @return ACC_OK, ACC_ESYMBOL; nothing noted. */
enum acc_rc rd_ompi_symbol(struct rd_ompi *o, enum rd_ompi_symbol which, uint64_t *ret);

/**
 * The slots of an opal_pointer_array_t at @p addr.
 *
 * @return ACC_OK; ACC_EREAD; ACC_ECORRUPT: a size below 0; ACC_ELIMIT. Noted.
 */
enum acc_rc rd_ompi_array(struct rd_ompi *o, uint64_t addr, struct acc_slots *ret);

/** First item and end of the opal_list_t at @p addr, and its length. @return ACC_OK, ACC_EREAD; nothing noted. */
enum acc_rc rd_ompi_list(struct rd_ompi *o, uint64_t addr, uint64_t *first, uint64_t *sentinel, uint64_t *length);

/* ---- world.c: library, state, this process's place in the world ------------------------------------------ */

/** Read ompi_mpi_state into library.state. @return ACC_OK; ACC_ESYMBOL, ACC_EREAD, ACC_ECORRUPT: noted. */
enum acc_rc rd_ompi_read_state(struct rd_ompi *o);

/** Fill library.version from ompi_version_string, or else from a component's version; "": neither is available. */
void rd_ompi_read_version(struct rd_ompi *o);

/**
 * Fill in the rest of the library once MPI is initialized, and
 * check MPI_COMM_WORLD. @return ACC_OK; ACC_EWITNESS, noted.
 */
enum acc_rc rd_ompi_read_world(struct rd_ompi *o);

/** May communicators be read in this state? */
static inline bool rd_ompi_alive(const struct rd_ompi *o)
{
	return o->mpi_state >= RD_OMPI_STATE_INIT && o->mpi_state < RD_OMPI_STATE_FINALIZED;
}

/* ---- group.c ------------------------------------------------------------------------------------------- */

/** Load a group. @return ACC_OK; ACC_EREAD, ACC_ECORRUPT, ACC_ELIMIT: noted. */
enum acc_rc rd_ompi_group(struct rd_ompi *o, uint64_t addr, struct rd_ompi_group *ret);

/** Member @p rank (checked by the caller). Unknown when it cannot be read. */
void rd_ompi_member(struct rd_ompi *o, const struct rd_ompi_group *group, uint64_t rank, struct mdl_member *ret);

/** A member's rank in this process's MPI_COMM_WORLD; uses the cache of peers. */
struct mdl_num rd_ompi_world_rank(struct rd_ompi *o, const struct rd_ompi_group *group, int64_t rank);

/** The name of a process from its ompi_proc_t. @return ACC_OK, ACC_EREAD, ACC_ECORRUPT; nothing noted. */
enum acc_rc rd_ompi_proc_name(struct rd_ompi *o, uint64_t proc_addr, uint32_t *job, uint32_t *vpid);

/* ---- comm.c ------------------------------------------------------------------------------------------- */

/**
 * Load the communicator at @p addr.
 *
 * @return ACC_OK; ACC_NONE: it is MPI_COMM_NULL or under construction; ACC_ECORRUPT, ACC_EREAD: noted.
 */
enum acc_rc rd_ompi_comm_load(struct rd_ompi *o, uint64_t addr, struct rd_ompi_comm *ret);

/** Is @p addr a communicator of the table? @return ACC_OK; ACC_NONE; a failure, noted. */
enum acc_rc rd_ompi_comm_find(struct rd_ompi *o, uint64_t addr, struct rd_ompi_comm *ret);

/** The slots of ompi_mpi_communicators. @return ACC_OK; a failure, noted. */
enum acc_rc rd_ompi_comm_table(struct rd_ompi *o, struct acc_slots *ret);

/**
 * Start a walk over ob1's data for each peer of a communicator:
 * mca_pml_ob1_comm_proc_t or NULL, indexed by rank in the remote group.
 *
 * @return ACC_OK; ACC_ECORRUPT: not ob1's, or more peers than group members; ACC_EREAD, ACC_EFIELD, ACC_ELIMIT. Noted.
 */
enum acc_rc rd_ompi_procs(struct rd_ompi *o, const struct rd_ompi_comm *of, struct acc_slots *ret);

/* ---- internal.c --------------------------------------------------------------------------------------- */

/** The communicator at @p addr if it is internal to the library,
 * valid until the process runs again; NULL: it is the program's. */
const struct rd_ompi_internal *rd_ompi_internal(struct rd_ompi *o, uint64_t addr);

/** Discard the list. */
void rd_ompi_internal_clear(struct rd_ompi *o);

/* ---- comms.c ----------------------------------------------------------------------------------------- */

/* Of struct rd_reader: see there. */
enum acc_rc rd_ompi_comm_first(void *state, struct rd_comm_iter *it);
enum acc_rc rd_ompi_comm_next(void *state, struct rd_comm_iter *it, struct mdl_comm *ret);
enum acc_rc rd_ompi_comm_get(void *state, uint64_t id, struct mdl_comm *ret);
enum acc_rc rd_ompi_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				 struct mdl_member *ret);

/* ---- topology.c --------------------------------------------------------------------------------------- */

/** Of struct rd_reader. */
enum acc_rc rd_ompi_topology(void *state, const struct mdl_comm *comm, struct mdl_topology *ret);

/* ---- datatype.c --------------------------------------------------------------------------------------- */

/**
 * A datatype by its handle, from the cache.
 *
 * @param[out] ret borrowed until the next call.
 * @return ACC_OK; ACC_EREAD, ACC_ECORRUPT; nothing noted.
 */
enum acc_rc rd_ompi_datatype(struct rd_ompi *o, uint64_t handle, const struct rd_ompi_datatype **ret);

/** Functions of struct rd_reader (handle.c). */
enum acc_rc rd_ompi_request_done(void *state, uint64_t handle, bool *ret);
enum acc_rc rd_ompi_request_get(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret);
enum acc_rc rd_ompi_handle_fortran(void *state, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret);
enum acc_rc rd_ompi_datatype_get(void *state, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes);
enum acc_rc rd_ompi_pvar_get(void *state, const char *name, const struct mdl_comm *comm, uint64_t *ret,
			     uint64_t *count);

/** For rd_reader.flows. */
enum acc_rc rd_ompi_flows(void *state, const struct mdl_comm *comm,
			  bool (*each)(void *ctx, const struct mdl_flow *flow), void *ctx);

/* ---- freelist.c, index.c -------------------------------------------------------------------------------- */

/** Start a walk. @return ACC_OK; ACC_ECORRUPT: invalid alignment, size or class; ACC_EREAD. Noted. */
enum acc_rc rd_ompi_freelist_first(struct rd_ompi *o, uint64_t addr, struct rd_ompi_freelist *ret);

/**
 * The next item, used or not.
 *
 * @return ACC_OK; ACC_NONE: the end, with every allocated item seen;
 *         ACC_ECORRUPT, ACC_EREAD: the chunks end before that, noted.
 */
enum acc_rc rd_ompi_freelist_next(struct rd_ompi_freelist *f, uint64_t *ret);

/**
 * Number of unused items of a free list, if small.
 *
 * @return ACC_OK; ACC_ELIMIT: more than @p cap; ACC_NONE: not available with this layout; ACC_EREAD, ACC_ECORRUPT.
 */
enum acc_rc rd_ompi_freelist_unused(struct rd_ompi *o, uint64_t addr, uint64_t cap, uint64_t *ret);

/** Build the index of @p op_class if necessary. Never fails: see its rc and overflow. */
struct rd_ompi_index *rd_ompi_index(struct rd_ompi *o, enum mdl_op_class op_class);

/** First entry of a communicator; 0: none. Sorts the entries. */
uint32_t rd_ompi_index_find(struct rd_ompi_index *x, uint64_t comm_addr);

/** An entry by 1 + its number. */
struct rd_ompi_entry *rd_ompi_index_entry(struct rd_ompi_index *x, uint32_t n);

/** Discard the index. */
void rd_ompi_index_clear(struct rd_ompi *o, struct rd_ompi_index *x);

/** The free list that holds the requests of a class: its address, and type, class and size of its items. */
enum acc_rc rd_ompi_index_source(struct rd_ompi *o, enum mdl_op_class op_class, uint64_t *addr, unsigned *type,
				 enum rd_ompi_class *which, uint32_t *span);

/* ---- request.c, receives.c, unexpected.c, collectives.c, ops.c -------------------------------------------- */

/** Is this request in use, and does it belong in the index of this class? @param[out] comm_addr, key set if so */
bool rd_ompi_request_wanted(struct rd_ompi_obj *req, enum mdl_op_class op_class, uint64_t *comm_addr, uint32_t *key);

/** Is it started and not complete? */
bool rd_ompi_request_pending(struct rd_ompi_obj *req);

/** Is it marked as unused, though neither the program's nor the library's part of it is complete? */
bool rd_ompi_request_contradicts(struct rd_ompi_obj *req, enum mdl_op_class op_class);

/**
 * Convert a request to an operation. The caller has checked the object's class.
 *
 * @return ACC_OK; ACC_NONE: not of this communicator, or no longer in use; ACC_ECORRUPT, ACC_EREAD, ACC_EFIELD.
 */
enum acc_rc rd_ompi_request_send(struct rd_ompi_obj *req, const struct rd_ompi_comm *comm, struct mdl_op *ret);
enum acc_rc rd_ompi_request_receive(struct rd_ompi_obj *req, const struct rd_ompi_comm *comm, struct mdl_op *ret);
enum acc_rc rd_ompi_request_collective(struct rd_ompi_obj *req, const struct rd_ompi_comm *comm, struct mdl_op *ret);

/** Has the receive been matched with a message? */
bool rd_ompi_request_matched(struct rd_ompi_obj *req);

/** Posted receives: start, next. @return ACC_NONE at the end. */
enum acc_rc rd_ompi_posted_first(struct rd_ompi *o);
enum acc_rc rd_ompi_posted_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret);

/** Number of posted receives of all communicators, from the lengths of the lists, and whether one may be on a stack. */
enum acc_rc rd_ompi_posted_count(struct rd_ompi *o, uint64_t *n, bool *stack);

/** Unexpected messages: start, next. @return ACC_NONE at the end. */
enum acc_rc rd_ompi_unexpected_first(struct rd_ompi *o, const struct mdl_comm *comm);
enum acc_rc rd_ompi_unexpected_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret);

/** The contents of a received fragment's headers. */
struct rd_ompi_message {
	int64_t source, tag;
	uint16_t sequence, context;
	uint64_t bytes;
	uint64_t data_addr;
	enum mdl_protocol protocol;
	uint64_t sender_request; /**< for a rendezvous */
};

/** @return ACC_OK; ACC_ECORRUPT: not a first fragment, an invalid length; ACC_EREAD, ACC_EFIELD. */
enum acc_rc rd_ompi_message(struct rd_ompi *o, uint64_t frag_addr, struct rd_ompi_message *ret);

/* ---- match_header.c ---------------------------------------------------------------------------------------- */

/**
 * Size of a match header on the wire, in bytes: the data of an eager message follow it. It depends on how the library
 * was configured; where its layout comes from a pack, the library's read-only data decide, read at the first call. What
 * cannot be read (a core without the library's file) is as the pack says. @return 0: the header's fields are unknown
 */
uint32_t rd_ompi_match_header_bytes(struct rd_ompi *o);

/**
 * Was the library configured with --enable-heterogeneous? Needs no layout.
 *
 * @return ACC_OK: yes; ACC_NONE: no; ACC_EREAD: unknown, as in a core without the library's file. Nothing is noted.
 */
enum acc_rc rd_ompi_heterogeneous(struct rd_ompi *o);

/* ---- ucx.c, ucx_ops.c: pml/ucx ----------------------------------------------------------------------------- */

/** Find UCX's queues; sets by_ucx or pml_why. Nothing is noted. */
void rd_ompi_ucx_find(struct rd_ompi *o);

/** Discard the data of this epoch. */
void rd_ompi_ucx_forget(struct rd_ompi *o);

/** A decoded tag word of UCX: ompi/mca/pml/ucx/pml_ucx_request.h, 4.0 to 5.0. */
struct rd_ompi_ucx_tag {
	int64_t tag; /**< negative: internal traffic of the library */
	uint64_t rank, context;
};

struct rd_ompi_ucx_tag rd_ompi_ucx_tag(uint64_t word);

/** Does the tag mask of a receive mean any tag, any source? @return false: not a mask that pml/ucx creates */
bool rd_ompi_ucx_mask(uint64_t mask, bool *any_tag, bool *any_source);

/**
 * Find the communicator named by a tag word: its slot in
 * ompi_mpi_communicators. @return ACC_OK; ACC_NONE: none there; a failure
 */
enum acc_rc rd_ompi_ucx_comm(struct rd_ompi *o, uint64_t context, struct rd_ompi_comm *ret);

/** The rank that an endpoint belongs to, in the (remote) group of a communicator. @return -1: not found */
int64_t rd_ompi_ucx_rank(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t ep_addr);

/** A walk: start and next, for the communicator o->ops.comm. Like those of struct rd_reader. */
enum acc_rc rd_ompi_ucx_first(struct rd_ompi *o, struct rd_op_iter *it);
enum acc_rc rd_ompi_ucx_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret);

/** Like rd_request_get(). */
enum acc_rc rd_ompi_ucx_request(struct rd_ompi *o, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret);

/* Of struct rd_reader: see there. */
void rd_ompi_set_stacks(void *state, const struct rd_stack *stacks, size_t n);
enum rd_request_is rd_ompi_request_at(void *state, uint64_t addr); /* request.c */
enum acc_rc rd_ompi_ops_available(void *state, enum mdl_op_class op_class, const char **why);
enum acc_rc rd_ompi_op_first(void *state, struct rd_op_iter *it);
enum acc_rc rd_ompi_ucx_probe(void *state, const struct mdl_comm *comm, const struct rd_probe *probe,
			      struct mdl_op *ret);
enum acc_rc rd_ompi_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret);

#endif /* RD_OMPI_H */
