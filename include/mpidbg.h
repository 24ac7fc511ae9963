/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg.h
 * The second face of libmpidbg.so: processes and, in words or as JSON, everything the library knows.
 *
 * The set-up functions have the names, the arguments and the return codes of version 1 of the MPI handle
 * debugging interface (spec 003; Open MPI's ompi/debuggers/mpihandles_interface.h). They use the same mqs_*
 * callback tables as mqs.h and the same slot per image and per process: a debugger may use one face or both on
 * the same image or process, in either order; what one face made lives until the last face has let it go.
 *
 * Not safe to call from two threads at once. Only between MPI_Init and MPI_Finalize of the target do
 * communicators and queues exist; at other times the functions say so.
 */
#ifndef MPIDBG_H
#define MPIDBG_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MPIDBG_INTERFACE_VERSION = 1 };

enum mpidbg_return_codes_t {
	MPIDBG_SUCCESS,
	MPIDBG_ERR_NOT_FOUND,     /**< no such thing in this process */
	MPIDBG_ERR_NOT_SUPPORTED, /**< this DLL, or this MPI, cannot tell */
	MPIDBG_ERR_OUT_OF_RANGE,  /**< an argument makes no sense (NULL, unknown enum value, not set up) */
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

/** MPIDBG_INTERFACE_VERSION. */
MPIDBG_EXPORT int mpidbg_interface_version_compatibility(void);

/** Name and version of this DLL; static. */
MPIDBG_EXPORT char *mpidbg_version_string(void);

/** sizeof(mqs_taddr_t). */
MPIDBG_EXPORT int mpidbg_dll_taddr_width(void);

/**
 * Prepare for an executable. The C handle types that the debugger can find are filled in.
 *
 * @param handle_types may be NULL.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_OUT_OF_RANGE: NULL, a table without the functions that are needed (sizes of
 *         basic types, symbols), no basic callbacks yet; MPIDBG_ERR_NO_MEM. On failure nothing is attached.
 */
MPIDBG_EXPORT int mpidbg_init_per_image(mqs_image *image, const mqs_image_callbacks *callbacks,
					struct mpidbg_handle_info_t *handle_types);

/** Let go of an image. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_finalize_per_image(mqs_image *image, mqs_image_info *image_info);

/** Prepare for a process: an MPI process or a launcher. Reads nothing yet. Codes as mpidbg_init_per_image(). */
MPIDBG_EXPORT int mpidbg_init_per_process(mqs_process *process, const mqs_process_callbacks *callbacks,
					  struct mpidbg_handle_info_t *handle_types);

/** Let go of a process. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_finalize_per_process(mqs_process *process, mqs_process_info *process_info);

/** Words for the last failure on this process: what failed first, and what to do. Static until the next call. */
MPIDBG_EXPORT const char *mpidbg_error_string(mqs_process *process);

/* ---- a process in words --------------------------------------------------------------------------- */

/** What mpidbg_describe() describes. */
enum mpidbg_what {
	MPIDBG_WHAT_COMMS = 0,  /**< communicators: names, kinds, members, topologies */
	MPIDBG_WHAT_QUEUES = 1, /**< communicators with their message queues */
	MPIDBG_WHAT_DOCTOR = 2, /**< which MPI, which layout, which rows resolve, what to do */
	MPIDBG_WHAT_PROCS = 3,  /**< the process table that this process (a launcher) holds */
	/** MPI objects that the program has made and not freed (options: kind, freed, all). Needs the in-target library. */
	MPIDBG_WHAT_HANDLES = 4,
	MPIDBG_WHAT_HANDLE = 5, /**< one object in full (options: kind, value). Needs the in-target library */
	MPIDBG_WHAT_CALLS = 6   /**< the MPI calls that its threads are in, with arguments. Needs the in-target library */
};

enum mpidbg_format { MPIDBG_FORMAT_TEXT = 0, MPIDBG_FORMAT_JSON = 1 };

/** One thread of the process as the debugger sees it: tells what the process is blocked in. */
struct mpidbg_thread {
	int64_t id;                   /**< the system's thread id */
	const char *function;         /**< innermost MPI function on its stack ("MPI_Recv"), or NULL: in none */
	uint64_t stack_lo, stack_hi;  /**< stack from its pointer to beyond that function's frame; 0, 0: unknown */
	const char *const *backtrace; /**< lines, innermost first; may be NULL */
	size_t n_backtrace;
	/** Its general registers, in any order: the request that it works on is often held in none of its stack's words. */
	const uint64_t *registers;
	size_t n_registers; /**< 0: not known */
};

/**
 * How to describe. Fill with zeroes, set size = sizeof(struct mpidbg_options), then what you want; members are
 * only ever added at the end. Everything pointed to stays the caller's.
 */
struct mpidbg_options {
	size_t size;
	int format; /**< enum mpidbg_format */
	int color;  /**< text: 1 sends green, receives blue, unexpected red (ANSI) */
	int all;    /**< 1: internal communicators and traffic, inactive requests, addresses */
	int indent; /**< text: spaces before every line; JSON: unused */

	/** What only the debugger knows about the process; 0 or NULL: left out. */
	int64_t pid;
	const char *host, *executable, *core;

	/** Threads, so that a blocked call is joined with its operation. NULL: the debugger cannot tell. */
	const struct mpidbg_thread *threads;
	size_t n_threads;

	/** Where the text goes, in pieces; return 0, or anything else to stop. NULL: *text is used. */
	int (*write)(void *write_ctx, const char *text, size_t n);
	void *write_ctx;

	/** Which objects. NULL: all kinds. comm, group, datatype, errhandler, file, info, op, request, win, message,
	 *  session, keyval; of MPIDBG_WHAT_HANDLE also status. */
	const char *kind;
	/** Which object: a handle value (0x.., or decimal), a name (MPI_COMM_WORLD, or one that the program gave), fortran:N,
	 *  or @ADDRESS of a variable that holds a C handle. Of a status, its address. */
	const char *value;
	int leaks; /**< 1: only what the program must free and has not, with who made it */
	int freed; /**< 1: freed objects, too, as far as they are still known */
	/** CLOCK_MONOTONIC of the target's machine, nanoseconds, and its time(); 0: not known. For a core: 0. */
	uint64_t now_ns, now_s;
};

/**
 * Describe a process, as text or JSON (docs/json.md).
 *
 * The process is taken to have run since the last call: everything but its layout is read anew, and an iteration of
 * mqs.h that is under way on it ends.
 *
 * What can be read is described also when something cannot; then the return code says so, and the text says
 * what is missing ("partial": in JSON the array `problems`).
 *
 * @param options NULL: plain text.
 * @param[out] text the whole text, NUL-terminated, to be freed with mpidbg_free(); NULL when options->write is
 *             given. NULL on MPIDBG_ERR_OUT_OF_RANGE and _NO_MEM; in the other failures the text that could be made.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no MPI, not initialised, or no process table;
 *         MPIDBG_ERR_UNAVAILABLE: partial; MPIDBG_ERR_OUT_OF_RANGE; MPIDBG_ERR_NO_MEM.
 */
MPIDBG_EXPORT int mpidbg_describe(mqs_process *process, int what, const struct mpidbg_options *options, char **text);

/** Free a text or an array that a function of this header returned. NULL is accepted. */
MPIDBG_EXPORT void mpidbg_free(void *p);

/** What reading this process has cost so far. */
struct mpidbg_stats {
	uint64_t n_reads, read_bytes, n_failed_reads;
	uint64_t n_objects, object_bytes;
};

/** @param[out] ret untouched on failure. @return MPIDBG_SUCCESS or MPIDBG_ERR_OUT_OF_RANGE. */
MPIDBG_EXPORT int mpidbg_get_stats(mqs_process *process, struct mpidbg_stats *ret);

/* ---- process tables ------------------------------------------------------------------------------- */

/** A process of a job. Strings belong to the array. */
struct mpidbg_proc {
	int64_t rank;                  /**< in its MPI_COMM_WORLD */
	int64_t pid;                   /**< -1: the entry could not be read */
	const char *host, *executable; /**< "" when they could not be read */
};

/**
 * The process table of a launcher (MPIR_proctable).
 *
 * @param[out] ret one allocation, to be freed with mpidbg_free(); untouched on failure.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: none, or an empty one; MPIDBG_ERR_UNAVAILABLE;
 *         MPIDBG_ERR_OUT_OF_RANGE; MPIDBG_ERR_NO_MEM.
 */
MPIDBG_EXPORT int mpidbg_get_proctable(mqs_process *process, struct mpidbg_proc **ret, size_t *n_ret);

/* ---- MPI2DD (spec 004; mpi2dd.h) --------------------------------------------------------------------- */

/** What the MPI2DD_info of a process says, in this process's word size and byte order. Strings belong to the struct. */
struct mpidbg_mpi2dd {
	int version, variant;
	int debug_state;         /**< MPI2DD_DEBUG_*; 0: no breakpoint was called yet */
	uint32_t debugger_flags; /**< MPI2DD_FLAG_* */
	uint32_t mpi_flags;      /**< MPI2DD_MPIFLAG_* */
	const char *dll_name_32, *dll_name_64; /**< NULL: none */
	const char *meta_host, *meta_executable;
	int64_t meta_pid;         /**< 0: not known yet (before MPI_Init has returned) */
	const char *abort_string; /**< NULL: none */
	uint64_t n_procs, n_directories, n_metadirectories; /**< entries of its tables */
	uint64_t info_addr;       /**< where the structure is: flags are written at info_addr + 8, MPI2DD_INT32_T wide */
	uint64_t registry_addr;   /**< 0: the process has no registry of MPI objects */
};

/**
 * Read and check MPI2DD_info.
 *
 * @param[out] ret one allocation, to be freed with mpidbg_free(); untouched on failure.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no such symbol; MPIDBG_ERR_UNAVAILABLE: it cannot be read or a field of
 *         it makes no sense (mpidbg_error_string() names the field); MPIDBG_ERR_OUT_OF_RANGE; MPIDBG_ERR_NO_MEM.
 */
MPIDBG_EXPORT int mpidbg_get_mpi2dd(mqs_process *process, struct mpidbg_mpi2dd **ret);

/** An entry of MPI2DD's process table. Strings belong to the array; equal ones may be one. */
struct mpidbg_world_proc {
	int64_t rank, pid;             /**< pid -1: the entry makes no sense */
	const char *host, *executable; /**< "" when they could not be read */
	const char *world;             /**< the comm_world_id */
	const char *parent_world;      /**< of what has spawned it; NULL: started by a starter */
	int64_t parent_rank, sequence; /**< -1 when parent_world is NULL */
};

/**
 * The process table of a directory process.
 *
 * A table of 10^6 entries is read in blocks of up to 16 MiB. One allocation, to be freed with mpidbg_free().
 *
 * @param[out] n_bad entries of which a field could not be read or makes no sense; NULL: not wanted.
 * @return MPIDBG_SUCCESS, also when some entries are bad; MPIDBG_ERR_NOT_FOUND: no MPI2DD_info, or no table in it;
 *         else as mpidbg_get_mpi2dd(). *ret is untouched on failure.
 */
MPIDBG_EXPORT int mpidbg_get_world_procs(mqs_process *process, struct mpidbg_world_proc **ret, size_t *n_ret,
					 size_t *n_bad);

/** Which table of a metadirectory process. */
enum mpidbg_table { MPIDBG_TABLE_DIRECTORIES = 0, MPIDBG_TABLE_METADIRECTORIES = 1 };

/** A directory or metadirectory process. Strings belong to the array. */
struct mpidbg_place {
	int64_t pid; /**< -1: the entry makes no sense */
	const char *host, *executable;
};

/** A table of a metadirectory process. Arguments and codes as mpidbg_get_world_procs(). */
MPIDBG_EXPORT int mpidbg_get_places(mqs_process *process, int table, struct mpidbg_place **ret, size_t *n_ret,
				    size_t *n_bad);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_H */
