/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot_process.h
 * What was asked of a process, as a part of a snapshot.
 */
#ifndef CMD_SNAPSHOT_PROCESS_H
#define CMD_SNAPSHOT_PROCESS_H

#include "job.h"
#include "spool.h"

#include <jansson.h>

/** The text as JSON, a new reference; NULL: it is empty, or none */
json_t *cmd_spool_json(struct cmd_spool *s);

/**
 * The answer of a process as a PROCESS of a snapshot.
 *
 * @param beside_text true: the query was for text, and the snapshot came in addition (cmd_options.judged);
 *                    false: the query was CMD_WHAT_SNAPSHOT
 * @return a new reference; NULL: nothing
 */
json_t *cmd_snapshot_process(const struct cmd_proc *p, bool beside_text);

#endif /* CMD_SNAPSHOT_PROCESS_H */
