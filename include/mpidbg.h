/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg.h
 * The interface of libmpidbg.so beyond mqs.h: processes, MPI objects, and descriptions of a process as text or JSON.
 *
 * The set-up functions have the names, the arguments and the return codes of version 1 of the MPI handle
 * debugging interface (spec 003; Open MPI's ompi/debuggers/mpihandles_interface.h). They use the same mqs_*
 * callback tables as mqs.h and the same slot per image and per process: a debugger may use one interface or both on
 * the same image or process, in either order; the state exists until the last interface has released it.
 *
 * Not safe to call from two threads at once. Communicators and queues exist only between MPI_Init and MPI_Finalize
 * of the target; at other times the functions return an error that says so.
 */
#ifndef MPIDBG_H
#define MPIDBG_H

#include "mpidbg_jobs.h"
#include "mpidbg_vars.h"
#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MPIDBG_INTERFACE_VERSION = 1 };

enum mpidbg_return_codes_t {
	MPIDBG_SUCCESS,
	MPIDBG_ERR_NOT_FOUND,     /**< this process does not have it */
	MPIDBG_ERR_NOT_SUPPORTED, /**< not available from this DLL or for this MPI */
	MPIDBG_ERR_OUT_OF_RANGE,  /**< an argument is invalid (NULL, unknown enum value, not set up) */
	MPIDBG_ERR_UNAVAILABLE,   /**< the target could not be read */
	MPIDBG_ERR_NO_MEM,
	MPIDBG_MAX_RETURN_CODE
};

/** Types of the MPI handles, filled by mpidbg_init_per_image(); every member may be NULL. Version 1 layout. */
struct mpidbg_handle_info_t {
	mqs_type *hi_c_aint, *hi_c_comm, *hi_c_datatype, *hi_c_errhandler, *hi_c_file, *hi_c_group, *hi_c_info,
		*hi_c_offset, *hi_c_op, *hi_c_request, *hi_c_status, *hi_c_win;
	mqs_type *hi_cxx_aint, *hi_cxx_comm, *hi_cxx_intracomm, *hi_cxx_intercomm, *hi_cxx_graphcomm, *hi_cxx_cartcomm,
		*hi_cxx_datatype, *hi_cxx_errhandler, *hi_cxx_file, *hi_cxx_group, *hi_cxx_info, *hi_cxx_offset,
		*hi_cxx_op, *hi_cxx_request, *hi_cxx_prequest, *hi_cxx_grequest, *hi_cxx_status, *hi_cxx_win;
};

#ifndef MPIDBG_EXPORT
#define MPIDBG_EXPORT extern
#endif

/** 1: the DLL is for big-endian debuggers. Valid as soon as the DLL is loaded. */
MPIDBG_EXPORT char mpidbg_dll_is_big_endian;

/** Bits of an address of the DLL: 32 or 64. Valid as soon as the DLL is loaded. */
MPIDBG_EXPORT char mpidbg_dll_bitness;

/** As mqs_setup_basic_callbacks(); either is enough. @return MPIDBG_SUCCESS or MPIDBG_ERR_OUT_OF_RANGE. */
MPIDBG_EXPORT int mpidbg_init_once(const mqs_basic_callbacks *callbacks);

/** @return MPIDBG_INTERFACE_VERSION. */
MPIDBG_EXPORT int mpidbg_interface_version_compatibility(void);

/** @return name and version of this DLL; static, do not free. */
MPIDBG_EXPORT char *mpidbg_version_string(void);

/** @return sizeof(mqs_taddr_t), in bytes. */
MPIDBG_EXPORT int mpidbg_dll_taddr_width(void);

/**
 * Prepare for an executable. The handle types that the debugger can find are filled in.
 *
 * @param handle_types may be NULL.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_OUT_OF_RANGE: NULL, a table without the functions that are needed (sizes of
 *         basic types, symbols), no basic callbacks yet; MPIDBG_ERR_NO_MEM. On failure nothing is attached.
 */
MPIDBG_EXPORT int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
					struct mpidbg_handle_info_t *handle_types);

/** Release an image. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info);

/** Prepare for an MPI process or a launcher; reads predefined names, if any. Codes as mpidbg_init_per_image(). */
MPIDBG_EXPORT int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
					  struct mpidbg_handle_info_t *handle_types);

/** Release a process. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info);

/** First failure of the last call for this process, and what to do about it. Static until the next call. */
MPIDBG_EXPORT const char *mpidbg_error_string(mqs_process *process);

/* ---- description of a process --------------------------------------------------------------------------- */

/** What mpidbg_describe() describes. */
enum mpidbg_what {
	MPIDBG_WHAT_COMMS = 0,  /**< communicators: names, kinds, members, topologies */
	MPIDBG_WHAT_QUEUES = 1, /**< communicators with their message queues */
	MPIDBG_WHAT_DOCTOR = 2, /**< the MPI, its layout, rows that do not resolve, advice */
	MPIDBG_WHAT_PROCS = 3,  /**< the process table of this process (a launcher) */
	/** live MPI objects of the program (options: kind, leaks, freed, all): as recorded by the in-target library;
	 *  otherwise from the memory of the MPI library, without creators and without freed objects */
	MPIDBG_WHAT_HANDLES = 4,
	MPIDBG_WHAT_HANDLE = 5, /**< all facts about one object (options: kind, value), from the same sources */
	/** the MPI call of each thread, with its arguments. Without the in-target library: the function, from options.threads, and
	 *  the arguments of the operation for which the thread waits. */
	MPIDBG_WHAT_CALLS = 6,
	/** MPI_T: control variables, performance variables, categories, events (options: kind, value, all). Needs the
	 *  in-target library; values of variables of the MPI library are those of the last refresh. */
	MPIDBG_WHAT_VARS = 7
};

