/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file names.h
 * Names of predefined handles, and capabilities of the process that was set up last.
 */
#ifndef MPIDBG_NAMES_H
#define MPIDBG_NAMES_H

#include "code.h"

#include "../readers/tracked/tracked.h"

/** Capabilities of a kind (enum mpidbg_handle_kind_t); 0: nothing is available. The registry is open if
 * there is one. */
unsigned mpidbg_capabilities(struct _mqs_process_info *p, int kind);

/** Fill the variables of interface version 1 for a process that was set up. What cannot be read stays empty. */
void mpidbg_names_setup(struct _mqs_process_info *p);

/**
 * Name of a predefined handle of Open MPI, from the symbol at
 * its address; NULL: none. For processes without a registry.
 */
const char *mpidbg_predefined(struct acc_space *sp, enum mdl_handle_kind kind, uint64_t handle);

/** The MPI of a process: from its registry, or else from symbols that stripped libraries have, too. */
enum rd_track_mpi mpidbg_which_mpi(struct _mqs_process_info *p);

#endif /* MPIDBG_NAMES_H */
