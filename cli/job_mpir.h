/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job_mpir.h
 * A job as found from its launcher's process table, MPIR_proctable: one world, on all hosts.
 */
#ifndef CMD_JOB_MPIR_H
#define CMD_JOB_MPIR_H

#include "job.h"
#include "job_environment.h"

struct cmd_mpir {
	int rc; /**< of mpidbg_get_proctable(), or MPIDBG_ERR_UNAVAILABLE: the launcher cannot be opened */
	struct host_error err;
	pid_t launcher;
	struct mpidbg_proc *v; /**< allocated by the plugin */
	size_t n;
};

/** Read the table of a launcher. It is not stopped, because the table does not change once it exists. */
void cmd_mpir_read(pid_t launcher, struct host_plugin *plugin, struct cmd_mpir *ret);

/**
 * Add the processes of the table to a job. If the launcher's pids are from another pid namespace, they are
 * corrected from the environments of the processes on this machine.
 *
 * @param spawned also add the processes of other worlds, from the environment
 * @return false: out of memory.
 */
bool cmd_mpir_add(const struct cmd_mpir *m, const struct cmd_environment *env, bool spawned, struct cmd_job *job);

/** Release. */
void cmd_mpir_deinit(struct cmd_mpir *m, const struct host_plugin *plugin);

#endif /* CMD_JOB_MPIR_H */