enum mpidbg_format { MPIDBG_FORMAT_TEXT = 0, MPIDBG_FORMAT_JSON = 1 };

/** One thread of the process as the debugger sees it, to find the call in which the process is blocked. */
struct mpidbg_thread {
	int64_t id;           /**< the system's thread id */
	const char *function; /**< innermost MPI function on its stack ("MPI_Recv"), or NULL: in none */
	uint64_t stack_lo,
		stack_hi; /**< stack from the stack pointer to the end of that function's frame; 0, 0: unknown */
	const char *const *backtrace; /**< lines, innermost first; may be NULL */
	size_t n_backtrace;
	/** Its general registers, in any order: the address of the current request is often in a register only. */
	const uint64_t *registers;
	size_t n_registers; /**< 0: not known */
};

/**
 * Options. Fill with zeroes, set size = sizeof(struct mpidbg_options), then the members you need; members are
 * only ever added at the end. The caller keeps ownership of everything pointed to.
 */
struct mpidbg_options {
	size_t size;
	int format; /**< enum mpidbg_format */
	int color;  /**< text: 1 sends green, receives blue, unexpected red (ANSI) */
	int all;    /**< 1: internal communicators and traffic, inactive requests, addresses */
	int indent; /**< text: spaces before every line; JSON: unused */

	/** Facts that only the debugger knows; 0 or NULL: omitted from the answer. */
	int64_t pid;
	const char *host, *executable, *core;

	/** Threads, to match blocked calls with operations. NULL: unknown to the debugger. */
	const struct mpidbg_thread *threads;
	size_t n_threads;

	/** Receives the text in pieces; returns 0, or another value to stop. NULL: *text is used. */
	int (*write)(void *write_ctx, const char *text, size_t n);
	void *write_ctx;

	/** Which kind. NULL: all. MPIDBG_WHAT_HANDLES: comm, group, datatype, errhandler, file, info, op, request, win,
	 *  message, session, keyval; MPIDBG_WHAT_HANDLE also status. MPIDBG_WHAT_VARS: cvars, pvars, categories, events. */
	const char *kind;
	/** Which object: a handle value (0x.., or decimal), a name (MPI_COMM_WORLD, or one given by the program),
	 *  #N (the number of an object, as shown for parents and other references), fortran:N, or @ADDRESS of a
	 *  variable that holds a C handle. For a status: its address. For MPIDBG_WHAT_VARS: a shell pattern (* ? [a-z])
	 *  for the whole name, otherwise a part of the name; case is ignored. */
	const char *value;
	int leaks; /**< 1: only objects that the program must free and has not freed, with their creators */
	int freed; /**< 1: also freed objects that are still known */
	/** CLOCK_MONOTONIC of the target's machine in nanoseconds, and its time(); 0: not known, as for a core. */
	uint64_t now_ns, now_s;
	/**
	 * Text for the location of a return address: "main at ring.c:10", "main+0x1c". Written to @p ret, at most @p
	 * size bytes with the NUL; returns 0, or another value if the location is unknown. NULL: addresses are shown.
	 */
	int (*place)(void *place_ctx, uint64_t return_addr, char *ret, size_t size);
	void *place_ctx;
	/**
	 * Text only. 1: MPIDBG_WHAT_HANDLE is one line, "0x44000000 <MPI_COMM_WORLD, rank 0 of 4>", also for
	 * handles that are null, freed, unknown or unavailable, with a text that says so; MPIDBG_WHAT_CALLS is one
	 * line for each thread that is in MPI, "4711: MPI_Recv from 3, tag 99, 4 x MPI_INT on ring", matched with
	 * the queues if there is no in-target library.
	 */
	int brief;
	/**
	 * IDs of threads that are not in `threads` because the debugger cannot determine their state (for example
	 * in a system call that cannot be interrupted). The answer names them and is partial.
	 */
	const int64_t *unknown_threads;
	size_t n_unknown_threads;
	/** 1: rank and world_size (0: not known) come from the launcher, not from the memory of the process. */
	int has_rank;
	int64_t rank, world_size;
	/** An unusual state of the process, such as "stopped by a signal", for its heading; NULL: none. */
	const char *condition;
	/** 1: MPIDBG_WHAT_VARS lists only performance variables whose value is known and not 0. Variables of class
	 * state, and those about the in-target library's own records (live objects, bytes), are omitted. */
	int moved;
	/** JSON of MPIDBG_WHAT_QUEUES: limit of pending sends, of pending receives and of unexpected messages listed per
	 * communicator; more are counted, except those for which a thread may wait. 0: none. */
	uint64_t most_messages;
};

