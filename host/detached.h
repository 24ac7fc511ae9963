/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file detached.h
 * Ranks that are no descendants of the process that started them: a wrapper, as batch systems and clients of containers
 * use them, starts its program in a session of its own and waits until it has ended.
 */
#ifndef HOST_DETACHED_H
#define HOST_DETACHED_H

#include "proclist.h"

/**
 * Connect such ranks with their wrappers: `parent` and `wrapper` of the rank become the wrapper. A wrapper is a
 * descendant of a launcher, has no MPI library, and the same owner, rank and job. The job of Hydra has no name; there
 * both have the connection to the launcher open (PMI_FD), the same socket.
 */
void host_detached_connect(struct host_proclist *list);

#endif /* HOST_DETACHED_H */
