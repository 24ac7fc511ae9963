/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file track_layout.h
 * The registry: the records of the in-target library about MPI objects, for a reader outside the process.
 *
 * It is in the memory of the MPI program and is found through MPI2DD_EXTENSION.registry (mpi2dd.h) or the symbol
 * MPI2DD_registry (the struct itself). It describes itself: a reader looks types and fields up by name in the two
 * tables of trk_registry and needs no offset of this header. Widths are fixed, byte order is the target's, an
 * address is 8 bytes wide also in a 32-bit target. A reader reports a missing field and ignores a field that it
 * does not know. version_major changes when an existing field changes its meaning.
 *
 * Names of fields are part of the format, because readers look them up: a renamed field is a missing field for a
 * debugger that is not built from this version. Therefore these keep their names: n_born and n_retired, numbers of
 * objects or requests created and ended; born_at, the time of creation; where, the return addresses of a creation.
 *
 * Records are in slabs: arrays of fixed capacity, one per kind of object, never moved or
 * freed. A record is written between two increments of its `sequence`: odd means that it
 * is being written, and a reader of a process stopped at that instant reports the record
 * as unsettled. `state` is written last when a record is created and first when it ends.
 *
 * Lists of variable length (members, dimensions, arguments, names that are long)
 * are spans in an arena: an address and a number of elements. `total` is larger
 * than `n` if the arena had no room for all of them: the answer is then incomplete.
 *
 * Every list below is a macro with F(type, name), from which the
 * structs, their self-description and the tests are generated.
 */
#ifndef TRACK_LAYOUT_H
#define TRACK_LAYOUT_H

#include <stdint.h>

#define TRK_COOKIE "MPI2DDtr" /* 8 bytes, no NUL */
enum { TRK_VERSION_MAJOR = 5, TRK_VERSION_MINOR = 0 };
#define TRK_BYTE_ORDER UINT32_C(0x01020304)

/** Handles of the standard ABI below this value are predefined: constants, which point to nothing. */
#define TRK_ABI_PREDEFINED 4096

/** Kinds of objects; also the index of each kind's slab. */
enum trk_kind {
	TRK_COMM,
	TRK_GROUP,
	TRK_DATATYPE,
	TRK_ERRHANDLER,
	TRK_FILE,
	TRK_INFO,
	TRK_OP,
	TRK_REQUEST,
	TRK_WIN,
	TRK_MESSAGE,
	TRK_SESSION,
	TRK_KEYVAL,
	TRK_N_KINDS
};

enum trk_state {
	TRK_FREE = 0, /**< the slot is empty */
	TRK_LIVE = 1,
	TRK_FREED = 2,  /**< the program has freed the handle, or completed the request */
	TRK_EARLIER = 3 /**< as TRK_FREED, and the handle value belongs to another object now */
};

/** A list in the arena. */
struct trk_span {
	uint64_t addr;  /**< 0 when n is 0 */
	uint32_t n;     /**< elements stored */
	uint32_t total; /**< elements that the complete list has */
};

/** Field kinds of the self-description; F(kind, name) below uses the suffix. */
enum trk_field_kind {
	TRK_U8 = 1,
	TRK_U16,
	TRK_U32,
	TRK_U64,
	TRK_I32,
	TRK_I64,
	TRK_ADDR,
	TRK_SPAN,
	TRK_NAME,
	TRK_STRUCT
};

typedef uint8_t trk_u8;
typedef uint16_t trk_u16;
typedef uint32_t trk_u32;
typedef uint64_t trk_u64;
typedef int32_t trk_i32;
typedef int64_t trk_i64;
typedef uint64_t trk_addr;
typedef struct trk_span trk_span;
typedef char trk_name[64];         /**< NUL-terminated, cut when longer */
typedef char trk_object_name[128]; /**< the same, as long as any MPI_MAX_OBJECT_NAME */

#define TRK_FIELD(type, name) type name;

/** A type of the self-description. */
#define TRK_TYPE_FIELDS(F)                                                                                             \
	F(trk_name, name) /* "trk_comm" */                                                                             \
	F(trk_u32, bytes) /* sizeof */                                                                                 \
	F(trk_u32, first) /* its fields: first .. first + n - 1 of the field table */                                  \
	F(trk_u32, n)                                                                                                  \
	F(trk_u32, spare)
struct trk_type {
	TRK_TYPE_FIELDS(TRK_FIELD)
};

/** A field of the self-description. */
#define TRK_FIELD_FIELDS(F)                                                                                            \
	F(trk_name, name)                                                                                              \
	F(trk_u32, offset)                                                                                             \
	F(trk_u32, width) /* bytes */                                                                                  \
	F(trk_u32, kind)  /* enum trk_field_kind */                                                                    \
	F(trk_u32, spare)
struct trk_field {
	TRK_FIELD_FIELDS(TRK_FIELD)
};

/**
 * A slab. n_dropped: objects that were not recorded because it was full; answers about its kind are then incomplete.
 * n_forgotten: freed objects that a debugger asked to keep (MPI2DD_FLAG_BEING_DEBUGGED) but whose slots were reused.
 */
