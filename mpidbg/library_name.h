/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file library_name.h
 * Names that the MPI library itself has given to communicators ("MPI COMMUNICATOR 3 DUP FROM 0"). The in-target library
 * records only names that the program has set or asked for.
 */
#ifndef MPIDBG_LIBRARY_NAME_H
#define MPIDBG_LIBRARY_NAME_H

#include "../mqs/state.h"

/**
 * Open the MPI library's own memory beside the registry. Does nothing without a registry, whose place that memory has
 * then taken. What cannot be read there is no failure of the registry. @return can the next function find names?
 */
bool mpidbg_library_names_open(struct _mqs_process_info *p);

/** Give a live communicator without name the one that the MPI library has. */
void mpidbg_library_name(struct _mqs_process_info *p, struct mdl_handle *h);

#endif /* MPIDBG_LIBRARY_NAME_H */
