/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpich.h
 * State and internal interface of the MPICH reader.
 *
 * MPICH's objects are in pools (MPIR_Object_alloc_t), whose symbols are not exported. The pools are found by searching
 * the data around the few exported variables for valid pool heads; the object size of each pool must be that of the
 * layout. With ch4:ucx the message queues are inside UCX (readers/ucx).
 *
 * Data read from a process is valid for one epoch; rd_update() starts the next one.
 */
#ifndef RD_MPICH_H
#define RD_MPICH_H

#include "../../access/walk.h"
#include "../reader.h"
#include "../ucx/ucx.h"
#include "schema.h"

/** Kinds of objects: bits 26 to 29 of a handle, src/include/mpir_objects.h. */
enum rd_mpich_kind {
	RD_MPICH_COMM = 1,
	RD_MPICH_GROUP = 2,
	RD_MPICH_DATATYPE = 3,
	RD_MPICH_FILE = 4, /* occurs only in error handlers and keyvals */
	RD_MPICH_ERRHANDLER = 5,
	RD_MPICH_OP = 6,
	RD_MPICH_INFO = 7,
	RD_MPICH_WIN = 8,
	RD_MPICH_KEYVAL = 9,
	RD_MPICH_REQUEST = 11,
	RD_MPICH_SESSION = 14,
	RD_MPICH_N_KINDS = 16
};

/** What works if the library's memory cannot be read: ends a refusal. */
#define RD_MPICH_ADVICE "start the job with mpi2dd-run; see mpidbg doctor"

enum {
	RD_MPICH_N_BUILTIN_GROUPS = 2, /**< of MPI_COMM_WORLD and MPI_COMM_SELF, since 5.0 */
	RD_MPICH_PAIR_TYPES = 5,       /**< predefined datatypes (MPI_FLOAT_INT ...): the first of a direct block */
	RD_MPICH_DIRECT_TYPES = 8,     /**< MPIR_DATATYPE_PREALLOC */
	RD_MPICH_KEYVAL_OF = 0xf << 22 /**< bits of a keyval's handle: the kind of object that it is for */
};

/** MPIR_Request_kind_t as 4.0 numbers them; rd_mpich_request_kind() translates the numbers of other versions. */
enum rd_mpich_request_kind {
	RD_MPICH_SEND = 1,
	RD_MPICH_RECV = 2,
	RD_MPICH_PREQUEST_SEND = 3,
	RD_MPICH_PREQUEST_RECV = 4,
	RD_MPICH_PREQUEST_COLL = 5,
	RD_MPICH_PART_SEND = 6,
	RD_MPICH_PART_RECV = 7,
	RD_MPICH_PART = 8, /**< a part of these: never the program's */
	RD_MPICH_GREQUEST = 9,
	RD_MPICH_COLL = 10,
	RD_MPICH_MPROBE = 11,
	RD_MPICH_RMA = 12,
};

/** A validated pool: the address of every slot can be computed. */
struct rd_mpich_pool {
	bool known; /**< the pool exists and its head is valid; otherwise objects of this kind are not read */
	bool initialized;
	uint64_t addr;
	uint32_t object_bytes;
	uint64_t direct_addr, n_direct;
	uint64_t *blocks;        /**< addresses of the indirect blocks; of requests, those of all virtual interfaces */
	uint32_t *block_handles; /**< handle of the first slot of each */
	uint64_t n_blocks, per_block;
	uint64_t n_slots;
	unsigned char *is_free; /**< a byte for each slot */
	/** not ACC_OK: the chain of free objects is damaged, and
	 * is_free is what the objects say: handle and reference count */
	enum acc_rc chain_rc;
};

/** A communicator. */
struct rd_mpich_comm {
	struct mdl_comm facts;
	uint64_t addr;
	uint32_t context, receive_context; /**< for sends, for receives */
	/** MPIDI_rank_map_t, since 5.0 MPIR_Group: of the peers and of the local group; equal for intracommunicators */
	uint64_t peers_addr, local_addr;
	uint64_t local_comm_addr;
};