#define TRK_SLAB_FIELDS(F)                                                                                             \
	F(trk_name, name)    /* name of its record type */                                                             \
	F(trk_addr, records) /* 0: not set up */                                                                       \
	F(trk_u32, bytes)    /* of a record */                                                                         \
	F(trk_u32, capacity) /* records */                                                                             \
	F(trk_u32, high)     /* slots with this index and above were never used */                                     \
	F(trk_u32, n_live)                                                                                             \
	F(trk_u64, n_born) /* since the start */                                                                       \
	F(trk_u64, n_dropped)                                                                                          \
	F(trk_u64, n_forgotten)
struct trk_slab {
	TRK_SLAB_FIELDS(TRK_FIELD)
};

/** The root struct of the registry. */
#define TRK_REGISTRY_FIELDS(F)                                                                                         \
	F(trk_u64, cookie)     /* the bytes of TRK_COOKIE */                                                           \
	F(trk_u32, byte_order) /* TRK_BYTE_ORDER */                                                                    \
	F(trk_u16, version_major)                                                                                      \
	F(trk_u16, version_minor)                                                                                      \
	F(trk_u32, bytes)      /* of this struct */                                                                    \
	F(trk_u32, word_bytes) /* 4 or 8: a pointer of the target */                                                   \
	F(trk_addr, types)     /* struct trk_type[n_types]; stride type_bytes */                                       \
	F(trk_addr, fields)                                                                                            \
	F(trk_u32, n_types)                                                                                            \
	F(trk_u32, n_fields)                                                                                           \
	F(trk_u32, type_bytes)                                                                                         \
	F(trk_u32, field_bytes)                                                                                        \
	F(trk_addr, slabs) /* struct trk_slab[n_slabs], index = enum trk_kind */                                       \
	F(trk_u32, n_slabs)                                                                                            \
	F(trk_u32, slab_bytes)                                                                                         \
	F(trk_addr, call_names) /* char[call_name_bytes] each, index = call number: "MPI_Isend" */                     \
	F(trk_u32, n_calls)                                                                                            \
	F(trk_u32, call_name_bytes)                                                                                    \
	F(trk_addr, threads) /* struct trk_thread[threads_capacity] */                                                 \
	F(trk_u32, threads_capacity)                                                                                   \
	F(trk_u32, thread_bytes)                                                                                       \
	F(trk_u32, n_threads) /* slots that were ever used */                                                          \
	F(trk_u32, n_threads_dropped)                                                                                  \
	F(trk_u32, mpi_state)    /* 0 before MPI_Init, 1 initialised, 2 finalised */                                   \
	F(trk_i32, thread_level) /* MPI_Query_thread: 0 single .. 3 multiple; -1 unknown */                            \
	F(trk_i32, world_rank)   /* -1 unknown */                                                                      \
	F(trk_i32, world_size)                                                                                         \
	F(trk_name, mpi_name)    /* "Open MPI", "MPICH"; of another MPI with the standard ABI as it names itself */    \
	F(trk_name, mpi_version) /* first line of the library's version text */                                        \
	F(trk_u64, next_id)      /* number of the next object; from 1, never reused */                                 \
	F(trk_u64, arena_bytes)  /* total memory for spans */                                                          \
	F(trk_u64, arena_used)                                                                                         \
	F(trk_u64, n_arena_dropped)                                                                                    \
	F(trk_u64, clock_hz)      /* ticks per second of `since` and `born_at`: 1, the clock is time() */              \
	F(trk_u64, clock_now)     /* the current time while a thread of the library watches for stalls; else 0 */      \
	F(trk_u64, request_null)  /* handle bits of MPI_REQUEST_NULL */                                                \
	F(trk_u64, request_empty) /* ... of requests that are complete when created, Open MPI; 0: none */              \
	F(trk_addr, var_tables)   /* struct trk_slab[n_var_tables], stride slab_bytes: trk_cvar .. trk_registration */ \
	F(trk_u32, n_var_tables)  /* 0: MPI_T was not read */                                                          \
	F(trk_u32, vars_host)     /* enum trk_vars_host */                                                             \
	F(trk_u64, vars_read_at)  /* clock ticks, of the last refresh; 0: there was none */                            \
	F(trk_u64, n_vars_refreshes)                                                                                   \
	F(trk_addr, vars_why) /* the cause of the last one: a string, NUL-terminated */                                \
	F(trk_addr, refused)  /* environment settings that were not understood: lines of a string; 0: none */          \
	F(trk_u32,                                                                                                     \
	  abi) /* handles and constants are those of this version of the MPI standard's ABI; 0: mpi_name's own */      \
	F(trk_u32, spare)
struct trk_registry {
	TRK_REGISTRY_FIELDS(TRK_FIELD)
};

/**
 * The second side of a transfer, in a frame and in the record of a request. `buffer`, `count` and `datatype`
 * describe the data sent; for MPI_Scatter and similar functions the data received; for a call with a window the data
 * at the origin (for MPI_Get_accumulate with MPI_NO_OP, which ignores it, the result). The second side is
 *     the data received, for MPI_Sendrecv and collectives; the data sent, for MPI_Scatter and similar functions;
 *     the data at the target, for a call with a window; `second_buffer` is then the displacement given by the program.
 * They are recorded as given, even if MPI ignores them: at ranks
 * other than the root, and `count` and `datatype` of MPI_IN_PLACE.
 */
