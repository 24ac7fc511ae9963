/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file grouping.h
 * The text of a whole job: ranks that say the same are printed once.
 */
#ifndef CMD_GROUPING_H
#define CMD_GROUPING_H

#include "answer.h"

/**
 * Print the answers of a job's processes on stdout, in order of rank.
 *
 * Processes of one job whose texts are equal apart from rank, pid and the core's name make one paragraph, "ranks [0-2] (3 ranks)",
 * at the place of the first of them. What differs though they do the same becomes a range: the age of MPI_T's values, "values
 * of 1-3 s ago", since when a call lasts, "for 2.0-9.5 s", and how many calls there were.
 */
void cmd_grouping_print(struct cmd_job *job);

#endif /* CMD_GROUPING_H */