/**
 * Describe a process, as text or JSON (docs/json.md).
 *
 * The process is assumed to have run since the last call: everything except its layout is read again, and an
 * iteration of mqs.h in progress on it ends.
 *
 * Everything readable is described even if some data is unreadable; then the return code says so, and the text says
 * what is missing ("partial": in JSON the array `problems`).
 *
 * @param options NULL: plain text.
 * @param[out] text the complete text, NUL-terminated; free it with mpidbg_free(); NULL when options->write is
 *             given. NULL on MPIDBG_ERR_OUT_OF_RANGE and _NO_MEM; after other failures, the text produced so far.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no MPI, not initialised, or no process table;
 *         MPIDBG_ERR_UNAVAILABLE: partial; MPIDBG_ERR_OUT_OF_RANGE; MPIDBG_ERR_NO_MEM.
 */
MPIDBG_EXPORT int mpidbg_describe(mqs_process *process, int what, const struct mpidbg_options *options, char **text);

/** Free a text or an array that a function of this header returned. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_free(void *p);

/** The cost of reading this process so far: reads of target memory, and objects copied from it. */
struct mpidbg_stats {
	uint64_t n_reads, read_bytes, n_failed_reads;
	uint64_t n_objects, object_bytes;
};

/** @param[out] ret counts of this process; untouched on failure. @return MPIDBG_SUCCESS or _ERR_OUT_OF_RANGE. */
MPIDBG_EXPORT int mpidbg_get_stats(mqs_process *process, struct mpidbg_stats *ret);

/* ---- MPI handles ------------------------------------------------------------------------------------ */

/*
 * For communicators, error handlers, requests and statuses: names, order and values are those of interface version
 * 1. Members before the line "since version 1" have the offsets of version 1; those after it are ours. The other
 * kinds, which version 1 does not define, follow the same pattern.
 *
 * The facts come from the records of the in-target library (mpi2dd-run), or else from the MPI library's own memory,
 * if its layout
 * is known. Creators and freed objects, which only the records have, are then unavailable; the capabilities say so.
 *
 * A query returns a struct that contains arrays. Each array is allocated separately with mqs_malloc, so that a
 * debugger written for version 1, which frees each separately, still works. mpidbg_free_info() frees all of them
 * in one call.
 *
 * Codes of all queries: MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no object has, or had, this handle;
 * MPIDBG_ERR_NOT_SUPPORTED: this kind is unavailable in this process (mpidbg_error_string() says why and what to do);
 * MPIDBG_ERR_UNAVAILABLE: the target cannot be read, or is invalid; MPIDBG_ERR_OUT_OF_RANGE: an argument is NULL or
 * the process is not set up; MPIDBG_ERR_NO_MEM. On failure *info is untouched. The process is assumed to have run
 * since the last call.
 * @p image, @p image_info and @p process_info are not used.
 */

enum { MPIDBG_MAX_OBJECT_NAME = 64, MPIDBG_MAX_FILENAME = 1024 };

/** Kinds of objects. */
enum mpidbg_handle_kind_t {
	MPIDBG_COMM,
	MPIDBG_GROUP,
	MPIDBG_DATATYPE,
	MPIDBG_ERRHANDLER,
	MPIDBG_FILE,
	MPIDBG_INFO,
	MPIDBG_OP,
	MPIDBG_REQUEST,
	MPIDBG_WIN,
	MPIDBG_MESSAGE,
	MPIDBG_SESSION,
	MPIDBG_KEYVAL,
	MPIDBG_STATUS,
	MPIDBG_AINT, /**< an address integer or an offset in the target's memory; not handles */
	MPIDBG_OFFSET,
	MPIDBG_N_HANDLE_KINDS
};

/** A process: its rank in MPI_COMM_WORLD; -1: of another world, or unknown. */
struct mpidbg_process_t {
	int mpi_comm_world_rank;
};

/** A predefined handle. map_name NULL ends an array. */
struct mpidbg_name_map_t {
	char *map_name;
	mqs_taddr_t map_handle;
};

/** An attribute. Each string is allocated separately. */
struct mpidbg_attribute_pair_t {
	int keyval;
	char *keyval_name; /**< NULL: the keyval has no name */
	char *value;       /**< the attribute's value, "0x55d0" */
};

/** A key and value of an info. The strings belong to the array. */
struct mpidbg_info_pair_t {
	const char *key, *value;
};

/** Bits of mpidbg_object_t.flags; those of version 1 have the same values. */
enum mpidbg_object_bitmap_t {
	MPIDBG_OBJECT_PREDEFINED = 0x01,
	MPIDBG_OBJECT_FREED_HANDLE = 0x20, /**< the program has freed it, or its request is complete */
	/** The library has freed it: its handle value belongs to another object. Without this bit it is unknown
	 *  whether the library still has a freed object. */
	MPIDBG_OBJECT_FREED_OBJECT = 0x40,
	MPIDBG_OBJECT_EARLIER = 0x100,  /**< freed, and another object has this handle value now */
	MPIDBG_OBJECT_UNSETTLED = 0x200 /**< the process was stopped while it was being recorded */
};

/** Facts that every object has. */
struct mpidbg_object_t {
	unsigned flags; /**< enum mpidbg_object_bitmap_t */
	int has_fortran;
	int fortran_handle; /**< when has_fortran */
	int language;       /**< of its callback function: 0 none or not known, 1 C, 2 Fortran, 3 C++ */
	mqs_taddr_t c_handle;
	int64_t number;     /**< unique for each object, never reused; 0: this kind has none */
	int64_t parent;     /**< number of the object from which it was created; 0: none or not known */
	int64_t references; /**< number of handles to it that the program was given; 0: not known */
	int64_t generation; /**< objects that had this handle value before; -1: not known */
	char name[MPIDBG_MAX_OBJECT_NAME];
	char made_by[MPIDBG_MAX_OBJECT_NAME]; /**< its creator, "MPI_Comm_dup"; "": predefined or not known */
};