#define TRK_SECOND_FIELDS(F)                                                                                           \
	F(trk_u64, second_datatype) /* handle bits */                                                                  \
	F(trk_i64, second_count)    /* -1: a count per rank */                                                         \
	F(trk_addr, second_buffer)

/**
 * The current calls of a thread: frames[0] is the call of the program, frames[1] a call made by a callback of it ...
 * Only frames[0 .. depth - 1] are in use; `depth` is incremented when the frame's call is written, and `has` is written
 * after the arguments: 0 for the few instructions in between, and for a call without arguments. There is no sequence:
 * at every instruction the frames in use are valid. From `comm` to `caller` a frame has the layout of a request, so
 * that it is copied at once. A call that was left by longjmp or by an exception remains until the next MPI call of
 * the thread. A reader that can read the stack detects this: the word at `frame` then differs from `caller`.
 */
#define TRK_FRAME_FIELDS(F)                                                                                            \
	F(trk_u16, call)     /* call number */                                                                         \
	F(trk_u8, flags)     /* not for readers */                                                                     \
	F(trk_u8, depth)     /* only in frames[0], and not for readers: depth of the thread */                         \
	F(trk_u32, has)      /* which of the following the call has: enum trk_has */                                   \
	F(trk_u64, comm)     /* handle bits */                                                                         \
	F(trk_u64, datatype) /* handle bits */                                                                         \
	F(trk_addr, buffer)                                                                                            \
	F(trk_i64, count) /* elements; requests of MPI_Waitall; -1: a count per rank (MPI_Alltoallv) */                \
	F(trk_i32, peer)  /* rank, or the host's MPI_ANY_SOURCE / MPI_PROC_NULL; root of a collective */               \
	F(trk_i32, tag)                                                                                                \
	F(trk_addr, caller) /* return address in the program, or in the binding of its language */                     \
	F(trk_addr, frame)  /* of the word on the stack that holds `caller`; 0: not known */                           \
	F(trk_i32, source)  /* of the receive of MPI_Sendrecv, when TRK_HAS_SOURCE; peer and tag are the send's */     \
	F(trk_i32, receive_tag)                                                                                        \
	F(trk_u64, object)      /* handle bits: file, window; reduction operation of a collective */                   \
	F(trk_u32, object_kind) /* kind of `object`, when TRK_HAS_OBJECT */                                            \
	F(trk_u32, lock)        /* that MPI_Win_lock waits for, when TRK_HAS_LOCK: enum trk_win_lock; 0: not known */  \
	F(trk_addr, requests)   /* the program's array of request handles, when TRK_HAS_REQUESTS */                    \
	F(trk_u64, since)       /* clock ticks; 0: a call that does not wait for others takes no time */               \
	TRK_SECOND_FIELDS(F)                                                                                           \
	F(trk_u64, op) /* handle bits: of a call with a window the reduction operation, when TRK_HAS_OP, or the group, \
			  TRK_HAS_GROUP */
struct trk_frame {
	TRK_FRAME_FIELDS(TRK_FIELD)
} __attribute__((aligned(64)));
#define TRK_NO_CALL UINT32_MAX
enum { TRK_FRAMES = 4 };
enum trk_has {
	TRK_HAS_COMM = 1,
	TRK_HAS_PEER = 2,
	TRK_HAS_TAG = 4,
	TRK_HAS_COUNT = 8,
	TRK_HAS_DATATYPE = 16,
	TRK_HAS_BUFFER = 32,
	TRK_HAS_OBJECT = 64,
	TRK_HAS_ROOT = 128, /**< peer is a collective's root */
	TRK_HAS_REQUESTS = 256,
	TRK_HAS_GROUP = 512, /**< `op` is the group of MPI_Win_start */
	TRK_HAS_OP = 1024,
	TRK_HAS_LOCK = 2048,
	TRK_HAS_SECOND_BUFFER = 4096, /**< `second_buffer` */
	TRK_HAS_SECOND_DATA = 8192,   /**< `second_count` and `second_datatype` */
	TRK_HAS_SOURCE = 16384,       /**< `source` and `receive_tag` */
	TRK_HAS_OF_REQUESTS = 0x7000, /**< the last three: a request has them in its `object_kind` */
	TRK_HAS_MESSAGE = 63          /**< what a message has: the first six */
};

/**
 * A slot per thread that has called MPI, on cache lines of its own. When a thread ends, its slot (with its
 * counters) goes to a later one. There is one more field: "depth", the number of frames in use (calls deeper than
 * TRK_FRAMES are not recorded). It is stored in frames[0], so that one store marks the start of a call and no
 * second cache line is written.
 */
#define TRK_THREAD_FIELDS(F)                                                                                           \
	F(trk_u32, tid)     /* the system's; 0: slot free */                                                           \
	F(trk_u32, error)   /* 1 + number of the last call that returned an error; 0: none, or it is being written */  \
	F(trk_u64, n_calls) /* calls finished */                                                                       \
	F(trk_u64, n_born)  /* requests recorded */                                                                    \
	F(trk_u64, n_retired)     /* requests whose end was recorded by this thread, created by any thread */          \
	F(trk_addr, error_name)   /* name of its class: "MPI_ERR_TRUNCATE" */                                          \
	F(trk_addr, error_caller) /* return address of that call */                                                    \
	F(trk_u64, error_at)      /* clock ticks */
