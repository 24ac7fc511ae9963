/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file problems.h
 * What is wrong with the processes of a job: ranks of which the same is to be said make one line.
 */
#ifndef CMD_PROBLEMS_H
#define CMD_PROBLEMS_H

#include "answer.h"

/**
 * Add what the processes' answers say is wrong to the job's problems, in the order in which it comes first.
 *
 * "rank 1 (process 4713): vars: no registry" of one rank becomes "ranks [0-3]: vars: no registry" of several of one world.
 * What is said of the plugin, for all processes, is said once.
 */
void cmd_problems_gather(struct cmd_job *job);

#endif /* CMD_PROBLEMS_H */
