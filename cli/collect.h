/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file collect.h
 * Determines which processes to read: one process, a core, the ranks of a job, or the cores of a job.
 *
 * A live job is found from three sources: MPI2DD's tables in the processes (job_mpi2dd.h), the launcher's
 * MPIR_proctable (job_mpir.h), and the environments of this machine's processes (job_environment.h). Without --via,
 * MPI2DD's tables are used if they list every process that the other two list; otherwise the launcher's table,
 * otherwise the environment. Further processes from the MPI2DD tables are added.
 */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include "commands.h"
#include "job.h"

/**
 * Find the processes that the options name. Ranks excluded by --ranks are left out if their number is known at
 * this point; the rank of a core is not.
 *
 * @param plugin used to read the launcher's process table
 * @param[out] ret set also on failure, with the reason in its problems; cmd_job_deinit() frees it.
 * @return CMD_DONE; CMD_ABSENT, CMD_USAGE, CMD_PARTIAL: there is nothing to read.
 */
enum cmd_exit cmd_job_collect(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *ret);

#endif /* CMD_COLLECT_H */