struct trk_thread {
	TRK_THREAD_FIELDS(TRK_FIELD)
	struct trk_frame frames[TRK_FRAMES]; /**< described as type trk_frame; field "frames" of trk_thread */
} __attribute__((aligned(64)));

/* ---- records ---------------------------------------------------------------------------------------- */

/** At the start of every record except trk_request, which is on the fast path. */
#define TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u32, sequence)                                                                                           \
	F(trk_u8, state)       /* enum trk_state */                                                                    \
	F(trk_u8, predefined)  /* 1: the standard's own */                                                             \
	F(trk_u8, has_fortran) /* 1: `fortran` is its Fortran index */                                                 \
	F(trk_u8, language)    /* of its callback: 0 none or unknown, 1 C, 2 Fortran, 3 C++ */                         \
	F(trk_u64, handle)     /* bits of the C handle, zero-extended */                                               \
	F(trk_u64, id)         /* its number */                                                                        \
	F(trk_u64, parent)     /* number of the object from which it was created; 0: none or not known */              \
	F(trk_i32, fortran)                                                                                            \
	F(trk_u32, call) /* number of the call that created it; TRK_NO_CALL: predefined, or older than the records */  \
	F(trk_u32, references) /* number of handles to it that the program was given (MPI_Comm_group twice: 2) */      \
	F(trk_u32, generation) /* how many objects had this handle value before */                                     \
	F(trk_u64, born_at)    /* clock ticks */                                                                       \
	F(trk_span, where)     /* trk_addr: return addresses of its creation, innermost first; empty: not asked for */ \
	F(trk_object_name, name) /* set by the program or predefined; "" none */

/**
 * A process: its rank in the world with number `world` (0: this process's own; each MPI_Comm_spawn adds another); rank
 * -1: not known, a process of another world. In a list of members the index is the rank in the object. If `total` is 0
 * although the object has a size, no list is stored: rank i of the object is rank i of this process's world.
 */
struct trk_member {
	int32_t rank;
	uint32_t world;
};

enum trk_topology { TRK_TOPO_NONE, TRK_TOPO_CART, TRK_TOPO_GRAPH, TRK_TOPO_DIST_GRAPH };

/** Classes of collectives, in the order of mqs_get_comm_coll_state(), then one for all others. */
enum { TRK_COLL_CLASSES = 14, TRK_COLL_OTHER = 14, TRK_COLL_COUNTERS = 15 };

#define TRK_COMM_FIELDS(F)                                                                                             \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_i32, rank)                                                                                               \
	F(trk_i32, size)                                                                                               \
	F(trk_i32, remote_size) /* -1: an intracommunicator */                                                         \
	F(trk_u32, topology)    /* enum trk_topology */                                                                \
	F(trk_i32, ndims)                                                                                              \
	F(trk_u32, weighted)                                                                                           \
	F(trk_u64, errhandler) /* handle bits */                                                                       \
	F(trk_u64, info)       /* handle bits of the info it was made with or given; 0 none */                         \
	F(trk_u64, group)      /* handle bits of MPI_Comm_group if the program has asked for it; 0 */                  \
	F(trk_u64, remote_group)                                                                                       \
	F(trk_span, members) /* trk_member */                                                                          \
	F(trk_span, remote_members)                                                                                    \
	F(trk_span, dims)        /* trk_i32: dims, or index (graph), or sources (dist graph) */                        \
	F(trk_span, periods)     /* trk_i32: periods, or edges, or destinations */                                     \
	F(trk_span, coords)      /* trk_i32: own coordinates; source weights */                                        \
	F(trk_span, weights)     /* trk_i32: destination weights */                                                    \
	F(trk_span, attributes)  /* trk_attribute */                                                                   \
	F(trk_span, collectives) /* trk_u64[2 * TRK_COLL_COUNTERS]: begun, finished, per class */                      \
	/* numbers, because handle values are reused: of `info`, `group`, `remote_group`; */                           \
	/* and of the group passed to MPI_Comm_create or a similar function */                                         \
	F(trk_u64, info_id)                                                                                            \
	F(trk_u64, group_id)                                                                                           \
	F(trk_u64, remote_group_id)                                                                                    \
	F(trk_u64, from_group_id)                                                                                      \
	F(trk_span, hints)   /* trk_pair: of the infos it was created with or set to */                                \
	F(trk_u32, is_split) /* 1: `color` and `key` are what MPI_Comm_split was given here */                         \
	F(trk_i32, color)                                                                                              \
	F(trk_i32, key)
struct trk_comm {
	TRK_COMM_FIELDS(TRK_FIELD)
};

/** An attribute that the program has set, or that a copy function gave to the duplicate. */
struct trk_attribute {
	uint64_t keyval;  /**< number of the trk_keyval; 0: not known */
	uint64_t value;   /**< the void *; the integer when `language` is Fortran */
	int32_t key;      /**< the integer that the program has */
	int32_t language; /**< of the call that set it: 1 C, 2 Fortran; 0: not known, and then neither is the value */
};

