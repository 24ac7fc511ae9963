/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file commands.h
 * The subcommands of mpidbg: one function and one file each, in the table of main.c.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

/** Exit codes. */
enum cmd_exit {
	CMD_DONE = 0,
	CMD_ABSENT = 1,   /**< the requested item does not exist: no such process, no MPI in it, no such rank */
	CMD_USAGE = 2,    /**< the arguments are invalid */
	CMD_PARTIAL = 3,  /**< the target, or a part of it, cannot be read; reported on stderr */
	CMD_DEADLOCK = 4, /**< deadlock: the job cannot make progress, and the reason was printed */
	CMD_SPINNING = 5, /**< deadlock: ranks poll, all others wait, and nothing has happened for some time */
	CMD_STILL = 6     /**< watch: nothing has moved for long, and the reason is not certain */
};

/**
 * Run a subcommand.
 *
 * Data goes to stdout, messages to stderr. All of them accept "--help".
 *
 * @param argv argv[0] is the name of the subcommand.
 * @return an enum cmd_exit
 */
int cmd_jobs(int argc, char **argv);
int cmd_procs(int argc, char **argv);
int cmd_comms(int argc, char **argv);
int cmd_queues(int argc, char **argv);
int cmd_handles(int argc, char **argv);
int cmd_print(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_vars(int argc, char **argv);
int cmd_deadlock(int argc, char **argv);
int cmd_stacks(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_pmix(int argc, char **argv);

#endif /* CMD_COMMANDS_H */
