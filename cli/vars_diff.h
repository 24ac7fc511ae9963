/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file vars_diff.h
 * mpidbg vars --diff: prints the differences between ranks.
 */
#ifndef CMD_VARS_DIFF_H
#define CMD_VARS_DIFF_H

#include "answer.h"

/**
 * Compare the ranks' answers, which are JSON, and print the differences on stdout: variables and registrations
 * whose values differ, or that some ranks do not have.
 *
 * @return CMD_DONE, even if there is no difference; CMD_ABSENT: fewer than two ranks have answered; CMD_PARTIAL: an
 *         answer is not JSON, or out of memory
 */
enum cmd_exit cmd_vars_diff(struct cmd_job *job, const struct cmd_options *o, bool json);

#endif /* CMD_VARS_DIFF_H */
