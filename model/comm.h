/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file comm.h
 * A communicator, its members, its topology.
 */
#ifndef MDL_COMM_H
#define MDL_COMM_H

#include "fact.h"

#include <stdbool.h>

enum { MDL_NAME_BYTES = 129 }; /**< the longest MPI_MAX_OBJECT_NAME we know (MPICH: 128) and a NUL */

enum mdl_topology_kind { MDL_TOPO_NONE, MDL_TOPO_CART, MDL_TOPO_GRAPH, MDL_TOPO_DIST_GRAPH };

struct mdl_comm {
	uint64_t id;               /**< address or handle: the same at every stop of the process */
	uint64_t handle;           /**< value of the C handle, MPI_Comm */
	uint64_t addr;             /**< of the library's structure; 0: not known */
	struct mdl_num fortran;    /**< value of the Fortran handle */
	struct mdl_num context;    /**< context id; the same on every member */
	char name[MDL_NAME_BYTES]; /**< "" when it has none */
	bool inter;                /**< intercommunicator */
	bool predefined;           /**< MPI_COMM_WORLD, MPI_COMM_SELF (not the parent) */
	bool internal;             /**< created by the library for internal use */
	const char *internal_why;  /**< static: "of an intercommunicator", "of window ..."; NULL: not internal */
	uint64_t part_of;          /**< id of the communicator whose collectives use it; 0: none */
	uint64_t local_of;         /**< id of the intercommunicator whose local group it has; 0: none */
	int64_t rank;              /**< of this process in the local group */
	int64_t size;              /**< of the local group, 1 or more */
	int64_t remote_size;       /**< of the remote group; 0 for an intracommunicator */
	enum mdl_topology_kind topology;
};

/** A member of a group, identified by its job and its rank in the MPI_COMM_WORLD of the job. */
struct mdl_member {
	bool known;         /**< false: could not be read; the rest is 0 */
	bool own_world;     /**< in the MPI_COMM_WORLD of the process that is read */
	uint32_t job;       /**< the MPI's number of the job */
	bool job_is_local;  /**< the MPI assigns none: worlds are counted from 1 in the order of appearance */
	int64_t world_rank; /**< rank in that job's MPI_COMM_WORLD */
};

/**
 * The sequence numbers that the library uses to order messages between this process and another one in a
 * communicator. They have 16 bits and wrap.
 */
struct mdl_flow {
	int64_t peer;      /**< rank in the communicator; in the remote group of an intercommunicator */
	uint16_t sent;     /**< number of the last message sent to it; the first is 1 */
	uint16_t expected; /**< number of the next message expected from it; initially 1 */
};

/** Arguments of a topology. The owner frees the arrays with rd_comm_topology_free(); NULL: unused. */
struct mdl_topology {
	enum mdl_topology_kind kind;
	bool reorder;
	/* cartesian: n_dims entries each */
	int64_t n_dims;
	int32_t *dims, *periods, *coords;
	/* graph: index has n_nodes entries, edges index[n_nodes - 1] */
	int64_t n_nodes, n_edges;
	int32_t *index, *edges;
	/* distributed graph: this process's own neighbours */
	int64_t n_in, n_out;
	int32_t *in, *out, *in_weights, *out_weights; /**< weights NULL when unweighted */
};

#endif /* MDL_COMM_H */
