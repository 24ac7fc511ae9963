/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file comm.h
 * Communicators: how and from what they were created, their processes, topology, error handler, info. See objects.h.
 */
#ifndef TRK_COMM_H
#define TRK_COMM_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** How the members of a new communicator follow from its parent's. */
enum trk_comm_how {
	TRK_COMM_SAME,   /**< the same members, on both sides (MPI_Comm_dup) */
	TRK_COMM_FIRST,  /**< the first members, in the same order (MPI_Cart_create without reordering) */
	TRK_COMM_PART,   /**< some members, in any order (MPI_Comm_split) */
	TRK_COMM_GROUP,  /**< the members of a group (MPI_Comm_create_group) */
	TRK_COMM_MERGED, /**< the members of both sides (MPI_Intercomm_merge) */
	TRK_COMM_INTER,  /**< local: the parent's members; remote: any (MPI_Intercomm_create, MPI_Comm_accept) */
	TRK_COMM_SPAWNED /**< local: the parent's members; remote: a new world (MPI_Comm_spawn) */
};

/**
 * A communicator was created. Null handles are ignored.
 *
 * @param parent m2d_constants.comm_null: none
 * @param how    how its members follow from the parent's
 * @param group  handle bits for TRK_COMM_GROUP, else 0
 * @param info   its hints, or the null handle
 */
void trk_comm_made(MPI_Comm parent, MPI_Comm comm, enum trk_comm_how how, uint64_t group, MPI_Info info);

/** The same after MPI_Comm_split. @param color, key what this process has given */
void trk_comm_split(MPI_Comm parent, MPI_Comm comm, int color, int key);

/** After MPI_Init: fill in MPI_COMM_WORLD and MPI_COMM_SELF, and the parent communicator if there is one. */
void trk_comm_predefined(void);

/**
 * MPI_Comm_get_parent has returned this communicator. It has no record yet only if MPI was initialized before this
 * library was loaded.
 */
void trk_comm_returned(MPI_Comm parent);

/** MPI_Comm_set_info. @param info the new hints. */
void trk_comm_info(MPI_Comm comm, MPI_Info info);

#pragma GCC visibility pop

#endif /* TRK_COMM_H */
