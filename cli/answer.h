/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file answer.h
 * What one process answers: stop it, let the plugin describe it, let it run again.
 */
#ifndef CMD_ANSWER_H
#define CMD_ANSWER_H

#include "commands.h"
#include "job.h"
#include "spool.h"

/** Start with all zero. */
struct cmd_answer {
	struct cmd_spool text; /**< of the process: lines, or a JSON object; empty: nothing could be made */
	struct cmd_lines problems;
	enum cmd_exit rc;
	bool left_out; /**< its rank was not asked for */
	bool unknown;  /**< the plugin knows no such question; what it says is the same for all */

	/* for --stats */
	uint64_t n_reads, read_bytes;
	double stopped_ms, all_ms;
};

/**
 * Describe a process.
 *
 * The process is stopped only while it is read. Its rank, when it was unknown, is filled in, and so are pid, name of
 * the executable and job.
 *
 * @param what      an enum mpidbg_what
 * @param[out] ret  cmd_answer_deinit() frees it, whatever rc says.
 */
void cmd_answer(const struct cmd_options *o, struct host_plugin *plugin, int what, const struct cmd_job *job,
		struct cmd_proc *p, struct cmd_answer *ret);

/** A JSON object for a process that could not be opened: who it is and what is wrong with it. */
void cmd_answer_stand_in(struct cmd_answer *a, const struct cmd_proc *p);

/** Release. */
void cmd_answer_deinit(struct cmd_answer *a);

#endif /* CMD_ANSWER_H */
