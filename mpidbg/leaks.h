/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file leaks.h
 * Objects that the program must free and has not freed, grouped by where they were created.
 */
#ifndef MPIDBG_LEAKS_H
#define MPIDBG_LEAKS_H

#include "describe.h"

/** Is it one that the program must free, and has not? */
bool mpidbg_is_leak(const struct mdl_handle *h);

/**
 * Collect them, of one kind or of all, and write them: most objects first. In JSON the array `leaks` of the object that
 * is open. What cannot be read becomes a problem.
 *
 * @param kind MDL_N_HANDLE_KINDS: all
 */
void mpidbg_write_leaks(struct mpidbg_description *d, enum mdl_handle_kind kind);

#endif /* MPIDBG_LEAKS_H */
