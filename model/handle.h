/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handle.h
 * An MPI object from the program's point of view: its kind, the
 * call that created it, the arguments, whether it was freed.
 *
 * Handles of other objects are stored as the bits of their C handles. Lists of variable length are not part of a fact
 * but referenced by it (struct mdl_list); they are read separately, in pieces.
 */
#ifndef MDL_HANDLE_H
#define MDL_HANDLE_H

#include "comm.h"

enum mdl_handle_kind {
	MDL_COMM,
	MDL_GROUP,
	MDL_DATATYPE,
	MDL_ERRHANDLER,
	MDL_FILE,
	MDL_INFO,
	MDL_OP,
	MDL_REQUEST,
	MDL_WIN,
	MDL_A_MESSAGE, /**< of MPI_Mprobe */
	MDL_SESSION,
	MDL_KEYVAL,
	MDL_N_HANDLE_KINDS
};

enum mdl_life {
	MDL_LIVE,
	MDL_FREED,  /**< the program has freed the handle, or completed the request */
	MDL_EARLIER /**< freed, and its value belongs to another object now */
};

/** Programming language of a callback. */
enum mdl_language { MDL_LANGUAGE_UNKNOWN, MDL_LANGUAGE_C, MDL_LANGUAGE_FORTRAN, MDL_LANGUAGE_CXX };

/** A list in the target; its elements are read through the reader that returned it. */
struct mdl_list {
	uint64_t addr;  /**< used by the reader */
	uint64_t n;     /**< elements that can be read */
	uint64_t total; /**< actual number of elements; larger than n: the rest was not recorded */
	bool known;     /**< false: there is no such list */
	uint8_t form;   /**< used by the reader: the format of the elements in memory */
};

struct mdl_handle_comm {
	struct mdl_num rank, size, remote_size; /**< remote_size: not applicable for an intracommunicator */
	enum mdl_topology_kind topology;
	struct mdl_num ndims, weighted;
	struct mdl_num errhandler, info, group,
		remote_group; /**< handles; not applicable: never requested by the program */
	/** Numbers of these objects, and of the group passed to MPI_Comm_create or a similar function. */
	struct mdl_num info_id, group_id, remote_group_id, from_group_id;
	struct mdl_num color, key; /**< given to MPI_Comm_split here; not applicable: another function has made it */
	struct mdl_list members, remote_members; /**< of mdl_handle_member */
	bool members_identity;                   /**< local ranks equal world ranks; there is no list */
	bool remote_members_identity;            /**< the same for the remote group */
	/** Lists of numbers. dims: dims, index (graph) or sources (distributed graph); periods: periods, edges or
	 *  destinations; coords: own coordinates or weights of sources; weights: weights of destinations. */
	struct mdl_list dims, periods, coords, weights;
	struct mdl_list attributes, collectives, hints;
};

struct mdl_handle_group {
	struct mdl_num rank, size; /**< rank not applicable: this process is not a member */
	struct mdl_num second_parent;
	bool members_identity; /**< as of a communicator */
	struct mdl_list members;
};

/** How a datatype was constructed: MPI_COMBINER_*, with the same numbers for every MPI. */
enum mdl_combiner {
	MDL_NAMED,
	MDL_DUP,
	MDL_CONTIGUOUS,
	MDL_VECTOR,
	MDL_HVECTOR_INTEGER,
	MDL_HVECTOR,
	MDL_INDEXED,
	MDL_HINDEXED_INTEGER,
	MDL_HINDEXED,
	MDL_INDEXED_BLOCK,
	MDL_STRUCT_INTEGER,
	MDL_STRUCT,
	MDL_SUBARRAY,
	MDL_DARRAY,
	MDL_F90_REAL,
	MDL_F90_COMPLEX,
	MDL_F90_INTEGER,
	MDL_RESIZED,
	MDL_HINDEXED_BLOCK,
	MDL_VALUE_INDEX,
	MDL_N_COMBINERS
};

struct mdl_handle_datatype {
	bool committed;
	struct mdl_num combiner; /**< enum mdl_combiner */
	struct mdl_num size, lower_bound, extent, true_lower_bound, true_extent;
	struct mdl_list integers, addresses; /**< of numbers, in the order of MPI_Type_get_contents */
	struct mdl_list datatypes;           /**< of numbers (mdl_handle.id) of constituents */
	struct mdl_list attributes;
};

struct mdl_handle_errhandler {
	struct mdl_num object_kind; /**< enum mdl_handle_kind; not applicable: any */
	struct mdl_num function;    /**< address; not applicable: predefined */
};

/** Bits of mdl_handle_file.mode, the same for every MPI. */
enum mdl_file_mode {
	MDL_MODE_CREATE = 1,
	MDL_MODE_RDONLY = 2,
	MDL_MODE_WRONLY = 4,
	MDL_MODE_RDWR = 8,
	MDL_MODE_DELETE_ON_CLOSE = 16,
	MDL_MODE_UNIQUE_OPEN = 32,
	MDL_MODE_EXCL = 64,
	MDL_MODE_APPEND = 128,
	MDL_MODE_SEQUENTIAL = 256
};

