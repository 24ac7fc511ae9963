/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file query.h
 * Sends one query to every selected process, and prints the answers in order.
 */
#ifndef CMD_QUERY_H
#define CMD_QUERY_H

#include "query_frame.h"

/**
 * Run a subcommand whose answers come from mpidbg_describe(): comms, queues, doctor.
 *
 * @param what an enum mpidbg_what
 * @return an enum cmd_exit
 */
int cmd_query(const struct cmd_about *about, int what, int argc, char **argv);

/**
 * As cmd_query(), but with --diff the answers are JSON and @p print prints them when all have answered.
 *
 * @return the exit code; if all have answered, that of @p print
 */
int cmd_query_diff(const struct cmd_about *about, int what, int argc, char **argv,
		   enum cmd_exit (*print)(struct cmd_job *job, const struct cmd_options *o, bool json));

/**
 * Called after the text of a job whose answers have snapshots (cmd_options.judged).
 *
 * @param job messages for stderr are added to its problems
 */
typedef void cmd_query_end(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job);

/** As cmd_query(), then calls @p end after the text of a job, unless --no-verdict was given. */
int cmd_query_judged(const struct cmd_about *about, int what, int argc, char **argv, cmd_query_end *end);

#endif /* CMD_QUERY_H */