/** Where the operation of a request is matched. */
enum rd_mpich_where {
	RD_MPICH_IN_UCX,
	RD_MPICH_SELF,    /**< messages of a process to itself */
	RD_MPICH_POSTED,  /**< ch4's list of posted receives */
	RD_MPICH_ARRIVED, /**< ch4's list of unexpected messages: the request is a message */
	RD_MPICH_TAKEN,   /**< in no list: matched by a message */
	RD_MPICH_OPAQUE,  /**< in a lower library that is not read */
};

/** A pending request. */
struct rd_mpich_request {
	uint64_t addr;
	uint64_t key; /**< send and receive: the tag word; collective: the address of the communicator */
	uint8_t kind;
	uint8_t where; /**< enum rd_mpich_where; unused for a collective */
};

/** A request that ch4 matches itself (MPIDIG_req_t). */
struct rd_mpich_am {
	int64_t source, tag, count;
	uint64_t context, buffer, datatype;
	uint64_t status;     /**< MPIDIG_REQ_* */
	uint64_t match_addr; /**< of a message: the request of the receive that has matched it; 0: none,
			      * or this request */
	uint64_t key;        /**< the tag word */
};

/** An element of a debug queue. */
struct rd_mpich_debug {
	uint64_t addr; /**< 0: none */
	int64_t rank, tag, context, count;
	uint64_t buffer;
};

/** An open file of ROMIO, whose handle is its address. */
struct rd_mpich_file {
	uint64_t addr;
	uint32_t comm, info; /**< handles of the library's own: a duplicate of the program's communicator, the hints */
	uint32_t etype, filetype, errhandler;
	uint64_t shared_addr; /**< the file in which ROMIO keeps this one's shared file pointer; 0: not opened yet */
};

/** A persistent request. */
struct rd_mpich_persistent {
	uint64_t addr;
	uint64_t real_addr; /**< the request of the current operation; 0: inactive */
	uint64_t comm_addr;
	uint32_t handle;
	bool send, collective; /**< neither: a receive */
};

/** What is known about the slot of a request; positions start at 1, 0: none. */
struct rd_mpich_request_slot {
	uint32_t request;    /**< in o->requests */
	uint32_t persistent; /**< in o->persistent */
	uint32_t started_by; /**< in o->persistent: of the request that has started this one */
};

struct rd_mpich {
	struct rd_process *p;
	struct acc_space *sp;
	const struct acc_layout *layout;
	const struct rd_packs *packs;
	size_t next_pack; /**< tried next if the pools disagree with the current pack */
	unsigned n_text_witnesses;
	bool abi;    /**< compiled for the standard ABI (libmpi_abi): its constants, its MPI_Status, its handles */
	bool hidden; /**< the version strings have no symbols: they were found through code */
	bool scanned;
	uint64_t data_lo, data_hi; /**< the searched part of the library's data that contains the pools */
	uint64_t words_lo;         /**< start of the search for addresses; 0: the first pool */
	uint64_t pool_addr[RD_MPICH_N_KINDS];
	struct rd_mpich_pool pools[RD_MPICH_N_KINDS];
	uint64_t world_addr; /**< of MPI_COMM_WORLD, which MPI_COMM_SELF follows; 0: not found, or there is none */
	bool initialized;    /**< there are communicators: MPI_COMM_WORLD, or those of sessions */
	/** Processes that this one was started with: table 0 of addresses. Without MPI_COMM_WORLD: of which
	 * communicators have members. */
	int64_t n_processes;
	uint64_t types_addr; /**< of the builtin datatypes, indexed as in their handles; 0: not found */
	/** of MPIR_Datatype_direct, if it is not part of the pool of datatypes; 0: it is, or not found */
	uint64_t direct_types_addr;
	struct rd_ucx ucx;
	bool ucx_ready;
	bool below; /**< messages that ch4 does not match itself are in a lower library that is not read */
	char ucx_why[ACC_NOTE_BYTES];               /**< why the queues are unavailable; "": available */
	uint64_t found_workers[RD_UCX_WORKERS_MAX]; /**< result of the last search */
	uint64_t found_peers_addr;
	unsigned n_found_workers;
	uint64_t peers_addr; /**< the table of endpoints by rank of MPI_COMM_WORLD; 0: not found */

