/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file comm.h
 * Communicators: who made them of what, their processes, topology, error handler, info. See objects.h.
 */
#ifndef TRK_COMM_H
#define TRK_COMM_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** How the members of a new communicator follow from its parent's. */
enum trk_comm_how {
	TRK_COMM_SAME,   /**< the same, on both sides (MPI_Comm_dup) */
	TRK_COMM_FIRST,  /**< the first ones, in the same order (MPI_Cart_create without reordering) */
	TRK_COMM_PART,   /**< some, in any order (MPI_Comm_split) */
	TRK_COMM_GROUP,  /**< the group's (MPI_Comm_create_group) */
	TRK_COMM_MERGED, /**< those of both sides (MPI_Intercomm_merge) */
	TRK_COMM_INTER,  /**< local: the parent's; remote: any (MPI_Intercomm_create, MPI_Comm_accept) */
	TRK_COMM_SPAWNED /**< local: the parent's; remote: a world that is new */
};

/**
 * The program has a new communicator. Null handles: nothing.
 *
 * @param parent m2d_constants.comm_null: none
 * @param group  handle bits for TRK_COMM_GROUP, else 0
 */
void trk_comm_made(MPI_Comm parent, MPI_Comm comm, enum trk_comm_how how, uint64_t group, MPI_Info info);

/** After MPI_Init: facts of MPI_COMM_WORLD and SELF, and the parent if there is one. */
void trk_comm_predefined(void);

/** MPI_Comm_get_parent has returned it; unknown only when MPI was started before we were there. */
void trk_comm_got(MPI_Comm parent);

/** MPI_Comm_set_info; the info's handle. */
void trk_comm_info(MPI_Comm comm, MPI_Info info);

#pragma GCC visibility pop

#endif /* TRK_COMM_H */
