/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file describe.h
 * The state of one description, shared by the entry point describe.c and the files that write each kind of description.
 * description.c has the common functions.
 */
#ifndef MPIDBG_DESCRIBE_H
#define MPIDBG_DESCRIBE_H

#include "../mqs/state.h"
#include "../render/out.h"
#include "python.h"
#include "threads.h"

/** Probes that are used (mpidbg_options.probes). */
enum { MPIDBG_PROBES_MAX = 16 };

/** Problems stored as text; further ones are counted. */
enum { MPIDBG_PROBLEMS_MAX = 16, MPIDBG_PROBLEM_BYTES = ACC_NOTE_BYTES + 128 };

struct mpidbg_description {
	struct out o;
	struct _mqs_process_info *p;
	struct mpidbg_options options;
	int what;
	struct mpidbg_python python;
	struct mpidbg_threads threads;
	struct rd_probe probes[MPIDBG_PROBES_MAX];
	size_t n_probes;
	bool library_names;           /* library_name.h: the MPI library's own memory is open, too */
	struct rd_track_merge *merge; /**< adds the tracker's facts to those of an MPI's own reader; NULL: none */
	uint64_t n_walked;            /* records that were read to find the users of an object (referrers.c) */
	char problems[MPIDBG_PROBLEMS_MAX][MPIDBG_PROBLEM_BYTES];
	unsigned n_problems;
	uint64_t n_more_problems;

	/* text that is collected for the caller */
	char *text;
	size_t n_text, cap_text;
	bool no_memory;
};

/** Report something that could not be read. Formatted; truncated if too long. */
void mpidbg_problem(struct mpidbg_description *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Report a failure of a walk or of a part of it: the note of the space, otherwise the text of @p rc. Clears the note.
 *
 * @param what "MPI_COMM_WORLD: pending sends"
 * @param n_bad number of skipped elements; 0 with @p rc ACC_OK: nothing is reported
 */
void mpidbg_problem_walk(struct mpidbg_description *d, enum acc_rc rc, uint64_t n_bad, const char *what);

/** Write the problems. */
void mpidbg_write_problems(struct mpidbg_description *d);

/** Start the output about one object; in text with its kind and its name or handle. The facts follow. */
void mpidbg_object_begin(struct mpidbg_description *d, enum mdl_handle_kind kind, const char *name, uint64_t handle);
void mpidbg_object_end(struct mpidbg_description *d);

/** MPIDBG_WHAT_DOCTOR: unreadable data is part of its output, not a failure. @return like mpidbg_describe(). */
int mpidbg_describe_doctor(struct mpidbg_description *d);

/** MPIDBG_WHAT_PROCS. @return as mpidbg_describe(). */
int mpidbg_describe_procs(struct mpidbg_description *d);

/** MPIDBG_WHAT_COMMS and MPIDBG_WHAT_QUEUES. @return as mpidbg_describe(). */
int mpidbg_describe_comms(struct mpidbg_description *d);

/** MPIDBG_WHAT_HANDLES. @return as mpidbg_describe(). */
int mpidbg_describe_handles(struct mpidbg_description *d);

/** MPIDBG_WHAT_HANDLE. @return as mpidbg_describe(); MPIDBG_ERR_NOT_FOUND: also if there is no such object. */
int mpidbg_describe_handle(struct mpidbg_description *d);

/** MPIDBG_WHAT_CALLS. @return as mpidbg_describe(). */
int mpidbg_describe_calls(struct mpidbg_description *d);

/** MPIDBG_WHAT_HANDLE and MPIDBG_WHAT_CALLS with the option brief, in text. @return as mpidbg_describe(). */
int mpidbg_describe_brief(struct mpidbg_description *d);
int mpidbg_describe_brief_calls(struct mpidbg_description *d);

/** Write the Python functions of a thread; in JSON as members of the open object. */
void mpidbg_write_python(struct mpidbg_description *d, int64_t tid);

/**
 * Report that Python functions are unavailable, and why: in JSON `python_why` of the process. Writes nothing if they
 * are available or there is no Python.
 */
void mpidbg_write_no_python(struct mpidbg_description *d);

/** Limit of operations examined to find those of the threads. */
enum { MPIDBG_OPERATIONS_MAX = 1000000 };

/**
 * Find the operations of the threads (threads.h). The reader must be open. Failures are reported later, when the
 * operations are shown.
 */
void mpidbg_match_operations(struct mpidbg_description *d);

/** MPIDBG_WHAT_VARS. @return as mpidbg_describe(); MPIDBG_ERR_NOT_FOUND: also if no name matches. */
int mpidbg_describe_vars(struct mpidbg_description *d);

/** The identity of the process, as given by the debugger. */
struct out_identity mpidbg_identity(struct mpidbg_description *d);

/** Why the call of one of mpidbg_options.unknown_threads is not known. */
extern const char mpidbg_unknown_thread[];

#endif /* MPIDBG_DESCRIBE_H */
