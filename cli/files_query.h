/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file files_query.h
 * Answers of processes from snapshots, as if the processes had been asked.
 */
#ifndef CMD_FILES_QUERY_H
#define CMD_FILES_QUERY_H

#include "answer.h"

/**
 * Read the files that the options name.
 *
 * @param what    an enum mpidbg_what: MPIDBG_WHAT_QUEUES or _CALLS; -1: the processes only
 * @param[out] job      its processes, which point to their answers, and its problems
 * @param[out] answers  one for each; the caller releases each, and frees the array
 * @return CMD_DONE; CMD_PARTIAL: there is nothing to show, or a part of it cannot be read
 */
enum cmd_exit cmd_files_answers(const struct cmd_options *o, int what, struct cmd_job *job,
				struct cmd_answer **answers);

#endif /* CMD_FILES_QUERY_H */
