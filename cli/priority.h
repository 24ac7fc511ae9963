/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file priority.h
 * Raises the priority of this command, so that it runs even if polling ranks use all processors.
 *
 * Each rank started by MPICH's launcher leads a session, and Linux gives every session the
 * same share of the processors (sched(7), autogroup): with 64 polling ranks this command
 * gets 1/65 until they are stopped. With the required privilege (CAP_SYS_NICE) the command
 * requests real-time scheduling while it finds and reads a job; without it, nothing changes.
 */
#ifndef CMD_PRIORITY_H
#define CMD_PRIORITY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct cmd_priority {
	bool raised;
	int policy;
	struct sched_param param;
};

/** Number of processors of this machine; at least 1. */
size_t cmd_n_processors(void);

/**
 * Raise this process's priority if there are at least as many runnable processes as processors, and if permitted.
 * Children inherit it.
 * @param[out] before for cmd_priority_restore()
 */
void cmd_priority_raise(struct cmd_priority *before);

void cmd_priority_restore(const struct cmd_priority *before);

#endif /* CMD_PRIORITY_H */
