/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job_name.h
 * What a launcher calls its job, the same on all hosts of it.
 */
#ifndef HOST_JOB_NAME_H
#define HOST_JOB_NAME_H

#include "proclist.h"

/**
 * The name of the job to which a process with a rank belongs, for host_job_named(). Of jobs of PMIx that one launcher
 * has started or that have been spawned, it is the name of the first.
 *
 * @param[out] ret "slurm:4711.0", "pmix:74973185", "hydra:10.0.0.1:37615"; "": unknown
 */
void host_job_name(const struct host_proclist *list, const struct host_process *p, char *ret, size_t n);

/**
 * Does a process with a rank belong to this job?
 *
 * @param kind "slurm", "pmix", "hydra", of which the name has the addresses of all its worlds, with commas in between
 */
bool host_job_has_name(const struct host_proclist *list, const struct host_process *p, const char *kind,
		       const char *name);

#endif /* HOST_JOB_NAME_H */
