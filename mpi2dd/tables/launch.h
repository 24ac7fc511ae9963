/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launch.h
 * What the launcher's environment says about this process before MPI_Init.
 */
#ifndef M2D_LAUNCH_H
#define M2D_LAUNCH_H

#include <stdbool.h>

struct m2d_launch {
	/** Started by a launcher that gives all the facts below. false: a singleton, or an unknown launcher. */
	bool known;
	/**
	 * Name of the world: the same in all its processes, on all
	 * hosts, and no other world has it at the same time. "": none.
	 */
	char job[256];
	/**
	 * Identifies the launcher's daemon for this process. A machine may have several daemons; each counts as a node.
	 */
	char node[128];
	int world_rank, world_size; /**< -1: not known */
	int local_rank, local_size; /**< among the processes of this world on this node; -1: not known */
};

/**
 * Read the environment and, for Hydra, the command line of the proxy.
 *
 * @param host name of this host; made part of names that are unique on one host only
 */
void m2d_launch_read(const char *host, struct m2d_launch *ret);

/**
 * The part of Open MPI's contact address that distinguishes one
 * mpirun from another: "192.0.2.1:4000". Exported for tests.
 */
void m2d_launch_contact(const char *uri, char *ret, int ret_bytes);

/**
 * How many tasks Slurm has placed on a node, from its list "4(x2),3". @param node index of the node, from 0. @return
 * -1: not in the list. Exported for tests.
 */
int m2d_launch_tasks(const char *list, int node);

#endif /* M2D_LAUNCH_H */
