/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file child.h
 * Runs the command. It shares the starter's standard streams, terminal and process group, so that signals from the
 * terminal reach it directly. Signals sent to the starter alone are forwarded to it.
 *
 * Forwarded signals: SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP. A signal is
 * forwarded only if a process sent it with kill(2) (not the terminal) and the starter did not inherit it as ignored.
 * None of these signals ends the starter, which outlives the command; SIGTSTP stops the starter, too.
 * When the starter is killed (SIGKILL), the kernel sends SIGTERM to the command.
 */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include "hub.h"

/** A variable to set in the command's environment. An array of them ends with a null name. */
struct run_variable {
	const char *name, *value;
};

/**
 * Run the command until it ends, and serve the hub meanwhile.
 *
 * @param path      the executable file
 * @param argv      its arguments, NULL-terminated
 * @param variables set in the command's environment; the array ends with a null name
 * @param hub       served with run_hub_turn() while the command runs; stays the caller's
 * @return the command's wait status, as from waitpid(2). If the command cannot be started, the starter prints one line
 *         and exits (RUN_NOT_FOUND, RUN_CANNOT_EXECUTE, RUN_FAILED).
 */
int run_child(const char *path, char *const *argv, const struct run_variable *variables, struct run_hub *hub);

/**
 * Exit the way the command ended: with the same exit code, or
 * killed by the same signal (without a core file of the starter).
 */
void run_child_end_as(int status) __attribute__((noreturn));

#endif /* RUN_CHILD_H */