struct mdl_handle_file {
	struct mdl_list path; /**< of characters */
	struct mdl_num mode, atomic;
	struct mdl_num comm, comm_id, info, info_id, errhandler;
	struct mdl_num displacement, etype, filetype;
	struct mdl_num etype_id, filetype_id; /**< as mdl_handle_request.datatype_id */
	char representation[MDL_NAME_BYTES];  /**< "" not known */
	char split_call[MDL_NAME_BYTES];      /**< "" no split collective is open */
	struct mdl_list hints;                /**< of pairs */
};

struct mdl_handle_info {
	struct mdl_list pairs;
};

struct mdl_handle_op {
	struct mdl_num commutative, large;
	struct mdl_num function; /**< address; not applicable: predefined */
};

/** The operation that a request represents. */
enum mdl_request_type {
	MDL_REQUEST_UNKNOWN,
	MDL_REQUEST_POINT_TO_POINT,
	MDL_REQUEST_COLLECTIVE,
	MDL_REQUEST_FILE,
	MDL_REQUEST_WINDOW,
	MDL_REQUEST_GENERALIZED
};

/** The meaning of the second side of a call, in addition to its `buffer`, `count` and `datatype`. */
enum mdl_second_side {
	MDL_SECOND_NONE,
	MDL_SECOND_RECEIVED, /**< the first side is sent */
	MDL_SECOND_SENT,     /**< the first side is received: MPI_Scatter and similar functions */
	MDL_SECOND_AT_TARGET /**< the first side is at the origin: a call with a window */
};

struct mdl_second {
	enum mdl_second_side side;
	struct mdl_num buffer; /**< at the target: the displacement, as given */
	struct mdl_num count, datatype;
	struct mdl_num datatype_id; /**< as mdl_handle_request.datatype_id */
};

static inline struct mdl_second mdl_no_second(void)
{
	struct mdl_num none = mdl_none();

	return (struct mdl_second){ MDL_SECOND_NONE, none, none, none, none };
}

struct mdl_handle_request {
	enum mdl_request_type type;
	const char *operation; /**< static: "send", "receive"; NULL: implied by the call, or not known */
	bool persistent, active, cancelled, free_called, shared, partitioned, generalized_complete;
	struct mdl_num object;      /**< handle of the communicator, file or window */
	struct mdl_num object_kind; /**< enum mdl_handle_kind */
	struct mdl_num datatype, buffer, count, peer,
		tag; /**< peer is the root when peer_is_root; count of all partitions */
	struct mdl_num partitions, count_per_partition; /**< when partitioned */
	struct mdl_list
		partitions_done; /**< when partitioned: bytes; 1: marked ready (sent), or seen to have arrived */
	bool peer_is_root;
	struct mdl_num op; /**< reduction operation */
	/** Numbers of `object`, `datatype` and `op` if these were freed and their handle values reused (then the
	 * handles are unavailable); otherwise not applicable. */
	struct mdl_num object_id, datatype_id, op_id;
	struct mdl_num extra_state; /**< of a generalized request, which has no buffer */
	struct mdl_num caller;      /**< return address of the call that created it */
	struct mdl_second second;
	struct mdl_num source, receive_tag; /**< of MPI_Isendrecv, whose peer and tag are the send's */
};

enum mdl_win_flavor { MDL_WIN_CREATE = 1, MDL_WIN_ALLOCATE, MDL_WIN_DYNAMIC, MDL_WIN_SHARED };
enum mdl_win_model { MDL_WIN_SEPARATE = 1, MDL_WIN_UNIFIED };

struct mdl_handle_win {
	struct mdl_num comm, comm_id, info, info_id, errhandler;
	struct mdl_num base, size, displacement_unit;
	struct mdl_num flavor, model;   /**< enum mdl_win_flavor, enum mdl_win_model */
	char last_sync[MDL_NAME_BYTES]; /**< "" none yet */
	bool fence_open, lock_all, started, posted;
	const char *epochs_why;               /**< static: why these four are unknown; NULL: they are known */
	const char *fence_why, *lock_all_why; /**< the same for one of them */
	struct mdl_list locks;                /**< per rank: 0 none, 1 shared, 2 exclusive */
	struct mdl_num
		lock_held; /**< a rank whose lock MPI has granted for certain (track_layout.h); others may be, too */
	struct mdl_list start_group, post_group;
	struct mdl_list attached; /**< of numbers, two each: base, size */
	struct mdl_list attributes, hints;
};

struct mdl_handle_message {
	struct mdl_num comm, source, tag, bytes;
};

struct mdl_handle_session {
	struct mdl_num info, info_id, errhandler;
};

