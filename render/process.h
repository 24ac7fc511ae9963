/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file process.h
 * A process: its identity, its MPI library, the calls of its threads, and problems.
 */
#ifndef OUT_PROCESS_H
#define OUT_PROCESS_H

#include "../model/library.h"
#include "../model/python_frame.h"
#include "out.h"

/** Facts that only the debugger knows. 0 or NULL: not known. */
struct out_identity {
	int64_t pid;
	const char *host, *executable, *core;
	const char *condition; /**< "stopped by a signal" */
	struct mdl_num rank,
		world_size;      /**< for a process whose memory does not contain them; not applicable: unknown */
	const char *rank_origin; /**< the source, for JSON; NULL: the memory of the process */
};

/** A thread's call. */
struct out_call {
	int64_t thread;
	const char *function; /**< NULL: in no MPI function */
	const char *const *backtrace;
	size_t n_backtrace;
	const char *communicator;   /**< name of its communicator; NULL: not known, or it has none */
	uint64_t communicator_id;   /**< its id in the list of communicators; 0: not known */
	bool communicator_given;    /**< it is the argument of the function for certain */
	const uint64_t *operations; /**< ids */
	size_t n_operations;
	uint64_t n_operations_more; /**< number of omitted ids */
	const uint64_t *possible;   /**< ids, if the operations are not certain: one at least is waited for */
	size_t n_possible;
	const struct mdl_python_frame *python; /**< innermost first */
	size_t n_python;
	bool python_in_backtrace; /**< the backtrace also contains them */
	const char *waits;        /**< what it waits for outside MPI: "waits for the mutex io_lock"; NULL: not known */
};

/**
 * The heading.
 *
 * @param library NULL: none, or it could not be opened
 * @param why     if @p library is NULL: the reason
 */
void out_process_begin(struct out *o, const struct out_identity *identity, const struct mdl_library *library,
		       const char *why);
void out_process_end(struct out *o);

/** "initialized" ...: the words of docs/json.md. */
const char *out_state_text(enum mdl_library_state state);

/**
 * The Python functions on a thread's stack. JSON: the member `python` of its call; text: a line each, only the
 * innermost ones if there are many, unless o->all. Nothing if there are no frames.
 *
 * @param in_backtrace the backtrace, shown with o->all, also contains them: text omits them
 */
void out_python(struct out *o, const struct mdl_python_frame *frames, size_t n, bool in_backtrace);

/** Threads. Text shows those in an MPI or Python function. */
void out_calls_begin(struct out *o);
void out_call(struct out *o, const struct out_call *call);
/** A thread whose current function is unknown. */
void out_call_unknown(struct out *o, int64_t thread, const char *why);
void out_calls_end(struct out *o, size_t n_in_mpi);

/** Lines about the process: a remark for text, nothing in JSON. */
void out_remark(struct out *o, const char *what, const char *why);

/** The problems: facts that could not be read. */
void out_problems_begin(struct out *o);
void out_problem(struct out *o, const char *text);
void out_problems_end(struct out *o);

#endif /* OUT_PROCESS_H */
