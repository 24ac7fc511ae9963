/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file names.h
 * Names of predefined handles, and what the process that was set up last can tell.
 */
#ifndef MPIDBG_NAMES_H
#define MPIDBG_NAMES_H

#include "code.h"

/** Capabilities of a kind (enum mpidbg_handle_kind_t); 0: nothing can be told. The registry is open if there is one. */
unsigned mpidbg_capabilities(struct _mqs_process_info *p, int kind);

/** Fill the variables of interface version 1 for a process that was set up. What cannot be read stays empty. */
void mpidbg_names_setup(struct _mqs_process_info *p);

#endif /* MPIDBG_NAMES_H */