struct mdl_handle_keyval {
	struct mdl_num object_kind, key, copy_function, delete_function, extra_state;
};

/** A member: its rank in the world of number @p world; 0 is this process's own. */
struct mdl_handle_member {
	bool known;
	int64_t rank;
	uint64_t world;
};

struct mdl_handle_attribute {
	uint64_t keyval; /**< number of the keyval (mdl_handle.id); 0: not known */
	int64_t key;
	uint64_t value;
	bool integer; /**< true: `value` is an integer; false: a pointer */
};

struct mdl_handle {
	enum mdl_handle_kind kind;
	enum mdl_life life;
	bool predefined;
	bool null;       /**< a null handle such as MPI_COMM_NULL; facts of its kind do not apply */
	bool unsettled;  /**< the process was stopped while this was being written: parts may be outdated */
	uint64_t handle; /**< bits of the C handle */
	uint64_t addr;   /**< of the record: distinguishes two objects with the same handle value */
	uint64_t id;     /**< its number; 0: this kind has none */
	struct mdl_num fortran;
	struct mdl_num parent; /**< number of the object from which it was created */
	struct mdl_num references, generation, born_at;
	enum mdl_language language;
	char name[MDL_NAME_BYTES]; /**< "" none */
	char call[MDL_NAME_BYTES]; /**< "MPI_Comm_dup"; "" predefined, or created before recording started */
	struct mdl_list where;     /**< return addresses, innermost first */
	const char *origin;        /**< static: "tracker" */
	union {
		struct mdl_handle_comm comm;
		struct mdl_handle_group group;
		struct mdl_handle_datatype datatype;
		struct mdl_handle_errhandler errhandler;
		struct mdl_handle_file file;
		struct mdl_handle_info info;
		struct mdl_handle_op op;
		struct mdl_handle_request request;
		struct mdl_handle_win win;
		struct mdl_handle_message message;
		struct mdl_handle_session session;
		struct mdl_handle_keyval keyval;
	};
};

/** Facts about all objects of a kind. */
struct mdl_handle_count {
	bool known;         /**< false: they are not recorded here */
	uint64_t n_dropped; /**< not recorded for lack of space: answers about the kind are incomplete */
	uint64_t capacity;
	uint64_t n_slots;      /**< number of records that a walk reads: those ever used */
	uint64_t n_forgotten;  /**< freed objects that a debugger wanted to keep but for which there was no space */
	struct mdl_num n_live; /**< live objects, including predefined ones, counted by the writer; not applicable: not
				  counted */
};

/** The memory for lists (members, attributes, arguments of datatypes ...). Unavailable: not in the registry. */
struct mdl_handle_memory {
	struct mdl_num bytes, used;
	struct mdl_num n_dropped; /**< lists not recorded for lack of space: answers that need them are incomplete */
};

/** Ranks that are not processes, the same for every MPI. MPI_ANY_SOURCE is MDL_ANY. */
enum { MDL_PROC_NULL = -2, MDL_ROOT = -4 };

/** An MPI_Status. */
struct mdl_status {
	uint64_t addr;
	struct mdl_num source, tag, error, cancelled, bytes;
	int32_t host_source, host_tag; /**< source and tag with the values of the MPI library */
};

/** A current MPI call of a thread. */
struct mdl_call {
	char function[MDL_NAME_BYTES]; /**< "MPI_Recv" */
	struct mdl_num comm, datatype, buffer, count, peer, tag, root, source, receive_tag;
	struct mdl_num object, object_kind; /**< file or window */
	struct mdl_num op;                  /**< reduction operation */
	struct mdl_num lock;                /**< lock for which MPI_Win_lock waits: 1 shared, 2 exclusive */
	struct mdl_num group;               /**< of MPI_Win_start */
	struct mdl_second second;
	struct mdl_num requests;    /**< address of the array */
	struct mdl_num nanoseconds; /**< duration of the call so far, if the current time is known */
	struct mdl_num caller;      /**< return address */
};

enum { MDL_CALLS_MAX = 4 };

struct mdl_thread {
	uint64_t tid;
	uint64_t n_calls;
	unsigned n; /**< number of recorded calls; calls[0] is the
		     *   program's, calls[1] is made by one of its callbacks */
	struct mdl_num depth;
	struct mdl_call calls[MDL_CALLS_MAX];
	struct {
		char function[MDL_NAME_BYTES]; /**< that returned the last error; "": none, or not recorded */
		char name[MDL_NAME_BYTES];     /**< of its class */
		struct mdl_num nanoseconds, caller;
	} error;
};

/** A basic element of a type map. */
struct mdl_typemap_entry {
	int64_t displacement; /**< bytes */
	uint64_t bytes;       /**< extent of the basic type */
	uint64_t id;          /**< number of the basic datatype */
};

#endif /* MDL_HANDLE_H */
