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
 * Processes of one job whose texts are equal except for rank, pid and name of the core share one paragraph, "ranks
 * [0-2] (3 ranks)". Numbers that differ between them are printed as a range: the age of MPI_T values, "values of 1-3
 * s ago", the duration of a call, "for 2.0-9.5 s", and the number of calls. Three or more ranks with the same peers
 * relative to their own rank share a group, "to rank+1", modulo the size of the communicator. Different members of
 * communicators, names of hosts, and sizes of communicators without pending operations do not split a group.
 */
void cmd_grouping_print(struct cmd_job *job);

#endif /* CMD_GROUPING_H */
