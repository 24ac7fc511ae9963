/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mqs_print.h
 * Output for plugins of other vendors, which have only the message queue functions.
 */
#ifndef CMD_MQS_PRINT_H
#define CMD_MQS_PRINT_H

#include "commands.h"
#include "job.h"
#include "spool.h"

/**
 * Limits of communicators, and of operations in one list, because the lists of such a plugin may never end.
 */
enum { CMD_MQS_COMMS_MAX = 1 << 16, CMD_MQS_OPERATIONS_MAX = 1 << 22 };

/**
 * List communicators (MPIDBG_WHAT_COMMS), communicators with queues (_QUEUES), or say whether there are any (_DOCTOR).
 *
 * @param[out] out  text, or a JSON object with the members of docs/json.md that the interface can fill
 * @param[out] why  the first failure, at most @p n_why bytes with the NUL
 * @return CMD_DONE; CMD_ABSENT: the plugin finds no queues; CMD_PARTIAL.
 */
enum cmd_exit cmd_mqs_print(struct host_session *s, int what, const struct cmd_options *o, const struct cmd_proc *p,
			    struct cmd_spool *out, char *why, size_t n_why);

#endif /* CMD_MQS_PRINT_H */
