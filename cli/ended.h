/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ended.h
 * Ranks of a live job whose MPI program has ended, in its snapshot.
 */
#ifndef CMD_ENDED_H
#define CMD_ENDED_H

#include "job.h"

#include <jansson.h>

/**
 * Add the ranks that have no process any more (cmd_job.ended), and mark those in whose place there is only the script
 * that had started the program, as "gone". Neither is known of a world in which no rank has finished MPI_Init: a rank
 * may not have been started yet. Add how ranks have ended for which their parent has not waited yet.
 *
 * @param processes those of the job, in its order, without those that are left out
 */
void cmd_ended_mark(const struct cmd_job *job, json_t *processes);

#endif /* CMD_ENDED_H */
