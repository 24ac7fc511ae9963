/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file slurm.h
 * What Slurm knows about a job: its step and its nodes, from squeue and scontrol.
 */
#ifndef HS_SLURM_H
#define HS_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Start with all zero; hs_slurm_deinit() frees. */
struct hs_slurm {
	char job[32];  /**< "4711": the number by which processes are found, also of an element of an array */
	char step[32]; /**< "0"; "": the ranks may be in any step, because mpirun or mpiexec has started them */
	char user[32], group[32]; /**< numbers of its user and group */
	char **nodes;
	size_t n_nodes;
	char why[512]; /**< of a failure, one line */
};

/**
 * Find the nodes of a job, or of the step that has MPI processes.
 *
 * @param job "4711", "4711.0", "4711_3" (an element of an array)
 * @return false: see ret->why. There is no such job, it does not run, it has several steps, or Slurm does not answer.
 */
bool hs_slurm_find(const char *job, struct hs_slurm *ret);

/**
 * The step that an srun of this machine has started.
 *
 * @param host   name of this machine
 * @param parent of the srun, which may itself be the other process of the same srun
 * @param[out] ret "4711.0"
 * @return false: Slurm knows of none
 */
bool hs_slurm_step_of(const char *host, pid_t srun, pid_t parent, char *ret, size_t n);

/** Has the job ended, according to Slurm? @param job "4711", "4711.0" @return false also if Slurm does not answer */
bool hs_slurm_is_over(const char *job);

/** End a job or step by scancel. @return false: it has failed */
bool hs_slurm_cancel(const char *job);

/** A job as squeue lists it. */
struct hs_slurm_job {
	char id[64], state[32], user[64], name[256], nodes[1024];
	int64_t seconds; /**< for which it has run */
};

/**
 * The jobs that Slurm knows.
 *
 * @param user a name or number; NULL: of all users
 * @param[out] ret malloc'ed, an array of @p n
 * @return false: Slurm does not answer, or is not there
 */
bool hs_slurm_jobs(const char *user, struct hs_slurm_job **ret, size_t *n);

/** Release. Leaves all zero. */
void hs_slurm_deinit(struct hs_slurm *s);

#endif /* HS_SLURM_H */
