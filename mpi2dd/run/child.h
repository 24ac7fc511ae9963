/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file child.h
 * The command that the starter runs: its streams, its terminal and its process group are the starter's, so that what
 * the terminal sends reaches it without us; what is sent to the starter alone is handed on.
 *
 * Handed on: SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP, unless they were ignored
 * when the starter was started, when they come from a process by kill(2) and not from the terminal. The starter
 * outlives the command and does not die of them; of SIGTSTP it stops too.
 * When the starter is killed (SIGKILL), the kernel sends the command SIGTERM.
 */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include "hub.h"

/** A variable of the command's environment: "NAME", "VALUE"; the last one has no name. */
struct run_variable {
	const char *name, *value;
};

/**
 * Run the command to its end, with the hub's work in between.
 *
 * @param path the file; @p argv its arguments
 * @return its wait status. When it cannot be started the starter ends with a line.
 */
int run_child(const char *path, char *const *argv, const struct run_variable *variables, struct run_hub *hub);

/** End as it ended: with its exit code, or by the same signal (without a core of the starter). */
void run_child_end_as(int status) __attribute__((noreturn));

#endif /* RUN_CHILD_H */
