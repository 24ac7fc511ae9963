/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot.h
 * A job as one JSON text, collected from its processes or cores, or merged from files with parts of it.
 */
#ifndef CMD_SNAPSHOT_H
#define CMD_SNAPSHOT_H

#include "job.h"
#include "parts.h"

/**
 * Collect the target that the options name. With --snapshot the files are read and merged.
 *
 * @param plugin loaded; not used for files
 * @param[out] job the processes found, for the heading, and the problems. cmd_job_deinit() frees it.
 * @param[out] ret merged; head NULL: there is no snapshot. cmd_parts_deinit() frees it.
 * @return CMD_DONE; CMD_PARTIAL: parts are missing, see the problems
 *         of @p job; CMD_ABSENT, CMD_USAGE: there is no snapshot.
 */
enum cmd_exit cmd_snapshot_take(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				struct cmd_parts *ret);

struct cmd_hosts;

/** The same for a job that may be on other hosts. @param[out] h cmd_hosts_deinit() frees it, after @p ret was used */
enum cmd_exit cmd_snapshot_anywhere(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				    struct cmd_hosts *h, struct cmd_parts *ret);

/** The snapshot from answers that have one in addition to their text. */
void cmd_snapshot_of_answers(const struct cmd_job *job, struct cmd_parts *ret);

#endif /* CMD_SNAPSHOT_H */
