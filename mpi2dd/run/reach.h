/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file reach.h
 * Does a job need the starter from other hosts?
 */
#ifndef RUN_REACH_H
#define RUN_REACH_H

#include "launch.h"

enum run_reach {
	RUN_REACH_AS_NEEDED,
	RUN_REACH_LOCAL,  /**< this host alone */
	RUN_REACH_NETWORK /**< every host that can reach one of this one's addresses */
};

/** "local" or "network"; another word: RUN_REACH_AS_NEEDED. */
enum run_reach run_reach_parse(const char *word);

/**
 * What a command needs, by its words and the environment: other hosts when the launcher is given hosts, a file of hosts
 * or of commands, or an agent that starts processes; when Open MPI has a default file of hosts that names some; when a resource
 * manager has given more than one host; and when the command is neither a launcher that is known nor a program of MPI, so that it
 * is not known what it starts.
 *
 * @param argv        the command, NULL-terminated
 * @param is_launcher the command is a launcher whose options are known
 * @param is_program  the command is itself a program of MPI
 * @param is_executable tells the launcher's programs from arguments of its options
 */
enum run_reach run_reach_needed(char *const *argv, bool is_launcher, bool is_program,
				run_launch_is_program_fn *is_executable);

#endif /* RUN_REACH_H */