/** A call in progress that uses an object. */
struct mpidbg_call_t {
	int64_t thread; /**< the system's thread id */
	char function[MPIDBG_MAX_OBJECT_NAME];
};

/** Memory that was attached to a window (MPI_Win_attach). */
struct mpidbg_attached_t {
	mqs_taddr_t base;
	int64_t size;
};

/* communicators */

enum mpidbg_comm_capabilities_t {
	MPIDBG_COMM_CAP_BASIC = 0x01,
	MPIDBG_COMM_CAP_STRING_NAMES = 0x02,
	MPIDBG_COMM_CAP_FREED_HANDLE = 0x04,
	MPIDBG_COMM_CAP_FREED_OBJECT = 0x08, /**< never: only the library itself has this information */
	MPIDBG_COMM_CAP_REQUEST_LIST = 0x10,
	MPIDBG_COMM_CAP_WINDOW_LIST = 0x20,
	MPIDBG_COMM_CAP_FILE_LIST = 0x40,
	MPIDBG_COMM_CAP_MAX
};

enum mpidbg_comm_info_bitmap_t {
	MPIDBG_COMM_INFO_PREDEFINED = 0x01,
	MPIDBG_COMM_INFO_CARTESIAN = 0x02,
	MPIDBG_COMM_INFO_GRAPH = 0x04,
	MPIDBG_COMM_INFO_TOPO_REORDERED = 0x08, /**< only read from Open MPI */
	MPIDBG_COMM_INFO_INTERCOMM = 0x10,
	MPIDBG_COMM_INFO_FREED_HANDLE = 0x20,
	MPIDBG_COMM_INFO_FREED_OBJECT = 0x40,
	MPIDBG_COMM_INFO_COMM_NULL = 0x80,
	MPIDBG_COMM_INFO_DIST_GRAPH = 0x00000400,
	MPIDBG_COMM_INFO_MAX
};

struct mpidbg_comm_info_t {
	char comm_name[MPIDBG_MAX_OBJECT_NAME];
	enum mpidbg_comm_info_bitmap_t comm_bitflags;
	int comm_rank; /**< -1: not known */
	int comm_size; /**< of the local group; -1: not known, or MPI_COMM_NULL */
	int comm_num_local_procs;
	struct mpidbg_process_t *comm_local_procs;
	int comm_num_remote_procs; /**< 0: an intracommunicator */
	struct mpidbg_process_t *comm_remote_procs;
	int comm_cart_num_dims;
	int *comm_cart_dims;
	int8_t *comm_cart_periods;
	int comm_graph_num_nodes;
	int *comm_graph_index;
	int *comm_graph_edges; /**< comm_graph_index[comm_graph_num_nodes - 1] of them */
	mqs_taddr_t comm_c_handle;
	int comm_fortran_handle; /**< MPIDBG_ERR_UNAVAILABLE (4): not known, if comm_object.has_fortran is 0 */
	int comm_num_attrs;
	struct mpidbg_attribute_pair_t *comm_attrs;
	int comm_num_pending_requests; /**< MPIDBG_ERR_NOT_SUPPORTED: unavailable (then the array is NULL) */
	mqs_taddr_t *comm_pending_requests;
	int comm_num_derived_windows;
	mqs_taddr_t *comm_derived_windows;
	int comm_num_derived_files;
	mqs_taddr_t *comm_derived_files;
	/* since version 1 */
	struct mpidbg_object_t comm_object;
	int *comm_cart_coords; /**< comm_cart_num_dims of them; NULL: not known */
	int comm_num_sources, comm_num_destinations;
	int *comm_sources, *comm_destinations;               /**< of a distributed graph */
	int *comm_source_weights, *comm_destination_weights; /**< NULL: unweighted */
	mqs_taddr_t comm_errhandler, comm_info;              /**< handles; 0: not known, or freed */
	mqs_taddr_t comm_group, comm_remote_group; /**< handles, if the program has requested them; otherwise 0 */
	int comm_world_rank;                       /**< of this process in its MPI_COMM_WORLD; -1: not known */
	int64_t comm_made_of; /**< number of the group passed to MPI_Comm_create or a similar function; 0: none */
	int comm_num_calls;
	struct mpidbg_call_t *comm_calls;
};

/* error handlers */

enum mpidbg_errhandler_capabilities_t {
	MPIDBG_ERRH_CAP_BASIC = 0x01,
	MPIDBG_ERRH_CAP_STRING_NAMES = 0x02,
	MPIDBG_ERRH_CAP_FREED_HANDLE = 0x04,
	MPIDBG_ERRH_CAP_FREED_OBJECT = 0x08,
	MPIDBG_ERRH_CAP_HANDLE_LIST = 0x10,
	MPIDBG_ERRH_CAP_MAX
};

enum mpidbg_errhandler_info_bitmap_t {
	MPIDBG_ERRH_INFO_PREDEFINED = 0x01,
	MPIDBG_ERRH_INFO_COMMUNICATOR = 0x02,
	MPIDBG_ERRH_INFO_FILE = 0x04,
	MPIDBG_ERRH_INFO_WINDOW = 0x08,
	MPIDBG_ERRH_INFO_C_CALLBACK = 0x10,
	MPIDBG_ERRH_INFO_FREED_HANDLE = 0x20,
	MPIDBG_ERRH_INFO_FREED_OBJECT = 0x40,
	MPIDBG_ERRH_INFO_MAX
};

