/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file topology.h
 * The topology of a communicator, queried from the MPI library.
 */
#ifndef TRK_TOPOLOGY_H
#define TRK_TOPOLOGY_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** The lists of struct trk_comm. */
struct trk_topology_facts {
	enum trk_topology kind;
	int ndims;
	bool weighted;
	int n[4]; /**< number of elements of dims, periods, coords, weights */
	int *all; /**< the four lists one after the other; NULL: none */
};

/** Query the library. Not under the lock. */
void trk_topology_query(MPI_Comm comm, struct trk_topology_facts *ret);

/**
 * Write the lists to the record and free what was queried. Under the lock, between trk_create() and trk_publish(). @p r
 * NULL: free only.
 */
void trk_topology_write(struct trk_topology_facts *t, struct trk_comm *r);

#pragma GCC visibility pop

#endif /* TRK_TOPOLOGY_H */
