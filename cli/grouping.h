/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file grouping.h
 * Prints the output of a whole job: ranks with the same text are printed once.
 */
#ifndef CMD_GROUPING_H
#define CMD_GROUPING_H

#include "answer.h"

/**
 * Print the answers of a job's processes on stdout: world by world, small groups of ranks before large ones.
 *
 * Processes of one job whose texts are equal apart from rank, pid and the core's name make one paragraph, "ranks
 * [0-2] (3 ranks)". What differs though they do the same becomes a range: the age of MPI_T's values, "values of 1-3 s
 * ago", since when a call lasts, "for 2.0-9.5 s", and how many calls there were. Three or more that deal with the
 * same ranks relative to themselves are one group, "to rank+1", also across the end of a communicator. Members of
 * communicators and names of hosts split nothing, nor do the sizes of communicators with no pending operations.
 */
void cmd_grouping_print(struct cmd_job *job);

#endif /* CMD_GROUPING_H */
