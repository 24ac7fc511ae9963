/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file capacity.h
 * How much space the registry of MPI objects has in the process, and how much of it is used.
 */
#ifndef MPIDBG_CAPACITY_H
#define MPIDBG_CAPACITY_H

#include "describe.h"

/**
 * Write the capacity of each kind and of the memory for lists: a member "registry" in JSON, lines in text; no text
 * without a registry.
 */
void mpidbg_write_capacity(struct mpidbg_description *d);

/** Report as a problem that objects of this kind were not recorded for lack of space, if so. The registry is open. */
void mpidbg_problem_kind(struct mpidbg_description *d, enum mdl_handle_kind kind);

/** Report as a problem that lists were not recorded for lack of space, if so. The registry is open. */
void mpidbg_problem_capacity(struct mpidbg_description *d);

#endif /* MPIDBG_CAPACITY_H */
