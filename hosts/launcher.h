/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launcher.h
 * Where a launcher of this machine has started ranks, and what it calls its job,
 * from the command lines of the processes with which it has reached other hosts:
 * "ssh n1 orted ...", "ssh n1 hydra_pmi_proxy ...", "srun ... orted ...".
 */
#ifndef HS_LAUNCHER_H
#define HS_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Start with all zero; hs_launcher_deinit() frees. */
struct hs_launcher {
	char job[1000]; /**< for mpidbg agent: "pmix:74973184"; "hydra:10.78.0.1:37615,10.78.0.1:40021", of MPICH
			 * also the addresses for worlds that were spawned; "": not known */
	char **hosts;   /**< reached by ssh; a launcher that starts a tree of daemons has reached only some itself */
	size_t n_hosts;
	bool by_srun;       /**< it has started its daemons by srun */
	pid_t srun;         /**< the srun below it that has started no daemons, so perhaps ranks; 0: none */
	pid_t srun_parent;  /**< of that */
	char slurm_job[32]; /**< the Slurm job in which it runs; "": none */
};

/**
 * Look at a launcher. Nothing is known if it may not be read, or has started ranks on this machine only.
 */
void hs_launcher_look(pid_t pid, struct hs_launcher *ret);

/** The step that a process of Slurm's command names: "4711.0" for "sattach 4711.0". @return false: none */
bool hs_sattach_step(pid_t pid, char *ret, size_t n);

/** Name of a process, as in /proc/PID/comm, without ".openmpi" and the like. */
void hs_process_name(pid_t pid, char *ret, size_t n, pid_t *parent);

/** Release. Leaves all zero. */
void hs_launcher_deinit(struct hs_launcher *l);

#endif /* HS_LAUNCHER_H */