struct mpidbg_errhandler_info_t {
	char eh_name[MPIDBG_MAX_OBJECT_NAME];
	enum mpidbg_errhandler_info_bitmap_t eh_bitflags;
	mqs_taddr_t eh_c_handle;
	int eh_fortran_handle;   /**< as comm_fortran_handle */
	int16_t eh_refcount;     /**< handles in eh_handles; 32767: at least as many */
	mqs_taddr_t *eh_handles; /**< communicators, files, windows and sessions that use it */
	mqs_taddr_t eh_callback_func;
	/* since version 1 */
	struct mpidbg_object_t eh_object;
	int eh_num_handles;   /**< as eh_refcount, whatever their number */
	int *eh_handle_kinds; /**< enum mpidbg_handle_kind_t, of each in eh_handles */
	int eh_attaches_to;   /**< kind of object it can be set for, enum mpidbg_handle_kind_t; -1: all, or not known */
};

/* requests */

enum mpidbg_request_capabilities_t { MPIDBG_REQUEST_CAP_BASIC = 0x01, MPIDBG_REQUEST_CAP_MAX };

enum mpidbg_request_info_bitmap_t {
	MPIDBG_REQUEST_INFO_PREDEFINED = 0x01,
	MPIDBG_REQUEST_INFO_MAX,
	/* since version 1 */
	MPIDBG_REQUEST_INFO_PERSISTENT = 0x10,
	MPIDBG_REQUEST_INFO_FREED_HANDLE = 0x20, /**< complete and returned to the program as complete, or freed */
	MPIDBG_REQUEST_INFO_ACTIVE = 0x40, /**< started; neither the MPI library nor the records say it is complete */
	MPIDBG_REQUEST_INFO_CANCELLED = 0x80,    /**< MPI_Cancel was called; its status says whether it succeeded */
	MPIDBG_REQUEST_INFO_FREE_CALLED = 0x100, /**< MPI_Request_free was called while it was active */
	MPIDBG_REQUEST_INFO_SHARED = 0x200, /**< complete when created; other requests have the same handle value */
	MPIDBG_REQUEST_INFO_PARTITIONED = 0x400,
	MPIDBG_REQUEST_INFO_COMPLETE = 0x800 /**< started and complete, even if the program does not know yet */
};

struct mpidbg_request_info_t {
	enum mpidbg_request_info_bitmap_t req_bitflags;
	mqs_taddr_t req_c_handle;
	int req_fortran_handle; /**< as comm_fortran_handle */
	/* since version 1 */
	struct mpidbg_object_t req_object;
	int req_object_kind; /**< enum mpidbg_handle_kind_t of req_on: communicator, file or window; -1: none */
	int req_has_peer;    /**< 1: req_peer is a rank; 2: it is a root; 3: any source; 0: the request has none */
	int req_peer;        /**< -2: MPI_PROC_NULL, -4: MPI_ROOT */
	int req_has_tag;     /**< 1: req_tag is valid; 3: any tag; 0: the request has none */
	int req_tag;
	int64_t req_count; /**< elements (partitioned: in all partitions); -1: none, or one count for each rank */
	/** 0: none or not known. req_buffer of a generalized request is its extra state. */
	mqs_taddr_t req_on, req_datatype, req_buffer, req_caller;
	mqs_taddr_t req_op; /**< reduction operation; 0: none or not known */
	/**
	 * The other side. 1: the data received; req_buffer, req_count and req_datatype describe the data sent
	 * (collectives, MPI_Isendrecv). 2: the data sent (MPI_Iscatter and similar functions). 3: the data at the
	 * target of a window. 0: there is none, or MPI ignores it at this rank. Arguments that MPI ignores for
	 * MPI_IN_PLACE are -1 and 0, like unknown ones.
	 */
	int req_second_side;
	int64_t req_second_count;        /**< as req_count */
	mqs_taddr_t req_second_datatype; /**< as req_datatype */
	mqs_taddr_t req_second_buffer;   /**< of a window the displacement at the target, as given */
	int req_has_source; /**< as req_has_peer, for the receive of MPI_Isendrecv; req_peer is the send's */
	int req_source;
	int req_has_receive_tag; /**< as req_has_tag */
	int req_receive_tag;
};

/* statuses: the "handle" is the address of the MPI_Status */

enum mpidbg_status_capabilities_t { MPIDBG_STATUS_CAP_BASIC = 0x01, MPIDBG_STATUS_CAP_MAX };

enum mpidbg_status_info_bitmap_t {
	MPIDBG_STATUS_INFO_PREDEFINED = 0x01,
	MPIDBG_STATUS_INFO_MAX,
	/* since version 1 */
	MPIDBG_STATUS_INFO_CANCELLED = 0x10,
	MPIDBG_STATUS_INFO_COUNT_KNOWN = 0x20 /**< status_bytes and MPIDBG_STATUS_INFO_CANCELLED are valid */
};

struct mpidbg_status_info_t {
	enum mpidbg_status_info_bitmap_t status_bitflags;
	/* since version 1 */
	int status_source, status_tag, status_error; /**< the public members, with the values of the MPI library */
	int64_t status_bytes;
	mqs_taddr_t status_addr;
};

