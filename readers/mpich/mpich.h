/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpich.h
 * The state of the MPICH reader and what its files offer each other.
 *
 * MPICH's objects live in pools (MPIR_Object_alloc_t), whose symbols no library exports. They are found by their
 * shape in the data of the library, around its few exported variables; the size of an object in each pool must be the
 * layout's. MPICH has no message queues with ch4:ucx: they are inside UCX (readers/ucx).
 *
 * What is learnt about a process holds for one epoch: an update begins the next one.
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
	RD_MPICH_FILE = 4, /* only in error handlers and keyvals */
	RD_MPICH_ERRHANDLER = 5,
	RD_MPICH_OP = 6,
	RD_MPICH_INFO = 7,
	RD_MPICH_WIN = 8,
	RD_MPICH_KEYVAL = 9,
	RD_MPICH_REQUEST = 11,
	RD_MPICH_SESSION = 14,
	RD_MPICH_N_KINDS = 16
};

enum { RD_MPICH_N_BUILTIN_GROUPS = 2 }; /**< of MPI_COMM_WORLD and MPI_COMM_SELF, since 5.0 */

/** MPIR_Request_kind_t as 4.0 numbers them; rd_mpich_request_kind() translates the numbers of other versions. */
enum rd_mpich_request_kind {
	RD_MPICH_SEND = 1,
	RD_MPICH_RECV = 2,
	RD_MPICH_PREQUEST_SEND = 3,
	RD_MPICH_PREQUEST_RECV = 4,
	RD_MPICH_PREQUEST_COLL = 5,
	RD_MPICH_PART = 8,
	RD_MPICH_GREQUEST = 9,
	RD_MPICH_COLL = 10,
	RD_MPICH_MPROBE = 11,
	RD_MPICH_RMA = 12,
};

/** A pool, checked: every slot's address can be computed. */
struct rd_mpich_pool {
	bool known; /**< there is one, and its head makes sense; not known: nothing of this kind is read */
	bool initialized;
	uint64_t addr;
	uint32_t object_bytes;
	uint64_t direct_addr, n_direct;
	uint64_t *blocks;        /**< addresses of the indirect blocks; of requests, those of all virtual interfaces */
	uint32_t *block_handles; /**< handle of the first slot of each */
	uint64_t n_blocks, per_block;
	uint64_t n_slots;
	unsigned char *is_free; /**< a byte for each slot */
};

/** A communicator. */
struct rd_mpich_comm {
	struct mdl_comm facts;
	uint64_t addr;
	uint32_t context, receive_context; /**< for sends, for receives */
	/** MPIDI_rank_map_t, since 5.0 MPIR_Group: of the peers, of the local processes; the same if it is intra */
	uint64_t peers_addr, local_addr;
	uint64_t local_comm_addr;
};

/** What has the operation of a request. */
enum rd_mpich_where {
	RD_MPICH_IN_UCX,
	RD_MPICH_SELF,    /**< the queue of messages to oneself */
	RD_MPICH_POSTED,  /**< ch4's list of posted receives */
	RD_MPICH_ARRIVED, /**< ch4's list of unexpected messages: it is a message */
	RD_MPICH_TAKEN,   /**< no list any more: a message has matched it */
	RD_MPICH_OPAQUE,  /**< a library below MPICH */
};

/** A request that the program waits for, or may. */
struct rd_mpich_request {
	uint64_t addr;
	uint64_t key; /**< of a send and a receive its tag word, of a collective the address of its communicator */
	uint8_t kind;
	uint8_t where; /**< enum rd_mpich_where; not of a collective */
};

/** A request of ch4's own matching (MPIDIG_req_t). */
struct rd_mpich_am {
	int64_t source, tag, count;
	uint64_t context, buffer, datatype;
	uint64_t status;     /**< MPIDIG_REQ_* */
	uint64_t match_addr; /**< of a message, the request of the receive that has taken it; 0: none, or the same */
	uint64_t key;        /**< the tag word */
};

/** An element of a queue for debuggers. */
struct rd_mpich_debug {
	uint64_t addr; /**< 0: there is none */
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
	uint64_t real_addr; /**< the request that works for it; 0: it is not active */
	uint64_t comm_addr;
	uint32_t handle;
	bool send;
};

struct rd_mpich {
	struct rd_process *p;
	struct acc_space *sp;
	const struct acc_layout *layout;
	const struct rd_packs *packs;
	size_t next_pack; /**< to be tried when the pools disagree with this one */
	unsigned n_text_witnesses;
	bool hidden; /**< no symbol leads to the texts of the version: they were found in code */
	bool scanned;
	uint64_t data_lo, data_hi; /**< the part of the library's data that was searched and has the pools */
	uint64_t words_lo;         /**< where to begin to search for addresses; 0: at the first pool */
	uint64_t pool_addr[RD_MPICH_N_KINDS];
	struct rd_mpich_pool pools[RD_MPICH_N_KINDS];
	uint64_t world_addr; /**< of MPI_COMM_WORLD, MPI_COMM_SELF behind it; 0 not there */
	uint64_t types_addr; /**< of the builtin datatypes, by the index in their handles; 0 not found */
	struct rd_ucx ucx;
	bool ucx_ready;
	bool below; /**< the device hands messages to a library that is not read, unless ch4 matches them itself */
	char ucx_why[ACC_NOTE_BYTES];               /**< why the queues are unavailable; "": available */
	uint64_t found_workers[RD_UCX_WORKERS_MAX]; /**< what the last search has found */
	uint64_t found_peers_addr;
	unsigned n_found_workers;
	uint64_t peers_addr; /**< the table of endpoints by rank of MPI_COMM_WORLD; 0: not found */