#define TRK_GROUP_FIELDS(F)                                                                                            \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_i32, rank) /* -1: not a member */                                                                        \
	F(trk_i32, size)                                                                                               \
	F(trk_u64, second_parent)                                                                                      \
	F(trk_span, members)
struct trk_group {
	TRK_GROUP_FIELDS(TRK_FIELD)
};

#define TRK_DATATYPE_FIELDS(F)                                                                                         \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u32, committed)                                                                                          \
	F(trk_i32, combiner) /* the host's MPI_COMBINER_*; -1: not known */                                            \
	F(trk_i64, size)                                                                                               \
	F(trk_i64, lower_bound)                                                                                        \
	F(trk_i64, extent)                                                                                             \
	F(trk_i64, true_lower_bound)                                                                                   \
	F(trk_i64, true_extent)                                                                                        \
	F(trk_span, integers)  /* trk_i64: arguments as given, in the order of MPI_Type_get_contents */                \
	F(trk_span, addresses) /* trk_i64 */                                                                           \
	F(trk_span, datatypes) /* trk_u64: numbers (id) of the constituents */                                         \
	F(trk_span, attributes)
struct trk_datatype {
	TRK_DATATYPE_FIELDS(TRK_FIELD)
};

#define TRK_ERRHANDLER_FIELDS(F)                                                                                       \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u32, object_kind) /* TRK_COMM, TRK_FILE, TRK_WIN, TRK_SESSION; TRK_N_KINDS: any (predefined) */          \
	F(trk_u32, spare)                                                                                              \
	F(trk_addr, function)
struct trk_errhandler {
	TRK_ERRHANDLER_FIELDS(TRK_FIELD)
};

#define TRK_FILE_FIELDS(F)                                                                                             \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_span, path) /* char */                                                                                   \
	F(trk_i32, mode)  /* MPI_MODE_* of the host */                                                                 \
	F(trk_i32, atomic)                                                                                             \
	F(trk_u64, comm) /* handle bits of the communicator it was opened with */                                      \
	F(trk_u64, comm_id)                                                                                            \
	F(trk_u64, info)                                                                                               \
	F(trk_u64, errhandler)                                                                                         \
	F(trk_i64, displacement) /* of the view */                                                                     \
	F(trk_u64, etype)                                                                                              \
	F(trk_u64, filetype)                                                                                           \
	F(trk_name, representation)                                                                                    \
	F(trk_u32, split_call) /* open split collective: its begin call; TRK_NO_CALL: none */                          \
	F(trk_u32, comm_pin)   /* not for readers */                                                                   \
	F(trk_span, hints)     /* trk_pair: the info that it was opened with or given */                               \
	F(trk_u64, info_id)                                                                                            \
	F(trk_u64, etype_id)                                                                                           \
	F(trk_u64, filetype_id)                                                                                        \
	F(trk_u32, etype_pin) /* not for readers, nor is the next one */                                               \
	F(trk_u32, filetype_pin)
struct trk_file {
	TRK_FILE_FIELDS(TRK_FIELD)
};

#define TRK_INFO_FIELDS(F)                                                                                             \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_span, pairs) /* trk_pair */
struct trk_info {
	TRK_INFO_FIELDS(TRK_FIELD)
};
struct trk_pair {
	uint64_t key_addr, value_addr; /**< NUL-terminated, in the arena */
};

#define TRK_OP_FIELDS(F)                                                                                               \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u32, commutative)                                                                                        \
	F(trk_u32, large) /* 1: MPI_Op_create_c */                                                                     \
	F(trk_addr, function)
struct trk_op {
	TRK_OP_FIELDS(TRK_FIELD)
};

enum trk_request_flag {
	TRK_REQ_PERSISTENT = 1,
	TRK_REQ_ACTIVE = 2,      /**< started and not known to be complete */
	TRK_REQ_CANCELLED = 4,   /**< MPI_Cancel was called since it was started; its status says
				  * whether that succeeded */
	TRK_REQ_FREE_CALLED = 8, /**< MPI_Request_free was called while active */
	TRK_REQ_SHARED = 16, /**< complete when created: the handle value is a shared one of the library. Also without
				this flag: request_empty (Open MPI), and handles whose two high bits are 01 (MPICH) */
	TRK_REQ_PARTITIONED = 32, /**< `op` is the number of partitions, `count` that of one */
	TRK_REQ_GENERALIZED_COMPLETE = 64,
	TRK_REQ_MAKES_COMM = 128 /**< MPI_Comm_idup: buffer is the address of the new communicator's handle */
};

/**
 * The kind of a request follows from its call (trk_registry.call_names). The slab's n_live and n_born stay 0: sum
 * the threads' n_born and n_retired. A record in state TRK_FREED stays until its slot is needed; if a live request
 * has the same handle value, the freed record is an earlier one. For live requests that share a handle value
 * (TRK_REQ_SHARED) the library does not say which one has completed: their number is exact, but which of them are
 * live may not be.
 *
 * `object_kind`: TRK_COMM, TRK_FILE or TRK_WIN; TRK_N_KINDS: none. `op`: the reduction operation, when
 * TRK_HAS_OBJECT, or of a window and not 0; the number of partitions, when TRK_REQ_PARTITIONED; source | receive_tag
 * << 32, when TRK_HAS_SOURCE.
 */

