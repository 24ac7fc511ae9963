/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_description.h
 * The part of mpidbg.h, which includes this header, that describes a process as text or JSON.
 */
#ifndef MPIDBG_DESCRIPTION_H
#define MPIDBG_DESCRIPTION_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MPIDBG_EXPORT
#define MPIDBG_EXPORT extern
#endif

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
	/** the MPI call of each thread, with its arguments. Without the in-target library: the function, from
	 * options.threads, and the arguments of the operation for which the thread waits. */
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
	/** Its general registers, in any order: the address of the current request is often in a register only. A
	 * debugger may add values that callers had in registers, often enough to outweigh what former calls have left
	 * on the stack: of several requests the one with most words is meant. The first 1,024 are used. */
	const uint64_t *registers;
	size_t n_registers; /**< 0: not known */
};

/** What a thread waits for outside MPI, as far as the debugger knows. */
struct mpidbg_wait {
	int64_t thread;
	const char *text; /**< "waits for the mutex io_lock, held by thread 4719" */
};

/**
 * A thread in MPI_Probe or MPI_Mprobe and what it was seen to pass to ucp_tag_probe_nb() of UCX: some MPI libraries
 * keep it nowhere. It must be the call in which the thread is now.
 */
struct mpidbg_probe {
	int64_t thread;
	uint64_t tag, mask; /**< the words that UCX compares */
	uint64_t info_addr; /**< the variable for the result, on the thread's stack */
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
	 *  message, session, keyval; MPIDBG_WHAT_HANDLE also status. MPIDBG_WHAT_VARS:
	 *  cvars, pvars, categories, events. */
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
	/** JSON of MPIDBG_WHAT_QUEUES: limit of pending sends, of pending receives and of unexpected messages listed
	 * per communicator; more are counted, except those for which a thread may wait. 0: none. */
	uint64_t most_messages;
	/** What threads wait for outside MPI, sorted by their ids; shown
	 * by MPIDBG_WHAT_QUEUES and MPIDBG_WHAT_CALLS. NULL: unknown. */
	const struct mpidbg_wait *waits;
	size_t n_waits;
	/** What blocked probes ask for, of an MPI library over UCX. NULL: unknown; the in-target library's records are
	 * used, if there are any. */
	const struct mpidbg_probe *probes;
	size_t n_probes;
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

/** What is known of an MPI function. */
struct mpidbg_function_t {
	const char *parameters; /**< "const void * buf, int count, MPI_Datatype datatype, ...": the names of the
				   standard; "": none */
	int scatters; /**< 1: the first data that `calls` has are those received, the second those sent (MPI_Scatter) */
};

/**
 * Look up a function of any MPI, also without a process.
 *
 * @param name     "MPI_Send", "MPI_Send_c"
 * @param[out] ret its texts are static; untouched on failure
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: not known; MPIDBG_ERR_OUT_OF_RANGE
 */
MPIDBG_EXPORT int mpidbg_get_function(const char *name, struct mpidbg_function_t *ret);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_DESCRIPTION_H */