	/* of this epoch */
	struct rd_mpich_comm *comms;
	uint64_t n_comms, n_bad_comms;
	bool comms_built;
	struct rd_mpich_request *requests;
	uint64_t n_requests, n_bad_requests, n_bad_listed; /**< n_bad_listed: incomplete lists */
	struct rd_mpich_debug *debug;                      /**< by slot of the request pool; NULL: no debug queues */
	struct rd_mpich_persistent *persistent;
	uint64_t n_persistent;
	struct rd_mpich_request_slot *request_slots; /**< by slot of the request pool */
	bool requests_built;
	struct rd_mpich_file *files;
	uint64_t n_files;
	bool files_found, files_damaged; /**< looked for; one, or an info by which it is found, makes no sense */
	uint32_t *references[MDL_N_HANDLE_KINDS]; /**< by slot of the kind's pool; NULL: not counted */
	struct {
		uint64_t addr; /**< 0: unknown */
		uint32_t references;
	} builtin_groups[RD_MPICH_N_BUILTIN_GROUPS];
	uint64_t topology_keyval_addr; /**< 0: not known, or there is none */
	bool topology_keyval_asked;
	uint64_t code_lo, code_hi; /**< of the library's file; 0: not known */
	bool code_asked;
	uint64_t serial, serial_now;
};

/** Of a field that releases up to 3.4 have as an int, the row that the layout has: @p narrow, or else @p field. */
static inline unsigned rd_mpich_field(const struct rd_mpich *o, unsigned field, unsigned narrow)
{
	return acc_layout_has(o->layout, narrow) ? narrow : field;
}

/** Offset of a field in its type. */
static inline uint64_t rd_mpich_offset(const struct rd_mpich *o, unsigned field)
{
	return o->layout->fields[field].offset;
}

/** The reader, for rd_readers[]. */
extern const struct rd_reader rd_mpich_reader;

/* ---- version.c ------------------------------------------------------------------------------------------- */

/** The version as found in the code of MPI_Get_library_version. */
struct rd_mpich_version {
	const char *vendor; /**< "Intel MPI", "Cray MPICH", "MVAPICH": derived from MPICH, with another layout; NULL:
			       MPICH itself */
	char version[32], device[32]; /**< of MPICH itself; "": unknown */
};

/** Read it. Nothing is noted. Only implemented for x86-64; otherwise the result is empty. */
void rd_mpich_version(struct rd_mpich *o, struct rd_mpich_version *ret);

/** The address of a function of the MPI library's file, also if the in-target library has replaced it. May note. */
bool rd_mpich_known_function(struct rd_mpich *o, uint64_t *addr);

/* ---- sizes.c ----------------------------------------------------------------------------------------------- */

/** Do the pools have symbols, as in a statically linked program that was not stripped? */
bool rd_mpich_is_static(struct acc_space *sp);

/**
 * Find the pack whose object sizes agree with the heads of the pools.
 *
 * @param[out] n_agree pools that were compared
 * @return NULL: no such pack, or several; nothing is noted
 */
const struct acc_pack *rd_mpich_pack_by_sizes(struct rd_mpich *o, unsigned *n_agree);

/* ---- abi.c ------------------------------------------------------------------------------------------------- */

/**
 * Is MPICH's code compiled for the standard ABI of MPI 5 (libmpi_abi, which contains the whole library)? Then its
 * internal constants are those of the ABI.
 */
bool rd_mpich_is_abi(struct acc_space *sp);

/** MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL of this library: mpi.h, or mpi_abi.h. */
static inline int rd_mpich_any_source(const struct rd_mpich *o)
{
	return o->abi ? -1 : -2;
}

static inline int rd_mpich_any_tag(const struct rd_mpich *o)
{
	return o->abi ? -2 : -1;
}

static inline int rd_mpich_proc_null(const struct rd_mpich *o)
{
	return o->abi ? -3 : -1;
}

/* ---- scan.c, pools.c ----------------------------------------------------------------------------------- */

/**
 * Find the pools and MPI_COMM_WORLD. Before MPI_Init the pool of requests does not exist yet.
 *
 * @return ACC_OK; ACC_EWITNESS: no pools, or another object size, noted; ACC_ENOMEM
 */
enum acc_rc rd_mpich_scan(struct rd_mpich *o);

/**
 * Search the library's data for words that can be addresses and for which @p is_one returns true.
 *
 * @param reach the search continues for so many bytes after the first match; 0: it ends there
 * @return whether there was a match
 */
bool rd_mpich_words(struct rd_mpich *o, bool (*is_one)(struct rd_mpich *o, uint64_t word), uint64_t reach);

/** Do pools store the number of slots and of free slots? Since 4.0. */
static inline bool rd_mpich_pool_counts(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Object_alloc_t_num_allocated) &&
	       acc_layout_has(o->layout, F_MPIR_Object_alloc_t_num_avail);
}

/** A pool, read once per epoch. NULL: absent, or damaged, which is noted. */
const struct rd_mpich_pool *rd_mpich_pool(struct rd_mpich *o, enum rd_mpich_kind kind);

/** Address and handle of a slot below n_slots. */
uint64_t rd_mpich_slot(const struct rd_mpich_pool *pool, uint64_t i, enum rd_mpich_kind kind, uint32_t *handle);

/** Slot at an address. @return false: there is none */
bool rd_mpich_slot_of(const struct rd_mpich_pool *pool, uint64_t addr, uint64_t *ret);

/** Slot of a handle. @return false: there is none */
bool rd_mpich_slot_of_handle(const struct rd_mpich_pool *pool, uint32_t handle, uint64_t *ret);

/** Discard the data read from the pools. */
void rd_mpich_pools_clear(struct rd_mpich *o);

/* ---- comm.c, members.c ------------------------------------------------------------------------------------ */

/** All live communicators, read once per epoch: o->comms. @return ACC_OK; ACC_ENOMEM,
 * ACC_EREAD, ACC_ECORRUPT: noted. */
enum acc_rc rd_mpich_comms(struct rd_mpich *o);

/** Does a released communicator that is still in memory have this context, for sends or for receives?
 * Nothing is noted. */
bool rd_mpich_is_released(struct rd_mpich *o, uint32_t context);

/** The communicator with a handle, which may be sign-extended. NULL: there is none. */
const struct rd_mpich_comm *rd_mpich_comm_find(struct rd_mpich *o, uint64_t handle);

/** Load the object at @p addr. @return ACC_OK; ACC_NONE: not alive; ACC_EREAD, ACC_ECORRUPT. Nothing noted. */
enum acc_rc rd_mpich_comm_load(struct rd_mpich *o, uint64_t addr, uint32_t handle, struct rd_mpich_comm *ret);

enum acc_rc rd_mpich_comm_first(void *state, struct rd_comm_iter *it);
enum acc_rc rd_mpich_comm_next(void *state, struct rd_comm_iter *it, struct mdl_comm *ret);
enum acc_rc rd_mpich_comm_get(void *state, uint64_t id, struct mdl_comm *ret);
enum acc_rc rd_mpich_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				  struct mdl_member *ret);
enum acc_rc rd_mpich_topology(void *state, const struct mdl_comm *comm, struct mdl_topology *ret);

/** Rank in MPI_COMM_WORLD of peer @p rank. */
struct mdl_num rd_mpich_world_rank(struct rd_mpich *o, const struct rd_mpich_comm *c, int64_t rank);

