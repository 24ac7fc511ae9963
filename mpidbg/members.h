/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file members.h
 * The members of a communicator or a group that the in-target library has recorded.
 */
#ifndef MPIDBG_MEMBERS_H
#define MPIDBG_MEMBERS_H

#include "describe.h"

/**
 * Write the fact "members" or, for a communicator, "remote_members": ranks in MPI_COMM_WORLD; for a process of
 * another world also the MPI's number of that world. Members that were not recorded (the parents of a spawned
 * process) are read from the MPI library's own memory.
 */
void mpidbg_members_fact(struct mpidbg_description *d, const struct mdl_handle *h, bool remote);

/** The same for a communicator from the MPI library's own memory. */
void mpidbg_native_members_fact(struct mpidbg_description *d, const struct mdl_comm *comm, bool remote);

#endif /* MPIDBG_MEMBERS_H */
