/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file judged.h
 * A job that was collected or read from snapshots, and loaded for the analysis by verdict/. A live job that may hang is
 * read twice, and its ranks run in between: messages in transit at the first reading have arrived, and ranks that make
 * progress are detected.
 */
#ifndef CMD_JUDGED_H
#define CMD_JUDGED_H

#include "../verdict/verdict.h"
#include "commands.h"
#include "job.h"

struct cmd_judged {
	struct cmd_job job;       /**< from the first reading; its problems say what is missing */
	json_t *snapshot;         /**< NULL: there is nothing */
	const json_t **processes; /**< one for each rank, borrowed from the snapshot */
	struct vd_job ranks;
};

/**
 * Collect and load what the options name.
 *
 * @param[out] ret cmd_judged_deinit() frees it, also on failure. There is something to judge when ranks.n_ranks is
 *         not 0.
 * @return as cmd_snapshot_take(); not CMD_DONE when there is nothing to judge
 */
enum cmd_exit cmd_judged_take(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_judged *ret);

/**
 * As cmd_judged_take(), for a job that has answered with both a text and a snapshot (cmd_options.judged): that is the
 * first look.
 *
 * @return false: there is nothing to judge
 */
bool cmd_judged_answers(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
			struct cmd_judged *ret);
void cmd_judged_deinit(struct cmd_judged *j);

#endif /* CMD_JUDGED_H */