/* ---- files.c ------------------------------------------------------------------------------------------------ */

/**
 * Find the open files: ROMIO has no list of them, but each has an info with ROMIO's hints, and lies near their texts.
 * Once per epoch.
 */
void rd_mpich_find_files(struct rd_mpich *o);

/** Add the file at @p addr unless it is known. @return false: there is none, or no room for it */
bool rd_mpich_add_file(struct rd_mpich *o, uint64_t addr);

/** Does ROMIO keep the shared pointer of another file in the one at @p addr? Then it is not the program's. */
bool rd_mpich_is_shared_pointer(const struct rd_mpich *o, uint64_t addr);

/** Is it the info of an open file, or one of the copies that ROMIO makes of the datatypes of a view? */
bool rd_mpich_is_files(const struct rd_mpich *o, uint32_t handle);

/* ---- group.c ------------------------------------------------------------------------------------------------ */

enum {
	RD_MPICH_WORLD_SHIFT = 32, /**< process number since 5.0 (MPIR_LPID_WORLD_INDEX): the bits above
				    * are its world */
	RD_MPICH_WORLDS_MAX = 1 << 16
};

/** The processes of a group. A process's number below the size of MPI_COMM_WORLD is its rank there. */
struct rd_mpich_group {
	int64_t size, rank; /**< rank negative: this process is not a member */
	/** numbers of the processes; step_bytes 0: offset + i * stride */
	uint64_t numbers_addr, step_bytes;
	unsigned number_bytes; /**< of each number */
	int64_t offset, stride;
};

/** Do groups have an MPIR_Pmap, and communicators always a group? Since 5.0. */
bool rd_mpich_has_group_map(const struct rd_mpich *o);

/** @return ACC_OK; ACC_EFIELD: the layout does not describe it; ACC_EREAD, ACC_ECORRUPT. Nothing is noted. */
enum acc_rc rd_mpich_group_load(struct rd_mpich *o, uint64_t addr, struct rd_mpich_group *ret);

/** The number of member @p i, which is below size. @return ACC_OK, ACC_EREAD */
enum acc_rc rd_mpich_group_process(struct rd_mpich *o, const struct rd_mpich_group *g, uint64_t i, uint64_t *ret);

/** The process with this number. The rank in another world is known since 5.0 only. @return ret->known */
bool rd_mpich_group_member(struct rd_mpich *o, uint64_t process, struct mdl_member *ret);

/* ---- handle.c ---------------------------------------------------------------------------------------------- */

/**
 * The program's handle of a datatype for which MPICH stores @p handle. Since 5.0 MPICH replaces a builtin datatype by
 * an internal one: bits 16 to 23 have the kind of numbers, size and index are kept (src/include/mpir_datatype.h).
 */
static inline uint32_t rd_mpich_public_type(uint64_t handle)
{
	return (uint32_t)handle & ((handle & 0xcc800000) == 0x4c800000 && handle & 0xff ? 0xff00ffff : UINT32_MAX);
}

/** As rd_datatype_get(). */
enum acc_rc rd_mpich_datatype_get(void *state, uint64_t handle, char name[MDL_NAME_BYTES], uint64_t *bytes);

enum acc_rc rd_mpich_handle_fortran(void *state, enum mdl_handle_kind kind, int64_t fortran, uint64_t *ret);

/* ---- ch4_lists.c, debugq.c, requests.c, ops.c, request_op.c -----------------------------------------------------  */

/** Does the layout describe the lists in which ch4 matches messages? */
bool rd_mpich_has_lists(const struct rd_mpich *o);

/** Sort those of o->requests that are in a list in the order of the list. @return ACC_OK, ACC_ENOMEM */
enum acc_rc rd_mpich_lists(struct rd_mpich *o, const struct rd_mpich_pool *pool);

