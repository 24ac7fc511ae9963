/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ask_job.h
 * Queries all processes of a job at one moment.
 */
#ifndef CMD_ASK_JOB_H
#define CMD_ASK_JOB_H

#include "commands.h"
#include "job.h"

/**
 * Query every process of a job into procs[i].answer: live processes at one moment, cores one after the other.
 *
 * Live processes are divided among workers, one per processor (workers.h); a worker stops its ranks itself,
 * because only the process that has stopped a rank may read its registers. All ranks are stopped before the first
 * is read, and resumed after the last. If the ranks leave no processor free, they are prepared while they are
 * stopped, for at most 0.25 s; if that is not enough, they run while the rest is prepared, and are stopped once
 * more to be read.
 */
void cmd_ask_all(const struct cmd_options *o, struct host_plugin *plugin, int what, struct cmd_job *job);

#endif /* CMD_ASK_JOB_H */