	/* of this epoch */
	struct rd_mpich_comm *comms;
	uint64_t n_comms, n_bad_comms;
	bool comms_built;
	struct rd_mpich_request *requests;
	uint64_t n_requests, n_bad_requests, n_bad_listed; /**< n_bad_listed: lists that are not whole */
	struct rd_mpich_debug *debug; /**< by slot of the pool of requests; NULL: there are no queues for debuggers */
	struct rd_mpich_persistent *persistent;
	uint64_t n_persistent;
	bool requests_built;
	struct rd_mpich_file *files;
	uint64_t n_files;
	bool files_found;
	uint32_t *references[MDL_N_HANDLE_KINDS]; /**< by slot of the kind's pool; NULL: not counted */
	struct {
		uint64_t addr; /**< 0: unknown */
		uint32_t references;
	} builtin_groups[RD_MPICH_N_BUILTIN_GROUPS];
	uint64_t topology_keyval_addr; /**< 0: not known, or there is none */
	bool topology_keyval_asked;
	uint64_t serial, serial_now;
};

/** The reader, for rd_readers[]. */
extern const struct rd_reader rd_mpich_reader;

/* ---- version.c ------------------------------------------------------------------------------------------- */

/** What the code of MPI_Get_library_version says of the library. */
struct rd_mpich_version {
	const char *
		vendor; /**< "Intel MPI", "Cray MPICH", "MVAPICH": made from MPICH, and not laid out alike; NULL: none */
	char version[32], device[32]; /**< of MPICH itself; "": unknown */
};

/** Read it. Nothing is noted. x86-64 only: of other machines nothing is known. */
void rd_mpich_version(struct rd_mpich *o, struct rd_mpich_version *ret);

/* ---- sizes.c ----------------------------------------------------------------------------------------------- */

/** Do the pools have their own names, as in a program that is linked statically and not stripped? */
bool rd_mpich_is_static(struct acc_space *sp);

/**
 * The one pack whose sizes of objects are those in the heads of the pools.
 *
 * @param[out] n_agree pools that were compared
 * @return NULL: none, or several; nothing is noted
 */
const struct acc_pack *rd_mpich_pack_by_sizes(struct rd_mpich *o, unsigned *n_agree);

/* ---- scan.c, pools.c ----------------------------------------------------------------------------------- */

/**
 * Find the pools and MPI_COMM_WORLD; before MPI_Init the pool of requests is not there yet.
 *
 * @return ACC_OK; ACC_EWITNESS: no pools, or of another size, noted; ACC_ENOMEM
 */
enum acc_rc rd_mpich_scan(struct rd_mpich *o);

/**
 * Look for words of the library's data that may be addresses and that @p is_one takes.
 *
 * @param reach bytes after the first of them within which there may be more; 0: there is one only
 * @return whether there is one
 */
bool rd_mpich_words(struct rd_mpich *o, bool (*is_one)(struct rd_mpich *o, uint64_t word), uint64_t reach);

/** Do pools count their slots, and the free ones? Since 4.0. */
static inline bool rd_mpich_pool_counts(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Object_alloc_t_num_allocated) &&
	       acc_layout_has(o->layout, F_MPIR_Object_alloc_t_num_avail);
}

/** A pool, read once per epoch. NULL: damaged or not there; then it is noted unless it is only absent. */
const struct rd_mpich_pool *rd_mpich_pool(struct rd_mpich *o, enum rd_mpich_kind kind);

/** Address and handle of a slot below n_slots. */
uint64_t rd_mpich_slot(const struct rd_mpich_pool *pool, uint64_t i, enum rd_mpich_kind kind, uint32_t *handle);

/** Slot of an address. @return false: it is none */
bool rd_mpich_slot_of(const struct rd_mpich_pool *pool, uint64_t addr, uint64_t *ret);

/** Slot of a handle that names one. @return false: it names none */
bool rd_mpich_slot_of_handle(const struct rd_mpich_pool *pool, uint32_t handle, uint64_t *ret);

/** Discard the data read from the pools. */
void rd_mpich_pools_clear(struct rd_mpich *o);

/* ---- comm.c, members.c ------------------------------------------------------------------------------------ */

/** All live communicators, read once per epoch: o->comms. @return ACC_OK; ACC_ENOMEM, ACC_EREAD, ACC_ECORRUPT: noted. */
enum acc_rc rd_mpich_comms(struct rd_mpich *o);

/** One of them by handle, as MPI or a sign-extending caller writes it. NULL: there is none. */
const struct rd_mpich_comm *rd_mpich_comm_find(struct rd_mpich *o, uint64_t handle);