/**
 * Set in `comm`, `datatype`, `second_datatype` or `op` of a live request: the other bits are the number (`id`) of
 * an object that the program has freed and whose handle value has been reused since. No handle has this bit:
 * handles are 32-bit numbers, or addresses in the user half of the address space.
 */
#define TRK_BY_NUMBER (UINT64_C(1) << 63)
#define TRK_REQUEST_FIELDS(F)                                                                                          \
	F(trk_u8, sequence)                                                                                            \
	F(trk_u8, state)      /* enum trk_state */                                                                     \
	F(trk_u8, flags)      /* enum trk_request_flag */                                                              \
	F(trk_u8, collective) /* class of a nonblocking collective + 1; 0: none */                                     \
	F(trk_u16, call)                                                                                               \
	F(trk_u8, has)         /* enum trk_has, its low eight bits */                                                  \
	F(trk_u8, object_kind) /* in its low four bits; above them those of TRK_HAS_OF_REQUESTS >> 8 */                \
	F(trk_u64, handle)                                                                                             \
	F(trk_u64, comm) /* handle bits of the communicator, file or window: object_kind */                            \
	F(trk_u64, datatype)                                                                                           \
	F(trk_addr, buffer)                                                                                            \
	F(trk_i64, count)                                                                                              \
	F(trk_i32, peer) /* or root */                                                                                 \
	F(trk_i32, tag)                                                                                                \
	F(trk_addr, caller) /* return address of the call that made it */                                              \
	F(trk_u64, op)                                                                                                 \
	F(trk_span, where)      /* trk_addr, as of objects; empty: not requested, or complete when created */          \
	F(trk_span, partitions) /* trk_u8 each, since the last start: 1: marked ready, or seen to arrive */            \
	TRK_SECOND_FIELDS(F)
struct trk_request {
	TRK_REQUEST_FIELDS(TRK_FIELD)
} __attribute__((aligned(64))); /* the fields of a message are on its first cache line */

enum trk_win_lock { TRK_LOCK_NONE, TRK_LOCK_SHARED, TRK_LOCK_EXCLUSIVE };

#define TRK_WIN_FIELDS(F)                                                                                              \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u64, comm)                                                                                               \
	F(trk_u64, comm_id)                                                                                            \
	F(trk_u64, info)                                                                                               \
	F(trk_u64, errhandler)                                                                                         \
	F(trk_addr, base)                                                                                              \
	F(trk_i64, size)                                                                                               \
	F(trk_i32, displacement_unit)                                                                                  \
	F(trk_i32, flavor) /* MPI_WIN_FLAVOR_* of the host */                                                          \
	F(trk_i32, model)                                                                                              \
	F(trk_u32, last_sync)  /* call number of the last synchronisation call; TRK_NO_CALL */                         \
	F(trk_u32, fence_open) /* 1: after a fence that did not say MPI_MODE_NOSUCCEED */                              \
	F(trk_u32, lock_all)                                                                                           \
	F(trk_u32, started)   /* MPI_Win_start without MPI_Win_complete */                                             \
	F(trk_u32, posted)    /* MPI_Win_post without MPI_Win_wait or a true MPI_Win_test */                           \
	F(trk_u32, comm_pin)  /* not for readers */                                                                    \
	F(trk_u32, lock_held) /* 1 + a locked rank, MPI has granted the lock: a flush completed an access; 0: none */  \
	F(trk_span, locks)    /* trk_u8 per rank of the window's group: enum trk_win_lock; empty: none ever */         \
	F(trk_span, start_group) /* trk_i32: ranks of the window's group */                                            \
	F(trk_span, post_group)                                                                                        \
	F(trk_span, attached) /* trk_u64[2]: base, size (MPI_Win_attach) */                                            \
	F(trk_span, attributes)                                                                                        \
	F(trk_span, hints) /* trk_pair */                                                                              \
	F(trk_u64, info_id)
struct trk_win {
	TRK_WIN_FIELDS(TRK_FIELD)
};

#define TRK_MESSAGE_FIELDS(F)                                                                                          \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u64, comm)                                                                                               \
	F(trk_i32, source)                                                                                             \
	F(trk_i32, tag)                                                                                                \
	F(trk_i64, bytes) /* -1: not known */
struct trk_message {
	TRK_MESSAGE_FIELDS(TRK_FIELD)
};

#define TRK_SESSION_FIELDS(F)                                                                                          \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u64, info)                                                                                               \
	F(trk_u64, errhandler)                                                                                         \
	F(trk_u64, info_id)
struct trk_session {
	TRK_SESSION_FIELDS(TRK_FIELD)
};

#define TRK_KEYVAL_FIELDS(F)                                                                                           \
	TRK_OBJECT_FIELDS(F)                                                                                           \
	F(trk_u32, object_kind) /* TRK_COMM, TRK_DATATYPE or TRK_WIN */                                                \
	F(trk_i32, key)                                                                                                \
	F(trk_addr, copy_function)                                                                                     \
	F(trk_addr, delete_function)                                                                                   \
	F(trk_addr, extra_state)
struct trk_keyval {
	TRK_KEYVAL_FIELDS(TRK_FIELD)
};

