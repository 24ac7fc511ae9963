/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ask_job.h
 * Gets the answers of all processes of a job, from one moment.
 */
#ifndef CMD_ASK_JOB_H
#define CMD_ASK_JOB_H

#include "commands.h"
#include "job.h"

/**
 * Ask every process of a job; the live ones at one moment, the cores one after the other. The answer of each is
 * procs[i].answer.
 *
 * Live processes are divided among as many processes of this command as there are processors (workers.h): only the process
 * that has stopped a rank may read its registers. All ranks are stopped before the first is read, and resumed after the
 * last. If they leave no processor free, they are prepared while they are stopped, for 0.25 s at most; if that does
 * not suffice, they run while the rest is prepared, and are stopped once more to be read.
 */
void cmd_ask_all(const struct cmd_options *o, struct host_plugin *plugin, int what, struct cmd_job *job);

#endif /* CMD_ASK_JOB_H */
