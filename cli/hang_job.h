/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hang_job.h
 * The job that mpidbg watch watches: has it ended, and ending it.
 */
#ifndef CMD_HANG_JOB_H
#define CMD_HANG_JOB_H

#include "options.h"

/** Start with all zero. */
struct cmd_hang_job {
	pid_t child;       /**< the command that was started here; 0: none */
	pid_t pid;         /**< its pid, or that of --job; 0: the job is one of Slurm */
	const char *slurm; /**< "4711", "4711.0"; NULL: none */
	int exit_code;     /**< of the command, once it has ended; of one that a signal has ended 128 and its number */
	bool ended;
};

/** Start a command. Signals that ask this process to end are passed on to it from now on. @return false: reported */
bool cmd_hang_job_start(struct cmd_hang_job *j, char *const *words);

/** The job that --job names. */
void cmd_hang_job_named(struct cmd_hang_job *j, const struct cmd_options *o);

/**
 * Sleep until a time of cmd_hang_now(), or until the job has ended, if that is seen on this machine.
 * @return false: it has ended
 */
bool cmd_hang_job_sleep(struct cmd_hang_job *j, double until_s);

/**
 * No ranks were found: has the job ended? For a job of Slurm this asks Slurm; if that does not answer, it has not.
 * @param seen there were ranks before
 */
bool cmd_hang_job_is_over(struct cmd_hang_job *j, bool seen);

/** End the job: SIGTERM to the command or the launcher, or
 * scancel; then wait for it. @return false: it did not end in time */
bool cmd_hang_job_end(struct cmd_hang_job *j);

/** Seconds of the clock of cmd_seen.at_s. */
double cmd_hang_now(void);

#endif /* CMD_HANG_JOB_H */
