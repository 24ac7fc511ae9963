/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file proclist.h
 * The processes of this machine, from /proc: their tree, their names, what a launcher has put into their environment.
 */
#ifndef HOST_PROCLIST_H
#define HOST_PROCLIST_H

#include "host.h"

/** Which launcher's variables a process carries. */
enum host_launch {
	HOST_LAUNCH_NONE,
	HOST_LAUNCH_PMIX, /**< Open MPI's launcher, and others with PMIx: the job has a name */
	HOST_LAUNCH_PMI,  /**< Hydra: the job has no name; its ranks have a common ancestor, the launcher */
	HOST_LAUNCH_SLURM /**< srun: job and step */
};

struct host_process {
	pid_t pid, parent;
	pid_t wrapper; /**< set by host_detached_connect(); 0: none */
	pid_t tid;     /**< a thread that has not ended: the first one, if possible. /proc shows the memory by it */
	char state;    /**< 'R', 'S', 'T', 'Z' ... of that thread, as in /proc/PID/stat */
	char name[32]; /**< "mpirun" */
	bool looked;   /**< the rest is known, but for the last */
	enum host_launch launch;
	int64_t rank, size;                 /**< -1: unknown */
	int64_t local_rank, local_size;     /**< among the ranks of this machine; -1: unknown */
	bool spawned;                       /**< by another rank; known for Hydra only */
	int64_t pmi_fd;                     /**< descriptor of the connection to Hydra; -1: none */
	char job[64];                       /**< "" unknown */
	char slurm_job[32], slurm_step[32]; /**< of Slurm, whatever has started it; "": none */
	char flux_job[32];                  /**< of Flux, without the f before it; "": none */
	enum { HOST_MPI_UNKNOWN, HOST_MPI_MAPPED, HOST_MPI_NONE } mpi; /**< see host_process_has_mpi() */
};

/** Sorted by pid. */
struct host_proclist {
	struct host_process *v;
	size_t n;
};

/** Read the list from /proc. @return false: /proc cannot be read, or out of memory; *ret is all zero then. */
bool host_proclist_load(struct host_proclist *ret);

/** Release. Takes all zero. */
void host_proclist_deinit(struct host_proclist *list);

/** The process, or NULL. */
struct host_process *host_proclist_find(const struct host_proclist *list, pid_t pid);

/**
 * Fill in the members that come from its environment, once.
 *
 * @return false: they cannot be read (another user's, or gone); then launch is HOST_LAUNCH_NONE.
 */
bool host_process_look(struct host_process *p);

/**
 * Is an MPI library mapped? The mappings are read on the first call; of hundreds of ranks that takes longer than
 * everything else that finds a job.
 */
bool host_process_has_mpi(struct host_process *p);

/** The argument that follows this one in its command line. @return false: there is none, or it is too long */
bool host_process_argument(const struct host_process *p, const char *name, char *ret, size_t n);

/** Is its name that of a program that starts MPI processes: mpirun, mpiexec, prterun, orted, hydra_pmi_proxy ...? */
bool host_process_is_launcher(const struct host_process *p);

#endif /* HOST_PROCLIST_H */