/* kinds that version 1 does not define */

struct mpidbg_datatype_info_t {
	struct mpidbg_object_t type_object;
	int type_combiner;  /**< enum mpidbg_combiner_t; -1: not recorded */
	int type_committed; /**< predefined types are */
	int64_t type_size, type_lower_bound, type_extent, type_true_lower_bound, type_true_extent;
	/** Arguments as they were given, in the order of MPI_Type_get_contents; datatypes by their numbers. */
	int type_num_integers, type_num_addresses, type_num_datatypes;
	int64_t *type_integers, *type_addresses, *type_datatypes;
	int type_num_attrs;
	struct mpidbg_attribute_pair_t *type_attrs;
	int type_num_requests, type_num_files, type_num_calls; /**< active requests, files, calls that use it */
	mqs_taddr_t *type_requests, *type_files;
	struct mpidbg_call_t *type_calls;
};

/** As MPI_COMBINER_..., numbered alike for every MPI. */
enum mpidbg_combiner_t {
	MPIDBG_COMBINER_NAMED,
	MPIDBG_COMBINER_DUP,
	MPIDBG_COMBINER_CONTIGUOUS,
	MPIDBG_COMBINER_VECTOR,
	MPIDBG_COMBINER_HVECTOR_INTEGER,
	MPIDBG_COMBINER_HVECTOR,
	MPIDBG_COMBINER_INDEXED,
	MPIDBG_COMBINER_HINDEXED_INTEGER,
	MPIDBG_COMBINER_HINDEXED,
	MPIDBG_COMBINER_INDEXED_BLOCK,
	MPIDBG_COMBINER_STRUCT_INTEGER,
	MPIDBG_COMBINER_STRUCT,
	MPIDBG_COMBINER_SUBARRAY,
	MPIDBG_COMBINER_DARRAY,
	MPIDBG_COMBINER_F90_REAL,
	MPIDBG_COMBINER_F90_COMPLEX,
	MPIDBG_COMBINER_F90_INTEGER,
	MPIDBG_COMBINER_RESIZED,
	MPIDBG_COMBINER_HINDEXED_BLOCK,
	MPIDBG_COMBINER_VALUE_INDEX
};

/**
 * A basic element of a datatype; a predefined pair (MPI_DOUBLE_INT) has two. The bytes between elements, sorted by
 * displacement, are its holes.
 */
struct mpidbg_type_map_entry_t {
	int64_t displacement; /**< bytes */
	int64_t bytes;        /**< size of the basic type */
	int64_t datatype;     /**< its number: mpidbg_object_t.number */
};

struct mpidbg_file_info_t {
	struct mpidbg_object_t file_object;
	char file_name[MPIDBG_MAX_FILENAME];
	int file_mode;                                     /**< MPI_MODE_* of the MPI; -1: not known */
	int file_atomic;                                   /**< -1: not known */
	mqs_taddr_t file_comm, file_info, file_errhandler; /**< 0: not known, or freed */
	int64_t file_displacement;                         /**< of the view */
	mqs_taddr_t file_etype, file_filetype;
	char file_representation[MPIDBG_MAX_OBJECT_NAME];
	char file_split_call[MPIDBG_MAX_OBJECT_NAME]; /**< the begin call of the open split collective; "" none */
	int file_num_hints;
	struct mpidbg_info_pair_t *file_hints;
	int file_num_pending_requests;
	mqs_taddr_t *file_pending_requests;
	int file_num_calls;
	struct mpidbg_call_t *file_calls;
};

struct mpidbg_group_info_t {
	struct mpidbg_object_t group_object;
	int group_rank; /**< -1: this process is no member, or it is not known */
	int group_num_procs;
	struct mpidbg_process_t *group_procs;
	int64_t group_second_parent; /**< number of the second group of MPI_Group_union or similar; 0: none */
	int group_num_comms;
	mqs_taddr_t *group_comms; /**< communicators created from it, or from which the program got it */
};

struct mpidbg_info_info_t {
	struct mpidbg_object_t info_object;
	int info_num_pairs;
	struct mpidbg_info_pair_t *info_pairs;
	int info_num_users; /**< communicators, files, windows and sessions created with it or set to it */
	mqs_taddr_t *info_users;
	int *info_user_kinds; /**< enum mpidbg_handle_kind_t of each */
};

struct mpidbg_op_info_t {
	struct mpidbg_object_t op_object;
	int op_commutative; /**< -1: not known */
	mqs_taddr_t op_function;
	int op_num_requests, op_num_calls; /**< active requests and current calls that use it */
	mqs_taddr_t *op_requests;
	struct mpidbg_call_t *op_calls;
};

enum mpidbg_win_info_bitmap_t {
	MPIDBG_WIN_INFO_FENCE = 0x1,   /**< after MPI_Win_fence without MPI_MODE_NOSUCCEED */
	MPIDBG_WIN_INFO_STARTED = 0x2, /**< MPI_Win_start without MPI_Win_complete */
	MPIDBG_WIN_INFO_POSTED = 0x4,  /**< MPI_Win_post without MPI_Win_wait or a true MPI_Win_test */
	MPIDBG_WIN_INFO_LOCK_ALL = 0x8,
	MPIDBG_WIN_INFO_LOCKED = 0x10 /**< this process has locked a target */
};

