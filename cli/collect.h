/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file collect.h
 * The processes of a live job, from all that knows of them.
 *
 * Three sources: MPI2DD's tables in the processes themselves (job_mpi2dd.h), the launcher's MPIR_proctable
 * (job_mpir.h), the environments of this machine's processes (job_environment.h). Without --via MPI2DD's tables are
 * taken when they name every process that the other two know; else the launcher's table, else the environment, and
 * what MPI2DD's tables know beyond that is added.
 */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include "commands.h"
#include "job.h"

/** For --job: as cmd_job_collect(), *ret is a job without processes. */
enum cmd_exit cmd_collect_job(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *ret);

#endif /* CMD_COLLECT_H */