/** The list that contains it: RD_MPICH_POSTED, RD_MPICH_ARRIVED; RD_MPICH_TAKEN: none. */
enum rd_mpich_where rd_mpich_am_where(const struct rd_mpich_am *am);

/** Load a request that ch4 matches itself. @return false: it is not one. Nothing is noted. */
bool rd_mpich_am_load(struct rd_mpich *o, uint64_t addr, struct rd_mpich_am *ret);

/** Are all processes of MPI_COMM_WORLD on one node? false: no, or unknown */
bool rd_mpich_is_one_node(struct rd_mpich *o);

/** Read them: o->debug. @return ACC_OK, ACC_ENOMEM */
enum acc_rc rd_mpich_debugq(struct rd_mpich *o, const struct rd_mpich_pool *pool);

/** Their element for a request, or NULL. */
const struct rd_mpich_debug *rd_mpich_debug_of(struct rd_mpich *o, uint64_t request_addr);

/** The requests of the pool, read once per epoch: o->requests, o->persistent. @return as rd_mpich_comms(). */
enum acc_rc rd_mpich_requests(struct rd_mpich *o);

/**
 * A request without references that is not free: being created or released, unless its operation has not completed or
 * it is persistent, which means that the number of references was overwritten. @return ACC_NONE; ACC_ECORRUPT
 */
enum acc_rc rd_mpich_request_unused(struct rd_mpich *o, uint64_t addr);

/** MPIR_Request_kind_t of the request at @p addr, as 4.0 numbers them; 0: it cannot be read. */
enum rd_request_is rd_mpich_request_at(void *state, uint64_t addr);
uint64_t rd_mpich_request_kind(struct rd_mpich *o, uint64_t addr);

/**
 * Is the request internal to MPICH: an unexpected message, the inter-node half of a receive from any source, a message
 * of a collective, or the current operation of a persistent request?
 */
bool rd_mpich_is_librarys_request(struct rd_mpich *o, uint64_t addr);

/** How far the request at an address is. */
struct rd_mpich_progress {
	bool persistent, partitioned;
	bool started; /**< false: a persistent one that is not active */
	bool done;    /**< the library has completed it; of a persistent one that is not active always true */
};

/** @return ACC_OK; ACC_NONE: no request is there, or it is unused; ACC_EREAD, ACC_ECORRUPT. Nothing is noted. */
enum acc_rc rd_mpich_request_progress(struct rd_mpich *o, uint64_t addr, struct rd_mpich_progress *ret);

/** As rd_request_done(). */
enum acc_rc rd_mpich_request_done(void *state, uint64_t handle, bool *ret);

/**
 * The entry of the request at an address, once o->requests have been read; NULL: it is no slot of the pool. Zeroed if
 * nothing is known about it.
 */
const struct rd_mpich_request_slot *rd_mpich_request_slot(struct rd_mpich *o, uint64_t addr);

/** Fill in the entries, after o->requests and o->persistent. @return ACC_OK, ACC_ENOMEM */
enum acc_rc rd_mpich_index_requests(struct rd_mpich *o);

/** The operation of the request at @p addr. */
enum mdl_request_type rd_mpich_request_type(struct rd_mpich *o, uint64_t addr);

/** As rd_request_get(). */
enum acc_rc rd_mpich_request_get(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret);

/** The objects of all kinds (objects.c). */
enum acc_rc rd_mpich_objects(void *state, struct rd_objects *ret);

/** Look for UCX's workers and the table of endpoints. */
void rd_mpich_find_ucx(struct rd_mpich *o);

enum acc_rc rd_mpich_ops_available(void *state, enum mdl_op_class op_class, const char **why);
enum acc_rc rd_mpich_op_first(void *state, struct rd_op_iter *it);
enum acc_rc rd_mpich_probe(void *state, const struct mdl_comm *comm, const struct rd_probe *probe, struct mdl_op *ret);
enum acc_rc rd_mpich_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret);

#endif /* RD_MPICH_H */
