/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot.h
 * A job as one JSON text: collected from its processes or cores, or merged from files that contain parts of it.
 */
#ifndef CMD_SNAPSHOT_H
#define CMD_SNAPSHOT_H

#include "job.h"

#include <jansson.h>

/** The version that mpidbg snapshot writes, and the previous one, which is also read: it had no ranges of members. */
#define CMD_SNAPSHOT_SCHEMA "mpidbg-snapshot/2"
#define CMD_SNAPSHOT_BEFORE "mpidbg-snapshot/1"

/**
 * Collect what the options name. With --snapshot the files are read and merged; a rank that is in two of them is
 * taken from the first, which is reported.
 *
 * @param plugin loaded; not used for files
 * @param[out] job what was found; for the heading and its problems. cmd_job_deinit() frees it.
 * @param[out] ret the snapshot (docs/json.md), a new reference; NULL: there is nothing.
 * @return CMD_DONE; CMD_PARTIAL: some of it is missing, which its problems say; CMD_ABSENT, CMD_USAGE: nothing is
 *         there.
 */
enum cmd_exit cmd_snapshot_take(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				json_t **ret);

/**
 * What a process has answered, as a PROCESS of a snapshot.
 *
 * @param beside_text text was requested and the snapshot is in addition (cmd_options.judged); otherwise it was asked
 *                    for CMD_WHAT_SNAPSHOT
 * @return a new reference; NULL: nothing
 */
json_t *cmd_snapshot_process(const struct cmd_proc *p, bool beside_text);

/** The snapshot that the answers of a job have in addition to their texts: a new reference; NULL: out of memory. */
json_t *cmd_snapshot_of_answers(const struct cmd_job *job);

#endif /* CMD_SNAPSHOT_H */