struct mpidbg_win_info_t {
	struct mpidbg_object_t win_object;
	unsigned win_bitflags;                          /**< enum mpidbg_win_info_bitmap_t */
	mqs_taddr_t win_comm, win_info, win_errhandler; /**< 0: not known, or freed */
	mqs_taddr_t win_base;
	int64_t win_size;                           /**< -1: not known, or MPI_WIN_NULL */
	int win_displacement_unit;                  /**< -1: not known, or MPI_WIN_NULL */
	int win_flavor;                             /**< 1 create, 2 allocate, 3 dynamic, 4 shared; -1 not known */
	int win_model;                              /**< 1 separate, 2 unified, -1 not known */
	char win_last_sync[MPIDBG_MAX_OBJECT_NAME]; /**< "MPI_Win_fence"; "" none yet */
	int win_num_locks;
	int8_t *win_locks; /**< for each rank of its group: 0, 1 shared, 2 exclusive */
	int win_num_started, win_num_posted;
	int *win_start_group, *win_post_group;
	int win_num_attrs;
	struct mpidbg_attribute_pair_t *win_attrs;
	int win_num_hints;
	struct mpidbg_info_pair_t *win_hints;
	int win_num_attached, win_num_requests, win_num_calls;
	struct mpidbg_attached_t *win_attached; /**< of a dynamic window */
	mqs_taddr_t *win_requests;
	struct mpidbg_call_t *win_calls;
};

struct mpidbg_message_info_t {
	struct mpidbg_object_t message_object;
	mqs_taddr_t message_comm;
	int message_source;    /**< -2: MPI_PROC_NULL (of MPI_MESSAGE_NO_PROC); -1: not known */
	int message_tag;       /**< -1: any (of MPI_MESSAGE_NO_PROC), or not known */
	int64_t message_bytes; /**< -1: not known */
};

struct mpidbg_session_info_t {
	struct mpidbg_object_t session_object;
	mqs_taddr_t session_info, session_errhandler;
};

/** An MPI_Aint or MPI_Offset. */
struct mpidbg_integer_info_t {
	mqs_taddr_t integer_addr;
	int64_t integer_value;
	int integer_bytes;        /**< size in C, and of INTEGER(KIND=MPI_ADDRESS_KIND) or MPI_OFFSET_KIND in Fortran */
	int integer_is_signed;    /**< 1: both types are signed */
	int integer_fortran_kind; /**< the Fortran kind, for compilers whose kinds are sizes in bytes */
};

/** Capabilities and names of predefined handles (NULL: none available) of the process that was set up last, valid after
 * mpidbg_init_per_process(). With several processes use mpidbg_get_capabilities() and mpidbg_get_name_map().
 */
MPIDBG_EXPORT enum mpidbg_comm_capabilities_t mpidbg_comm_capabilities;
MPIDBG_EXPORT enum mpidbg_errhandler_capabilities_t mpidbg_errhandler_capabilities;
MPIDBG_EXPORT enum mpidbg_request_capabilities_t mpidbg_request_capabilities;
MPIDBG_EXPORT enum mpidbg_status_capabilities_t mpidbg_status_capabilities;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_comm_name_map;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_errhandler_name_map;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_request_name_map;
MPIDBG_EXPORT struct mpidbg_name_map_t *mpidbg_status_name_map;

/** Capabilities of a kind in a process. Kinds without an enum of their own: 0x01 (basic), 0x04 (freed handles). */
MPIDBG_EXPORT int mpidbg_get_capabilities(mqs_process *process, int kind, unsigned *ret);

/** Names of the predefined handles of a kind. @param[out] ret one allocation, to be freed with mpidbg_free(). */
MPIDBG_EXPORT int mpidbg_get_name_map(mqs_process *process, int kind, struct mpidbg_name_map_t **ret);

/**
 * The C handles of all objects of a kind.
 *
 * @param freed  0: live objects; 1: also freed ones
 * @param[out] ret one allocation, to be freed with mpidbg_free(); @p n_ret of them
 * @param[out] n_missing objects that were not recorded for lack of space, plus invalid records; may be NULL
 */
MPIDBG_EXPORT int mpidbg_get_handles(mqs_process *process, int kind, int freed, mqs_taddr_t **ret, size_t *n_ret,
				     uint64_t *n_missing);

/**
 * The type map of a datatype.
 *
 * @param cap maximum number of entries to return
 * @param[out] ret one allocation, to be freed with mpidbg_free(); @p n_ret entries
 * @param[out] total number of entries that the type has; UINT64_MAX: that many or more
 */
MPIDBG_EXPORT int mpidbg_get_type_map(mqs_process *process, mqs_taddr_t datatype, size_t cap,
				      struct mpidbg_type_map_entry_t **ret, size_t *n_ret, uint64_t *total);

/** Free the struct returned by a query of this kind, with all its arrays. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_free_info(int kind, void *info);

/**
 * KIND_query: all facts about the live object with this C handle; if there is none, about the one freed last.
 * KIND_f2c: the C handle that belongs to a Fortran handle. KIND_cxx2c: the C handle in the C++ object at an address.
 * The *_type arguments belong to version 1 and are ignored.
 */
MPIDBG_EXPORT int mpidbg_comm_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t c_comm,
				    struct mpidbg_comm_info_t **info);
