/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file topology.h
 * The topology of a communicator, as the MPI library tells it.
 */
#ifndef TRK_TOPOLOGY_H
#define TRK_TOPOLOGY_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** Lists as in struct trk_comm. */
struct trk_topology_facts {
	enum trk_topology kind;
	int ndims;
	bool weighted;
	int n[4]; /**< elements of dims, periods, coords, weights */
	int *all; /**< one after the other; NULL: none */
};

/** Ask. Not under the lock. */
void trk_topology_ask(MPI_Comm comm, struct trk_topology_facts *ret);

/** Write, and release what was asked. Under the lock, between trk_create() and trk_publish(). @p r NULL: release. */
void trk_topology_write(struct trk_topology_facts *t, struct trk_comm *r);

#pragma GCC visibility pop

#endif /* TRK_TOPOLOGY_H */
