/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file origins.h
 * The MPI library's memory and the registry of the in-target library, compared: both describe the same communicators
 * and operations, and a difference means that one of them is damaged, or read with a wrong layout.
 */
#ifndef MPIDBG_ORIGINS_H
#define MPIDBG_ORIGINS_H

#include "describe.h"

/**
 * Write the comparison: the number of communicators and operations that both have, and each fact that differs. Nothing
 * is written when there is only one origin. Text has a line, JSON a member "origins". A process that was stopped in the
 * middle of an MPI call may have recorded more, or less, than the library has done: such records are left out.
 *
 * @param column of the text's values
 */
void mpidbg_write_origins(struct mpidbg_description *d, size_t column);

#endif /* MPIDBG_ORIGINS_H */
