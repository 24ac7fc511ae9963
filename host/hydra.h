/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hydra.h
 * Processes that hydra, MPICH's mpiexec, has started. On each host a hydra_pmi_proxy is above them, one for each world:
 * mpiexec listens at another address for each.
 */
#ifndef HOST_HYDRA_H
#define HOST_HYDRA_H

#include "proclist.h"

/** Where mpiexec listens for the world of a process, "10.0.0.1:37615". @return false: hydra has not started it */
bool host_hydra_address(const struct host_proclist *list, const struct host_process *p, char *ret, size_t n);

/**
 * Name the world of a process that hydra has started by its number and mpiexec, "0/4711@node1", the same on all hosts:
 * its environment has no name for it. If the memory of its proxy cannot be read, the address at which mpiexec listens
 * takes the place of mpiexec; worlds that were spawned later may then be taken for one, "spawned/ADDRESS".
 */
void host_hydra_name_world(const struct host_proclist *list, struct host_process *p);

/**
 * The mpiexec that has started a process whose world is named, the same for all worlds and on all hosts of its job:
 * "4711@node1", its process number and the host on which it runs. NULL: hydra has not started it, or that is not known.
 */
const char *host_hydra_mpiexec(const struct host_process *p);

#endif /* HOST_HYDRA_H */