/* ---- MPI_T -------------------------------------------------------------------------------------------- */

/*
 * Control variables, performance variables, categories, types of events and registrations. Their tables are slabs
 * like those of objects, with these differences: the position in the table is the index that MPI_T functions take
 * (registrations have none); n_live and n_born stay 0; a record in state TRK_FREE below `high` was not read. Texts
 * are addresses of NUL-terminated strings that are never freed.
 */

/** Are the MPI library's variables in the tables? */
enum trk_vars_host {
	TRK_VARS_NOT_READ = 0, /**< not requested yet */
	TRK_VARS_READ = 1,
	TRK_VARS_NONE = 2, /**< the MPI library has no MPI_T that works */
	TRK_VARS_OFF = 3   /**< MPI2DD_VARS=none: nothing is read */
};

/** Datatypes of variables and of elements of events. */
enum trk_var_type {
	TRK_VAR_OTHER,
	TRK_VAR_INT,
	TRK_VAR_UNSIGNED,
	TRK_VAR_UNSIGNED_LONG,
	TRK_VAR_UNSIGNED_LONG_LONG,
	TRK_VAR_COUNT,
	TRK_VAR_CHAR, /**< a text */
	TRK_VAR_DOUBLE,
	TRK_VAR_INT32,
	TRK_VAR_INT64,
	TRK_VAR_UINT32,
	TRK_VAR_UINT64,
	TRK_VAR_LONG,
	TRK_VAR_BOOL, /**< C's _Bool */
	TRK_VAR_TYPES
};

/** MPI_T_BIND_*, from NO_OBJECT on in the order of the standard's table; -1: another one. */
enum trk_var_bind {
	TRK_BIND_NO_OBJECT,
	TRK_BIND_COMM,
	TRK_BIND_DATATYPE,
	TRK_BIND_ERRHANDLER,
	TRK_BIND_FILE,
	TRK_BIND_GROUP,
	TRK_BIND_OP,
	TRK_BIND_REQUEST,
	TRK_BIND_WIN,
	TRK_BIND_MESSAGE,
	TRK_BIND_INFO,
	TRK_BIND_SESSION,
	TRK_BINDS
};

/** MPI_T_SCOPE_*, MPI_T_PVAR_CLASS_*: in the order of the standard's tables; -1: another one. */
enum { TRK_SCOPES = 7, TRK_CLASSES = 10 };

/** Whether a value is known, and if not, why. */
enum trk_value_state {
	TRK_VALUE_NEVER = 0, /**< was not read yet */
	TRK_VALUE_KNOWN = 1,
	TRK_VALUE_GONE = 2,     /**< the MPI library has unloaded the component of the variable */
	TRK_VALUE_BOUND = 3,    /**< it is bound to objects, and there is none: `objects` is empty */
	TRK_VALUE_STOPPED = 4,  /**< it counts only while a handle of it is started, and mpi2dd starts none */
	TRK_VALUE_REFUSED = 5,  /**< the MPI library has returned `error` */
	TRK_VALUE_NO_ROOM = 6,  /**< too long */
	TRK_VALUE_OF_THREAD = 7 /**< each thread that reads it gets its own value: see its current call */
};

/** What is stored at the address `place`. */
enum trk_place_kind {
	TRK_PLACE_VALUE = 0,     /**< the value, as long as the process lives */
	TRK_PLACE_MPI_VALUE = 1, /**< the value, from MPI_Init to MPI_Finalize */
	TRK_PLACE_MPI_TEXT = 2   /**< the address of the text, or 0, from MPI_Init to MPI_Finalize */
};

/** A value that is not stored, but computed from the records of the registry. */
enum trk_worked_out {
	TRK_WORKED_OUT_NOT = 0,
	TRK_WORKED_OUT_REQUESTS_ACTIVE = 1 /**< live requests that are active and not known to be complete */
};

#define TRK_VARIABLE_FIELDS(F)                                                                                         \
	F(trk_u32, sequence)                                                                                           \
	F(trk_u8, state)       /* enum trk_state */                                                                    \
	F(trk_u8, origin)      /* 0: the in-target library; 1: the MPI library */                                      \
	F(trk_u8, value_state) /* enum trk_value_state */                                                              \
	F(trk_u8, type)        /* enum trk_var_type */                                                                 \
	F(trk_addr, name)                                                                                              \
	F(trk_addr, description)                                                                                       \
	F(trk_i32, bind)                                                                                               \
	F(trk_i32, verbosity) /* 1 .. 9, from user basic to MPI developer all; 0: not known */                         \
	F(trk_u32, count)     /* elements of the value */                                                              \
	F(trk_i32, error)                                                                                              \
	F(trk_addr, enumeration) /* its name; 0: none */                                                               \
	F(trk_addr, item)        /* name of the value in the enumeration; 0: it has none */                            \
	F(trk_addr, place)       /* address of the variable itself, always current; 0: see `value` */                  \
	F(trk_u64, value)        /* one number: sign-extended, or the bits of a double */                              \
	F(trk_span, values)      /* char of a text, without a NUL; trk_u64 of several numbers */                       \
	F(trk_u64, read_at)      /* clock ticks */                                                                     \
	F(trk_addr, read_for)    /* text: the cause of the refresh, or the program's call, that read it; 0: none */    \
	F(trk_u32, place_kind)   /* enum trk_place_kind */                                                             \
	F(trk_u32, worked_out)   /* enum trk_worked_out */

