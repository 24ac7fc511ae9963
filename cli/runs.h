/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file runs.h
 * Whether processes have had a processor between two moments: one that had none is as it was.
 */
#ifndef CMD_RUNS_H
#define CMD_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/** A process at a moment. */
struct cmd_run {
	int64_t pid;
	unsigned long long ran_ns, n_runs; /**< of all threads: time on a processor, how often they were given one */
};

/** @return false: it has ended, or the kernel does not report it */
bool cmd_run_take(int64_t pid, struct cmd_run *ret);

/**
 * Has the process had no processor since then, or hardly any: less than a polling rank needs to receive messages in
 * transit? False also if that is unknown.
 */
bool cmd_run_is_short(const struct cmd_run *since);

#endif /* CMD_RUNS_H */
