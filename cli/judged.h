/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file judged.h
 * A job, live or from snapshots, loaded for the analysis by verdict/. A live job that may hang is read twice, and
 * its ranks run in between: messages in transit at the first reading then have arrived, and ranks that make
 * progress are detected.
 */
#ifndef CMD_JUDGED_H
#define CMD_JUDGED_H

#include "../verdict/verdict.h"
#include "commands.h"
#include "job.h"
#include "parts.h"

struct cmd_judged {
	struct cmd_job job;     /**< from the first reading; its problems say what is missing */
	struct cmd_parts parts; /**< head NULL: nothing was read */
	json_t **processes;     /**< one for each rank; NULL: not kept */
	size_t n_processes;
	struct vd_job ranks; /**< its sources are NULL; a caller may create them, and cmd_judged_deinit() frees them */
	double cpu_s; /**< processor time that a host has used for it: the most; 0: it was read on this one only */
};

/**
 * Collect and load what the options name.
 *
 * @param keep false: cmd_judged.processes is not needed, and processes are released one by one
 * @param[out] ret cmd_judged_deinit() frees it, also on failure. If ranks.n_ranks is 0, there is nothing to analyze.
 * @return as cmd_snapshot_take(); not CMD_DONE if there is nothing to analyze
 */
enum cmd_exit cmd_judged_take(const struct cmd_options *o, struct host_plugin *plugin, bool keep,
			      struct cmd_judged *ret);

/** As cmd_judged_take(), but read once and without cmd_judged.processes: enough for a comparison with another time. */
enum cmd_exit cmd_judged_once(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_judged *ret);

/**
 * As cmd_judged_take(), for a job whose answers contain both a text
 * and a snapshot (cmd_options.judged): that is the first reading.
 *
 * @return false: there is nothing to analyze
 */
bool cmd_judged_answers(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
			struct cmd_judged *ret);

/** Load the processes of cmd_judged.parts. @return false: out of memory */
bool cmd_judged_load(struct cmd_judged *j, bool keep, struct cmd_lines *problems);

void cmd_judged_deinit(struct cmd_judged *j);

#endif /* CMD_JUDGED_H */