#define TRK_CVAR_FIELDS(F)                                                                                             \
	TRK_VARIABLE_FIELDS(F)                                                                                         \
	F(trk_i32, scope)                                                                                              \
	F(trk_u32, spare)
struct trk_cvar {
	TRK_CVAR_FIELDS(TRK_FIELD)
};

#define TRK_PVAR_FIELDS(F)                                                                                             \
	TRK_VARIABLE_FIELDS(F)                                                                                         \
	F(trk_i32, var_class)                                                                                          \
	F(trk_u8, readonly)                                                                                            \
	F(trk_u8, continuous)                                                                                          \
	F(trk_u8, atomic)                                                                                              \
	F(trk_u8, spare)                                                                                               \
	F(trk_span, objects)   /* trk_object_value: if it is bound to objects */                                       \
	F(trk_addr, cells)     /* its counters: the current value is their sum; 0: see `value` */                      \
	F(trk_addr, minus)     /* as many counters, whose sum is subtracted (not below 0); 0: none */                  \
	F(trk_addr, in_use)    /* trk_u32: number of counters in use; 0: all are */                                    \
	F(trk_u32, cell_bytes) /* 4 or 8, unsigned */                                                                  \
	F(trk_u32, n_cells)                                                                                            \
	F(trk_u32, cell_stride) /* bytes from one to the next */                                                       \
	F(trk_u32, divisor)     /* of a double: the sum is divided by this */                                          \
	F(trk_addr, counting)   /* trk_u32: it counts while all bits of the mask are set here; 0: always */            \
	F(trk_u32, counting_mask)                                                                                      \
	F(trk_u32, spare2)                                                                                             \
	F(trk_span, object_cells) /* trk_object_cell: of each of `objects`; may be empty */
struct trk_pvar {
	TRK_PVAR_FIELDS(TRK_FIELD)
};

/** Value of a performance variable for one object. */
struct trk_object_value {
	uint64_t object; /**< handle bits */
	uint64_t value;  /**< its element, or the sum of `count` elements */
	uint32_t count;
	uint32_t spare;
};

/** Counter of a performance variable for one object. */
struct trk_object_cell {
	uint64_t cell; /**< address of a counter of 8 bytes; 0: none */
	uint64_t id;   /**< number of the object, because its handle value may have been reused */
};

#define TRK_CATEGORY_FIELDS(F)                                                                                         \
	F(trk_u32, sequence)                                                                                           \
	F(trk_u8, state)                                                                                               \
	F(trk_u8, origin)                                                                                              \
	F(trk_u16, spare)                                                                                              \
	F(trk_addr, name)                                                                                              \
	F(trk_addr, description)                                                                                       \
	F(trk_i32, parent) /* index of the category that contains it; -1: none */                                      \
	F(trk_u32, spare2)                                                                                             \
	F(trk_span, cvars) /* trk_i32: indices */                                                                      \
	F(trk_span, pvars)                                                                                             \
	F(trk_span, events)                                                                                            \
	F(trk_span, categories)
struct trk_category {
	TRK_CATEGORY_FIELDS(TRK_FIELD)
};

#define TRK_EVENT_FIELDS(F)                                                                                            \
	F(trk_u32, sequence)                                                                                           \
	F(trk_u8, state)                                                                                               \
	F(trk_u8, origin)                                                                                              \
	F(trk_u8, ordered) /* 1: its source is ordered */                                                              \
	F(trk_u8, spare)                                                                                               \
	F(trk_addr, name)                                                                                              \
	F(trk_addr, description)                                                                                       \
	F(trk_addr, source) /* its name */                                                                             \
	F(trk_i32, bind)                                                                                               \
	F(trk_u32, spare2)                                                                                             \
	F(trk_span, elements) /* trk_u8: enum trk_var_type */
struct trk_event {
	TRK_EVENT_FIELDS(TRK_FIELD)
};

/** The two counters are updated by the raising threads without `sequence`, and are valid at any time. */
#define TRK_REGISTRATION_FIELDS(F)                                                                                     \
	F(trk_u32, sequence)                                                                                           \
	F(trk_u8, state)                                                                                               \
	F(trk_u8, spare)                                                                                               \
	F(trk_u16, spare2)                                                                                             \
	F(trk_i32, event) /* index of its type */                                                                      \
	F(trk_u32, spare3)                                                                                             \
	F(trk_u64, handle) /* MPI_T_event_registration */                                                              \
	F(trk_u64, object) /* bits of the handle that it is bound to */                                                \
	F(trk_addr, callback_none)                                                                                     \
	F(trk_addr, callback_mpi_restricted)                                                                           \
	F(trk_addr, callback_thread_safe)                                                                              \
	F(trk_addr, callback_async_signal_safe)                                                                        \
	F(trk_addr, dropped_handler)                                                                                   \
	F(trk_u64, raised)                                                                                             \
	F(trk_u64, dropped)
struct trk_registration {
	TRK_REGISTRATION_FIELDS(TRK_FIELD)
};

#endif /* TRACK_LAYOUT_H */
