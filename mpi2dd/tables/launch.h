/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launch.h
 * What the launcher says about this process, in its environment, before MPI_Init.
 */
#ifndef M2D_LAUNCH_H
#define M2D_LAUNCH_H

#include <stdbool.h>

struct m2d_launch {
	/** Started by a launcher that tells all below. false: a singleton, or a launcher that is not known here. */
	bool known;
	/** Name of the world: the same in all its processes, on all hosts, and no other one's at the time. "": none. */
	char job[256];
	/** The launcher's daemon for this process: a machine may have several, which are nodes of their own. */
	char node[128];
	int world_rank, world_size; /**< -1: not known */
	int local_rank, local_size; /**< among the processes of this world on this node; -1: not known */
};

/**
 * Read it; the environment and, for hydra, the command line of the proxy.
 *
 * @param host  this host's name, for names that are good on it alone
 */
void m2d_launch_read(const char *host, struct m2d_launch *ret);

/** The part of Open MPI's contact address that tells one mpirun from another one: "192.0.2.1:4000". For tests. */
void m2d_launch_contact(const char *uri, char *ret, int ret_bytes);

/** How many tasks Slurm has put on a node, of its list "4(x2),3"; -1: it does not say. For tests. */
int m2d_launch_tasks(const char *list, int node);

#endif /* M2D_LAUNCH_H */
