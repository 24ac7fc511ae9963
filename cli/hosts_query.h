/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hosts_query.h
 * Answers of processes on other hosts: mpidbg agent --show writes them, and they are read here as if the processes had
 * been asked on this machine.
 */
#ifndef CMD_HOSTS_QUERY_H
#define CMD_HOSTS_QUERY_H

#include "answer.h"
#include "hosts.h"
#include "job.h"

#include <jansson.h>

/** The processes of a job and their answers, for cmd_hosts_answers() on another host; a new reference. */
json_t *cmd_hosts_answers_json(const struct cmd_job *job);

/**
 * Ask the hosts of a job, if there are others than this one.
 *
 * @param show the subcommand, "queues"
 * @param[out] job      its processes, which point to their answers, and its problems
 * @param[out] answers  one for each; the caller releases each, and frees the array
 * @param[out] elsewhere false: all ranks are on this machine; nothing else was set
 * @return CMD_DONE; CMD_PARTIAL, CMD_ABSENT, CMD_USAGE: there is nothing to show, or a host did not answer
 */
enum cmd_exit cmd_hosts_answers(const struct cmd_options *o, struct host_plugin *plugin, const char *show,
				struct cmd_job *job, struct cmd_answer **answers, bool *elsewhere);

#endif /* CMD_HOSTS_QUERY_H */
