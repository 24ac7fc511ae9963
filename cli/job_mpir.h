/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job_mpir.h
 * A job as shown by its launcher's process table, MPIR_proctable: one world, on all hosts.
 */
#ifndef CMD_JOB_MPIR_H
#define CMD_JOB_MPIR_H

#include "job.h"
#include "job_environment.h"

struct cmd_mpir {
	int rc; /**< of mpidbg_get_proctable(), or MPIDBG_ERR_UNAVAILABLE: the launcher cannot be opened */
	struct host_error err;
	pid_t launcher;
	struct mpidbg_proc *v; /**< the plugin's */
	size_t n;
};

/** Ask a process for its table. It is not stopped: the table stays as it is once it is there. */
void cmd_mpir_read(pid_t launcher, struct host_plugin *plugin, struct cmd_mpir *ret);

/**
 * Add its processes to a job. The environments of the processes here correct it where the launcher numbers processes
 * otherwise than we do.
 *
 * @param spawned add, from the environment, also the processes of other worlds
 * @return false: out of memory.
 */
bool cmd_mpir_add(const struct cmd_mpir *m, const struct cmd_environment *env, bool spawned, struct cmd_job *job);

/** Release. */
void cmd_mpir_deinit(struct cmd_mpir *m, const struct host_plugin *plugin);

#endif /* CMD_JOB_MPIR_H */
