/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot.h
 * A job as one JSON text, collected from its processes or cores, or merged from files with parts of it.
 */
#ifndef CMD_SNAPSHOT_H
#define CMD_SNAPSHOT_H

#include "job.h"
#include "snapshot_text.h"

#include <jansson.h>

/** The version that mpidbg snapshot writes, and the previous one, which is also read; it had no ranges of members. */
#define CMD_SNAPSHOT_SCHEMA "mpidbg-snapshot/2"
#define CMD_SNAPSHOT_BEFORE "mpidbg-snapshot/1"

/**
 * Collect the target that the options name. With --snapshot the files are read and merged; a rank in two of them
 * is taken from the first file, and reported.
 *
 * @param plugin loaded; not used for files
 * @param texts NULL: the snapshot has all processes. Otherwise those of files are identities, and cmd_texts_process() reads them.
 * @param[out] job the processes found, for the heading, and the problems. cmd_job_deinit() frees it.
 * @param[out] ret the snapshot (docs/json.md), a new reference; NULL: there is none.
 * @return CMD_DONE; CMD_PARTIAL: parts are missing, see the problems of @p job; CMD_ABSENT, CMD_USAGE: there is no
 *         snapshot.
 */
enum cmd_exit cmd_snapshot_take(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				struct cmd_texts *texts, json_t **ret);

/**
 * The answer of a process as a PROCESS of a snapshot.
 *
 * @param beside_text true: the query was for text, and the snapshot came in addition (cmd_options.judged);
 *                    false: the query was CMD_WHAT_SNAPSHOT
 * @return a new reference; NULL: nothing
 */
json_t *cmd_snapshot_process(const struct cmd_proc *p, bool beside_text);

/** The snapshot from answers that have one in addition to their text; a new reference; NULL: out of memory. */
json_t *cmd_snapshot_of_answers(const struct cmd_job *job);

#endif /* CMD_SNAPSHOT_H */
