/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file answer.h
 * Queries processes: stops them, has the plugin describe them, and resumes them.
 */
#ifndef CMD_ANSWER_H
#define CMD_ANSWER_H

#include "commands.h"
#include "job.h"
#include "probes.h"
#include "spool.h"

/**
 * Limit of pending sends, of pending receives and of unexpected messages of a communicator in a snapshot. They are
 * enough to understand a job that floods a rank with millions, and each takes 3 KB as a tree of JSON values.
 */
enum { CMD_SNAPSHOT_MESSAGES = 10000 };

/** Kinds of objects in a snapshot. */
enum { CMD_WINDOWS, CMD_FILES, CMD_N_OBJECTS };

/** Start with all zero. */
struct cmd_answer {
	struct cmd_spool text;  /**< description of the process: lines, or a JSON object; empty: none */
	struct cmd_spool vars;  /**< the same for control variables, if requested (cmd_options.variables) */
	struct cmd_spool calls; /**< of a snapshot: recorded calls, a JSON object; empty: none recorded */
	struct cmd_spool
		snapshot; /**< in addition to a text: the JSON object of CMD_WHAT_SNAPSHOT, from the same moment */
	struct cmd_spool
		objects[CMD_N_OBJECTS]; /**< of a snapshot: recorded objects, JSON objects; empty: none recorded */
	struct cmd_spool threads;       /**< of a snapshot: states of the threads, a JSON array; empty: unknown */
	struct cmd_spool kept; /**< of a snapshot: what keeps the process from running, a JSON object; empty: nothing */
	struct cmd_spool sources; /**< of a snapshot: source files of their lines, a JSON array; empty: none */
	struct cmd_lines problems;
	const char *state; /**< state of the process before it was stopped, static; "": a core, or on another host */
	enum cmd_exit rc;
	bool left_out; /**< its rank was not selected */
	bool unknown;  /**< the plugin does not know the query; its message is the same for all */
	struct cmd_probing probing[CMD_PROBING_MAX]; /**< threads whose arguments can be found out */
	size_t n_probing;
	bool unclear; /**< it ran, and part of its memory makes no sense: perhaps it was being changed */

	/* for --stats */
	uint64_t n_reads, read_bytes;
	double stopped_ms, all_ms;
};

/** Used in place of an enum mpidbg_what: queues including the library's internal operations, and the recorded calls. */
enum { CMD_WHAT_SNAPSHOT = -1 };

/** A process that is being queried. */
struct cmd_process_query;

/**
 * Check that a process exists and may be read; a core is opened completely.
 *
 * @param what      an enum mpidbg_what, or CMD_WHAT_SNAPSHOT
 * @param[out] ret  the answer; cmd_answer_deinit() frees it, even after a failure. Borrowed until
 * cmd_process_query_close().
 * @return NULL: out of memory, as reported in the answer; all functions below accept NULL.
 */
struct cmd_process_query *cmd_process_query_begin(const struct cmd_options *o, struct host_plugin *plugin, int what,
						  const struct cmd_job *job, struct cmd_proc *p,
						  struct cmd_answer *ret);

/** Slow preparation, done once: files, symbols, the plugin; for a running process also the layout. */
void cmd_process_query_prepare(struct cmd_process_query *q);

/**
 * cmd_process_query_begin() and cmd_process_query_prepare(): slow preparation while the process still runs.
 *
 * Call cmd_process_query_stop(), cmd_process_query_ask() and cmd_process_query_close() next, in this order. To query
 * several processes at one moment, stop all of them before the first query, and resume them after the last. A failure
 * is recorded in the answer; later calls then do nothing.
 */
struct cmd_process_query *cmd_process_query_open(const struct cmd_options *o, struct host_plugin *plugin, int what,
						 const struct cmd_job *job, struct cmd_proc *p, struct cmd_answer *ret);

/** Stop it. */
void cmd_process_query_stop(struct cmd_process_query *q);

/** Stop several, prepared or not, at one moment. */
void cmd_process_query_stop_together(struct cmd_process_query *const *q, size_t n);

/** Have the plugin describe it. Also fills in the rank if it was unknown, pid, name of the executable and job. */
void cmd_process_query_ask(struct cmd_process_query *q);

/**
 * Discard the answer, so that a resumed process can be stopped and queried again.
 * @return false: the process is not open; its answer, which says why, is kept
 */
bool cmd_process_query_again(struct cmd_process_query *q);

/** Resume it. */
void cmd_process_query_resume(struct cmd_process_query *q);

/** Add to the answer what takes time to find out and needs no stopped process: call it after
 * cmd_process_query_resume(). */
void cmd_process_query_complete(struct cmd_process_query *q);

/** Resume it if necessary, complete the answer, and close it. */
void cmd_process_query_close(struct cmd_process_query *q);

/** Add a JSON object for a process that could not be opened: its identity and its problem. */
void cmd_answer_stand_in(const struct cmd_answer *a, const struct cmd_proc *p, struct cmd_spool *ret);

/** Release. */
void cmd_answer_deinit(struct cmd_answer *a);

#endif /* CMD_ANSWER_H */
