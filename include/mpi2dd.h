/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi2dd.h
 * MPI2DD: how a debugger finds every process of an MPI job (spec 004, the draft of 2007 by R. Faught). This header
 * defines the structures and says when they are filled; docs/mpi2dd.md explains how.
 *
 * Each MPI process and each starter holds a struct MPI2DD_INFO under the symbol MPI2DD_info. From any one of them a
 * debugger reaches the metadirectory (meta_host_name, meta_pid), from there every directory (directory_table) and the
 * metadirectories of other worlds (metadirectory_table), and in each directory the processes (proctable). Our directory
 * is the first process of a world on each host, our metadirectory is rank 0 of a world, which is also a directory.
 *
 * Byte order and word size are those of the executable; the structures do not contain them. Nothing is allocated
 * or freed through this header: a debugger reads the structures and the strings in the target's memory, also
 * while the process runs. A table is complete before its pointer is written, and its size is written last; arrays
 * and strings are never moved, changed or released afterwards, and entries remain when their process has ended.
 *
 * What is filled when:
 *
 *   from the first instruction  magic, version, variant, padding; everything else is 0 (also in the file)
 *   when the library is loaded  dll_name_64, mpidbg_dll_locations, PARTIAL_ATTACH_OK, IGNORE_QUEUE
 *   in MPI_Init, before START   meta_*, and in directories proctable, in the metadirectory directory_table, I_AM_*
 *   later                       metadirectory_table, when worlds are linked; abort_string
 *
 * A process without the library is in no table. A process that cannot determine whether others have it lists only
 * what it knows, itself or its host, and is the directory and metadirectory of that. Unknown strings are 0 or "".
 *
 * Include it in a C or C++ program; no library is needed for the types. The symbols are defined by libmpi2dd-*.so.
 */
#ifndef MPI2DD_H
#define MPI2DD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t MPI2DD_ADDR_T; /**< an address of the target, as the target holds it */
typedef int32_t MPI2DD_INT32_T;
typedef uint32_t MPI2DD_UINT32_T;
typedef uint8_t MPI2DD_BYTE_T;

enum { MPI2DD_VERSION = 1, MPI2DD_VARIANT = 1, MPI2DD_MAGIC_BYTES = 5 };

/** magic[]: these five bytes, whatever the byte order. */
#define MPI2DD_MAGIC "MPI2\x7f"

/** debug_state: why MPI2DD_breakpoint was called last; 0 before the first call (the draft has no value for that). */
enum {
	MPI2DD_DEBUG_START = 1,                 /**< in each rank at the end of MPI_Init: meta_* and its own tables are
						     filled, as are those of its host and of the metadirectory, and in
						     rank 0 those of all hosts. In the starter: meta_* is known */
	MPI2DD_DEBUG_SPAWN = 2,                 /**< MPI_Comm_spawn(_multiple) has succeeded on its root */
	MPI2DD_DEBUG_CONNECT = 3,               /**< MPI_Comm_connect has succeeded on its root */
	MPI2DD_DEBUG_ACCEPT = 4,                /**< MPI_Comm_accept has succeeded on its root */
	MPI2DD_DEBUG_JOIN = 5,                  /**< MPI_Comm_join has succeeded */
	MPI2DD_DEBUG_DIRECTORY_CHANGED = 6,     /**< only when asked for: MPI2DD_FLAG_REQUEST_DIRECTORY_EVENTS */
	MPI2DD_DEBUG_METADIRECTORY_CHANGED = 7, /**< only when asked for */
	MPI2DD_DEBUG_ABORT = 8,                 /**< the process is about to abort; abort_string says why */
	/* not in the draft: */
	MPI2DD_DEBUG_HANG = 128 /**< mpi2dd-run --hang --on-hang break: no process has finished an MPI call for the
				   given time */
};

/** debugger_flags: 0 in the file; only the debugger writes them, also before the first instruction. */
enum {
	MPI2DD_FLAG_GATE = 0x01,                    /**< leave MPI_Init (only a job with a closed gate waits) */
	MPI2DD_FLAG_BEING_DEBUGGED = 0x02,          /**< to the starter: a debugger is attached */
	MPI2DD_FLAG_REQUEST_DIRECTORY_EVENTS = 0x04 /**< call the breakpoint when a table changes */
};

