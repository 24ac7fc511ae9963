/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job_environment.h
 * A job as found from the environments of this machine's processes; translation of pids from other pid namespaces.
 */
#ifndef CMD_JOB_ENVIRONMENT_H
#define CMD_JOB_ENVIRONMENT_H

#include "job.h"

struct cmd_environment {
	enum host_errc rc; /**< of host_job_from_environment(); unless HOST_OK there are no processes */
	struct host_error err;
	pid_t launcher;     /**< 0: unknown */
	char name[200];     /**< of the job, host_job.name */
	char mpiexec[64];   /**< host_job.mpiexec */
	char slurm_job[32]; /**< host_job.slurm_job */
	struct host_proc *v;
	int64_t *own; /**< for each process: its pid in its own pid namespace */
	struct host_ended *ended;
	size_t n, n_ended;
};

/**
 * Find the job of a process: for a rank, everything that its launcher has started, including spawned jobs.
 *
 * @param[out] ret cmd_environment_deinit() frees it, even after a failure
 */
void cmd_environment_collect(pid_t pid, struct cmd_environment *ret);

/** Find the ranks of a job on this machine by its name (host_job_named()). */
void cmd_environment_collect_named(const char *name, struct cmd_environment *ret);

/** Find the process with this rank and this pid in its own namespace; NULL: none. */
const struct host_proc *cmd_environment_find(const struct cmd_environment *e, int64_t rank, int64_t own_pid);

/** Find the next process with this pid in its own namespace, from index *i on; *i is moved behind it. NULL: none. */
const struct host_proc *cmd_environment_next(const struct cmd_environment *e, int64_t own_pid, size_t *i);

/** Add all of them to a job, and move the ranks that have ended to it. @return false: out of memory. */
bool cmd_environment_add(struct cmd_environment *e, struct cmd_job *job);

/** Add one. @return false: out of memory. */
bool cmd_environment_add_one(const struct host_proc *p, struct cmd_job *job);

/** Note in the job's problems how many ranks of the first world were not found. */
void cmd_environment_note_missing(struct cmd_job *job);

/** Release. An all-zero struct is accepted. */
void cmd_environment_deinit(struct cmd_environment *e);

/** The pid of a process in its own pid namespace; 0: it has ended. */
int64_t cmd_own_pid(pid_t pid);

/** Does a process use our pid namespace? A process in a container does not. */
bool cmd_numbers_as_we_do(pid_t pid);

#endif /* CMD_JOB_ENVIRONMENT_H */
