/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file reach.h
 * Decides whether ranks on other hosts must be able to reach the starter.
 */
#ifndef RUN_REACH_H
#define RUN_REACH_H

#include "launch.h"

enum run_reach {
	RUN_REACH_AS_NEEDED,
	RUN_REACH_LOCAL,  /**< this host only */
	RUN_REACH_NETWORK /**< every host that can reach an address of this one */
};

/** Parse "local" or "network". @return any other word: RUN_REACH_AS_NEEDED. */
enum run_reach run_reach_parse(const char *word);

/**
 * Decide what a command needs, from its words and the environment. RUN_REACH_NETWORK if the launcher is given hosts, a
 * file of hosts or of commands, or an agent that starts processes; if Open MPI's default hostfile names hosts; if a
 * resource manager has allocated more than one host; and if the command is neither a known launcher nor an MPI program,
 * so that we do not know what it starts.
 *
 * @param argv        the command, NULL-terminated
 * @param is_launcher the command is a launcher whose options are known
 * @param is_program  the command is itself an MPI program
 * @param is_executable tells programs from arguments of the launcher's options
 */
enum run_reach run_reach_needed(char *const *argv, bool is_launcher, bool is_program,
				run_launch_is_program_fn *is_executable);

#endif /* RUN_REACH_H */