/** Load the object at @p addr. @return ACC_OK; ACC_NONE: not alive; ACC_EREAD, ACC_ECORRUPT. Nothing noted. */
enum acc_rc rd_mpich_comm_load(struct rd_mpich *o, uint64_t addr, uint32_t handle, struct rd_mpich_comm *ret);

enum acc_rc rd_mpich_comm_first(void *state, struct rd_comm_iter *it);
enum acc_rc rd_mpich_comm_next(void *state, struct rd_comm_iter *it, struct mdl_comm *ret);
enum acc_rc rd_mpich_comm_get(void *state, uint64_t id, struct mdl_comm *ret);
enum acc_rc rd_mpich_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				  struct mdl_member *ret);
enum acc_rc rd_mpich_topology(void *state, const struct mdl_comm *comm, struct mdl_topology *ret);

/** Rank in MPI_COMM_WORLD of a member of the (remote) group that peers are of. */
struct mdl_num rd_mpich_world_rank(struct rd_mpich *o, const struct rd_mpich_comm *c, int64_t rank);

/* ---- files.c ------------------------------------------------------------------------------------------------ */

/**
 * Find the open files: ROMIO has no list of them, but each has an info with ROMIO's hints, and lies near their texts.
 * Their communicators are marked as internal. Once per epoch; o->comms must have been read.
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
	RD_MPICH_WORLD_SHIFT = 32, /**< of a process's number since 5.0 (MPIR_LPID_WORLD_INDEX): above is its world */
	RD_MPICH_WORLDS_MAX = 1 << 16
};

/** The processes of a group. A process's number below the size of MPI_COMM_WORLD is its rank there. */
struct rd_mpich_group {
	int64_t size, rank; /**< rank negative: the process is no member */
	/** 64-bit numbers of the processes; step_bytes 0: offset + i * stride */
	uint64_t numbers_addr, step_bytes;
	int64_t offset, stride;
};

/** Does a group have a map of its own kind, and communicators have groups always? Since 5.0. */
bool rd_mpich_has_group_map(const struct rd_mpich *o);

/** @return ACC_OK; ACC_EFIELD: the layout does not describe it; ACC_EREAD, ACC_ECORRUPT. Nothing is noted. */
enum acc_rc rd_mpich_group_load(struct rd_mpich *o, uint64_t addr, struct rd_mpich_group *ret);

/** The number of member @p i, which is below size. @return ACC_OK, ACC_EREAD */
enum acc_rc rd_mpich_group_process(struct rd_mpich *o, const struct rd_mpich_group *g, uint64_t i, uint64_t *ret);

/** The process with this number. Of other worlds only 5.0 tells the rank. @return ret->known */
bool rd_mpich_group_member(struct rd_mpich *o, uint64_t process, struct mdl_member *ret);

/* ---- handle.c ---------------------------------------------------------------------------------------------- */

/**
 * The handle that the program has of a datatype that MPICH has written as @p handle. Since 5.0 MPICH replaces a builtin one by
 * a handle that says what its numbers are in bits 16 to 23 and keeps its size and index (src/include/mpir_datatype.h).
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

/** Put the requests of o->requests that are in a list in its order. @return ACC_OK, ACC_ENOMEM */
enum acc_rc rd_mpich_lists(struct rd_mpich *o, const struct rd_mpich_pool *pool);

/** Which list it is in: RD_MPICH_POSTED, RD_MPICH_ARRIVED; RD_MPICH_TAKEN: in none. */
enum rd_mpich_where rd_mpich_am_where(const struct rd_mpich_am *am);

/** A request of ch4's own matching. @return false: it is none. Nothing is noted. */
bool rd_mpich_am_load(struct rd_mpich *o, uint64_t addr, struct rd_mpich_am *ret);

/** Are all processes of MPI_COMM_WORLD on one node? false: not, or not known */
bool rd_mpich_is_one_node(struct rd_mpich *o);

/** Are there queues for debuggers? */
bool rd_mpich_has_debugq(struct rd_mpich *o);

/** Read them: o->debug. @return ACC_OK, ACC_ENOMEM */
enum acc_rc rd_mpich_debugq(struct rd_mpich *o, const struct rd_mpich_pool *pool);

/** What they have of a request. NULL: nothing */
const struct rd_mpich_debug *rd_mpich_debug_of(struct rd_mpich *o, uint64_t request_addr);

/** The requests of the pool, read once per epoch: o->requests, o->persistent. @return as rd_mpich_comms(). */
enum acc_rc rd_mpich_requests(struct rd_mpich *o);

/** MPIR_Request_kind_t of the request at @p addr, as 4.0 numbers them; 0: it cannot be read. */
uint64_t rd_mpich_request_kind(struct rd_mpich *o, uint64_t addr);

/**
 * Is the request MPICH's own: an unexpected message, or the half of a receive from any source that waits for other nodes?
 */
bool rd_mpich_is_librarys_request(struct rd_mpich *o, uint64_t addr);

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
enum acc_rc rd_mpich_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret);

#endif /* RD_MPICH_H */
