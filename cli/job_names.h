/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job_names.h
 * Names of jobs as mpidbg jobs lists them: "pmix:144310273", "hydra:node1:39109", "slurm:4711.0".
 */
#ifndef CMD_JOB_NAMES_H
#define CMD_JOB_NAMES_H

#include <stdbool.h>
#include <sys/types.h>

/** Is it a name of a job of Slurm, which may be on other hosts only? */
bool cmd_job_is_slurm(const char *text);

/** Is it a name of a job of Flux, which may be on other hosts only? */
bool cmd_job_is_flux(const char *text);

/** Is it another name of a job? */
bool cmd_job_is_name(const char *text);

/** A rank of this job on this machine; 0: there is none. */
pid_t cmd_job_pid(const char *name);

#endif /* CMD_JOB_NAMES_H */
