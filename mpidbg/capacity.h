/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file capacity.h
 * How much room the registry of MPI objects has in the process, and how much of it is used.
 */
#ifndef MPIDBG_ROOM_H
#define MPIDBG_ROOM_H

#include "describe.h"

/** Of each kind and of the memory for lists: a member "registry", or lines; nothing in text when there is no registry. */
void mpidbg_write_capacity(struct mpidbg_description *d);

/** Note that objects of this kind found no room, if so. The registry is open. */
void mpidbg_problem_kind(struct mpidbg_description *d, enum mdl_handle_kind kind);

/** Note that lists found no room, if so. The registry is open. */
void mpidbg_problem_capacity(struct mpidbg_description *d);

#endif /* MPIDBG_ROOM_H */