/** mpi_flags: written by the MPI side. */
enum {
	MPI2DD_MPIFLAG_I_AM_METADIR = 0x01,      /**< set when the tables are filled */
	MPI2DD_MPIFLAG_I_AM_DIR = 0x02,          /**< proctable has entries */
	MPI2DD_MPIFLAG_I_AM_STARTER = 0x04,      /**< mpi2dd-run; never a rank */
	MPI2DD_MPIFLAG_FORCE_TO_MAIN = 0x08,     /**< never set: ranks are registered in MPI_Init, after main */
	MPI2DD_MPIFLAG_IGNORE_QUEUE = 0x10,      /**< libmpidbg.so was not found */
	MPI2DD_MPIFLAG_ACQUIRED_PRE_MAIN = 0x20, /**< never set, as FORCE_TO_MAIN */
	MPI2DD_MPIFLAG_PARTIAL_ATTACH_OK = 0x40  /**< no rank waits for a debugger (started without --gate) */
};

/*
 * The fields, for the word size of the target and for each word size that a reader may encounter. All address
 * fields: 0, or the address of a NUL-terminated ASCII string or of a table.
 */
#define MPI2DD_INFO_FIELDS(ADDR)                                                                                       \
	MPI2DD_BYTE_T magic[MPI2DD_MAGIC_BYTES];                                                                       \
	MPI2DD_BYTE_T version;                                                                                         \
	MPI2DD_BYTE_T variant;                                                                                         \
	MPI2DD_BYTE_T debug_state;                                                                                     \
	MPI2DD_UINT32_T debugger_flags;                                                                                \
	MPI2DD_UINT32_T mpi_flags;                                                                                     \
	ADDR dll_name_32;                                                                                              \
	ADDR dll_name_64;                                                                                              \
	ADDR meta_host_name;                                                                                           \
	ADDR meta_executable_name;                                                                                     \
	ADDR abort_string;                                                                                             \
	ADDR proctable;                                                                                                \
	ADDR directory_table;                                                                                          \
	ADDR metadirectory_table;                                                                                      \
	MPI2DD_INT32_T proctable_size;                                                                                 \
	MPI2DD_INT32_T directory_size;                                                                                 \
	MPI2DD_INT32_T metadirectory_size;                                                                             \
	MPI2DD_INT32_T meta_pid;                                                                                       \
	MPI2DD_INT32_T padding[8]

#define MPI2DD_PROCDESC_FIELDS(ADDR)                                                                                   \
	ADDR host_name;                                                                                                \
	ADDR executable_name;                                                                                          \
	ADDR spawn_desc; /* struct MPI2DD_SPAWNDESC, or 0: started by a starter */                                     \
	ADDR comm_world_id;                                                                                            \
	MPI2DD_INT32_T pid;                                                                                            \
	MPI2DD_INT32_T rank

#define MPI2DD_SPAWNDESC_FIELDS(ADDR)                                                                                  \
	ADDR parent_comm_world_id;                                                                                     \
	MPI2DD_INT32_T parent_rank;                                                                                    \
	MPI2DD_INT32_T sequence

#define MPI2DD_DIRECTORYENTRY_FIELDS(ADDR)                                                                             \
	ADDR host_name;                                                                                                \
	ADDR executable_name;                                                                                          \
	MPI2DD_INT32_T pid

#define MPI2DD_PACKED __attribute__((packed))

/*
 * All structures are packed, MPI2DD_DIRECTORYENTRY too: an array of it has 20 bytes for each element on a 64-bit
 * target. The draft does not say whether its rule covers this one; a reader should try 24 if 20 gives invalid
 * entries, as ours does. The others have no padding either way.
 */

struct MPI2DD_PACKED MPI2DD_INFO {
	MPI2DD_INFO_FIELDS(MPI2DD_ADDR_T);
};
struct MPI2DD_PACKED MPI2DD_PROCDESC {
	MPI2DD_PROCDESC_FIELDS(MPI2DD_ADDR_T);
};
struct MPI2DD_PACKED MPI2DD_SPAWNDESC {
	MPI2DD_SPAWNDESC_FIELDS(MPI2DD_ADDR_T);
};
struct MPI2DD_PACKED MPI2DD_DIRECTORYENTRY {
	MPI2DD_DIRECTORYENTRY_FIELDS(MPI2DD_ADDR_T);
};

