/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file problems.h
 * Problems with the processes of a job: ranks with the same problem share one line.
 */
#ifndef CMD_PROBLEMS_H
#define CMD_PROBLEMS_H

#include "answer.h"

/**
 * Add the problems in the processes' answers to the job's problems, in the order of their first occurrence.
 *
 * "rank 1 (process 4713): vars: no registry" of one rank becomes "ranks [0-3]: vars: no registry" of several of one
 * world. A problem with the plugin, which concerns all processes, is printed once.
 */
void cmd_problems_gather(struct cmd_job *job);

#endif /* CMD_PROBLEMS_H */
