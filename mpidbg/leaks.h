/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file leaks.h
 * Objects that the program must free and has not freed, grouped by where they were created.
 */
#ifndef MPIDBG_LEAKS_H
#define MPIDBG_LEAKS_H

#include "describe.h"

/** Must the program free this object, and has it not done so? */
bool mpidbg_is_leak(const struct mdl_handle *h);

/**
 * Collect leaks and write them, the largest groups first; in JSON the array `leaks` of the open object. Unreadable
 * facts are reported as problems.
 *
 * @param kind MDL_N_HANDLE_KINDS: all kinds
 */
void mpidbg_write_leaks(struct mpidbg_description *d, enum mdl_handle_kind kind);

#endif /* MPIDBG_LEAKS_H */