struct MPI2DD_PACKED MPI2DD_INFO_32 {
	MPI2DD_INFO_FIELDS(uint32_t);
};
struct MPI2DD_PACKED MPI2DD_PROCDESC_32 {
	MPI2DD_PROCDESC_FIELDS(uint32_t);
};
struct MPI2DD_PACKED MPI2DD_SPAWNDESC_32 {
	MPI2DD_SPAWNDESC_FIELDS(uint32_t);
};
struct MPI2DD_PACKED MPI2DD_DIRECTORYENTRY_32 {
	MPI2DD_DIRECTORYENTRY_FIELDS(uint32_t);
};

struct MPI2DD_PACKED MPI2DD_INFO_64 {
	MPI2DD_INFO_FIELDS(uint64_t);
};
struct MPI2DD_PACKED MPI2DD_PROCDESC_64 {
	MPI2DD_PROCDESC_FIELDS(uint64_t);
};
struct MPI2DD_PACKED MPI2DD_SPAWNDESC_64 {
	MPI2DD_SPAWNDESC_FIELDS(uint64_t);
};
struct MPI2DD_PACKED MPI2DD_DIRECTORYENTRY_64 {
	MPI2DD_DIRECTORYENTRY_FIELDS(uint64_t);
};

/**
 * Our use of padding[8]: all zero when absent. Fixed widths, the target's byte order.
 */
struct MPI2DD_PACKED MPI2DD_EXTENSION {
	MPI2DD_UINT32_T magic;   /**< MPI2DD_EXTENSION_MAGIC */
	MPI2DD_UINT32_T version; /**< MPI2DD_EXTENSION_VERSION */
	uint64_t registry;       /**< address of the registry of MPI objects (track_layout.h); 0: none */
	uint64_t reserved[2];    /**< 0 */
};
#define MPI2DD_EXTENSION_MAGIC UINT32_C(0x6d706964) /* "mpid" read as a big-endian number */
enum { MPI2DD_EXTENSION_VERSION = 1 };

#if defined(__cplusplus) && __cplusplus >= 201103L
#define MPI2DD_HOLDS(what) static_assert(what, #what)
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define MPI2DD_HOLDS(what) _Static_assert(what, #what)
#else
#define MPI2DD_HOLDS(what) extern int mpi2dd_not_checked_here
#endif
MPI2DD_HOLDS(sizeof(struct MPI2DD_INFO) == 64 + 8 * sizeof(MPI2DD_ADDR_T));
MPI2DD_HOLDS(offsetof(struct MPI2DD_INFO, dll_name_32) == 16);
MPI2DD_HOLDS(offsetof(struct MPI2DD_INFO, proctable_size) == 16 + 8 * sizeof(MPI2DD_ADDR_T));
MPI2DD_HOLDS(sizeof(struct MPI2DD_PROCDESC) == 8 + 4 * sizeof(MPI2DD_ADDR_T));
MPI2DD_HOLDS(sizeof(struct MPI2DD_SPAWNDESC) == 8 + sizeof(MPI2DD_ADDR_T));
MPI2DD_HOLDS(sizeof(struct MPI2DD_DIRECTORYENTRY) == 4 + 2 * sizeof(MPI2DD_ADDR_T));
MPI2DD_HOLDS(sizeof(struct MPI2DD_EXTENSION) == 32);

/** The structure itself, not a pointer to it; statically initialised. */
extern struct MPI2DD_INFO MPI2DD_info;

/** Called at each event, after debug_state is written. Does nothing; a debugger sets a breakpoint here. */
void MPI2DD_breakpoint(void);

/** NULL-terminated lists of full paths of libmpidbg.so, for debuggers that look for these names. */
extern char **mpidbg_dll_locations;
extern char **mpimsgq_dll_locations;

#ifdef __cplusplus
}
#endif

#endif /* MPI2DD_H */
