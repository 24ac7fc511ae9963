/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file group.h
 * Groups. See objects.h. A group handle that the library returns
 * again (MPI_Comm_group) stays one record, with more references.
 */
#ifndef TRK_GROUP_H
#define TRK_GROUP_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** MPI_Comm_group. @param remote true: MPI_Comm_remote_group. */
void trk_group_of_comm(MPI_Comm comm, MPI_Group group, bool remote);

/** MPI_Win_get_group, MPI_File_get_group: the group of the communicator that @p object was created with. */
void trk_group_of_object(enum trk_kind kind, uint64_t object, MPI_Group group);

/** MPI_Group_incl: these ranks of @p from, in this order. */
void trk_group_incl(MPI_Group from, int n, const int ranks[], MPI_Group group);

/** MPI_Group_excl: all ranks of @p from except these. */
void trk_group_excl(MPI_Group from, int n, const int ranks[], MPI_Group group);

/** MPI_Group_range_incl. @param excl true: MPI_Group_range_excl. */
void trk_group_range(MPI_Group from, int n, int ranges[][3], MPI_Group group, bool excl);

/** MPI_Group_union: all members of @p a, then those of @p b that are not in @p a. */
void trk_group_union(MPI_Group a, MPI_Group b, MPI_Group group);

/** MPI_Group_intersection and MPI_Group_difference: some members of @p a. */
void trk_group_part(MPI_Group a, MPI_Group b, MPI_Group group);

/** MPI_Group_from_session_pset. @param pset recorded as the name of the group */
#if M2D_MPI4
void trk_group_of_session(MPI_Session session, const char *pset, MPI_Group group);
#endif

#pragma GCC visibility pop

#endif /* TRK_GROUP_H */