MPIDBG_EXPORT int mpidbg_comm_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t f77_comm, mqs_taddr_t *c_comm);
MPIDBG_EXPORT int mpidbg_comm_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t cxx_comm,
				    enum mpidbg_comm_info_bitmap_t comm_type, mqs_taddr_t *c_comm);
MPIDBG_EXPORT int mpidbg_errhandler_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					  mqs_process_info *process_info, mqs_taddr_t errhandler,
					  struct mpidbg_errhandler_info_t **info);
MPIDBG_EXPORT int mpidbg_errhandler_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					mqs_process_info *process_info, mqs_taddr_t f77_errhandler,
					mqs_taddr_t *c_errhandler);
MPIDBG_EXPORT int mpidbg_errhandler_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					  mqs_process_info *process_info, mqs_taddr_t cxx_errhandler,
					  mqs_taddr_t *c_errhandler);
MPIDBG_EXPORT int mpidbg_request_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t request,
				       struct mpidbg_request_info_t **info);
MPIDBG_EXPORT int mpidbg_request_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t f77_request, mqs_taddr_t *c_request);
MPIDBG_EXPORT int mpidbg_request_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t cxx_request,
				       enum mpidbg_request_info_bitmap_t request_type, mqs_taddr_t *c_request);
MPIDBG_EXPORT int mpidbg_status_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t status,
				      struct mpidbg_status_info_t **info);
MPIDBG_EXPORT int mpidbg_status_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t f77_status, mqs_taddr_t *c_status);
MPIDBG_EXPORT int mpidbg_status_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t cxx_status, mqs_taddr_t *c_status);
MPIDBG_EXPORT int mpidbg_datatype_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					mqs_process_info *process_info, mqs_taddr_t datatype,
					struct mpidbg_datatype_info_t **info);
MPIDBG_EXPORT int mpidbg_datatype_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				      mqs_process_info *process_info, mqs_taddr_t f77_datatype,
				      mqs_taddr_t *c_datatype);
MPIDBG_EXPORT int mpidbg_datatype_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
					mqs_process_info *process_info, mqs_taddr_t cxx_datatype,
					mqs_taddr_t *c_datatype);
MPIDBG_EXPORT int mpidbg_file_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t c_file,
				    struct mpidbg_file_info_t **info);
MPIDBG_EXPORT int mpidbg_file_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t f77_file, mqs_taddr_t *c_file);
MPIDBG_EXPORT int mpidbg_file_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t cxx_file, mqs_taddr_t *c_file);
MPIDBG_EXPORT int mpidbg_group_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t group,
				     struct mpidbg_group_info_t **info);
MPIDBG_EXPORT int mpidbg_group_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				   mqs_process_info *process_info, mqs_taddr_t f77_group, mqs_taddr_t *c_group);
MPIDBG_EXPORT int mpidbg_group_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t cxx_group, mqs_taddr_t *c_group);
MPIDBG_EXPORT int mpidbg_info_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t c_info,
				    struct mpidbg_info_info_t **info);
MPIDBG_EXPORT int mpidbg_info_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t f77_info, mqs_taddr_t *c_info);
MPIDBG_EXPORT int mpidbg_info_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				    mqs_process_info *process_info, mqs_taddr_t cxx_info, mqs_taddr_t *c_info);
MPIDBG_EXPORT int mpidbg_op_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t c_op, struct mpidbg_op_info_t **info);
MPIDBG_EXPORT int mpidbg_op_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				mqs_process_info *process_info, mqs_taddr_t f77_op, mqs_taddr_t *c_op);
MPIDBG_EXPORT int mpidbg_op_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				  mqs_process_info *process_info, mqs_taddr_t cxx_op, mqs_taddr_t *c_op);
MPIDBG_EXPORT int mpidbg_win_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				   mqs_process_info *process_info, mqs_taddr_t c_win, struct mpidbg_win_info_t **info);
MPIDBG_EXPORT int mpidbg_win_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				 mqs_process_info *process_info, mqs_taddr_t f77_win, mqs_taddr_t *c_win);
MPIDBG_EXPORT int mpidbg_win_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				   mqs_process_info *process_info, mqs_taddr_t cxx_win, mqs_taddr_t *c_win);
MPIDBG_EXPORT int mpidbg_message_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t message,
				       struct mpidbg_message_info_t **info);
MPIDBG_EXPORT int mpidbg_message_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t f77_message, mqs_taddr_t *c_message);
MPIDBG_EXPORT int mpidbg_message_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t cxx_message, mqs_taddr_t *c_message);
MPIDBG_EXPORT int mpidbg_session_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t session,
				       struct mpidbg_session_info_t **info);
MPIDBG_EXPORT int mpidbg_session_f2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				     mqs_process_info *process_info, mqs_taddr_t f77_session, mqs_taddr_t *c_session);
MPIDBG_EXPORT int mpidbg_session_cxx2c(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
				       mqs_process_info *process_info, mqs_taddr_t cxx_session, mqs_taddr_t *c_session);

/**
 * The MPI_Aint (MPIDBG_AINT) or MPI_Offset (MPIDBG_OFFSET) at an address of the target.
 *
 * @param[out] ret to be freed with mpidbg_free_info(kind, ret)
 * @return as a query; MPIDBG_ERR_NOT_SUPPORTED: the width of the type cannot be determined in this process.
 */
MPIDBG_EXPORT int mpidbg_integer_query(mqs_process *process, int kind, mqs_taddr_t addr,
				       struct mpidbg_integer_info_t **ret);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_H */
