/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file query_frame.h
 * What each query of processes begins and ends with: the plugin,
 * the line about the job, the frame of its JSON, the problems.
 */
#ifndef CMD_QUERY_FRAME_H
#define CMD_QUERY_FRAME_H

#include "job.h"
#include "options.h"

/** Load the plugin that the options name, or the default one;
 * failures are reported. @return CMD_DONE, or the exit code. */
enum cmd_exit cmd_query_plugin(const struct cmd_options *o, struct host_plugin *ret);

/** What a subcommand does when its options are known. @return an enum cmd_exit */
typedef int cmd_query_body(const struct cmd_options *o, struct host_plugin *plugin);

/** Parse the command line, load the plugin unless only files are read, and run the body. @return an enum cmd_exit */
int cmd_query_run(const struct cmd_about *about, int argc, char **argv, cmd_query_body *run);

/** The first line of a job's text: "job of mpirun 4711: 4 ranks (MPIR_proctable)". Nothing for one process. */
void cmd_query_heading(const struct cmd_job *job);

/** Print the JSON frame up to and including "processes": [ on stdout. */
void cmd_query_json_begin(const char *command, const struct cmd_job *job);

/** The rest of the frame: the job's problems. */
void cmd_query_json_end(const struct cmd_job *job);

/** Print the job's problems on stderr. */
void cmd_query_print_problems(const struct cmd_job *job);

#endif /* CMD_QUERY_FRAME_H */
