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
 * Write the comparison: the number of communicators and operations found in both, and each fact that differs; a
 * line in text, a member "origins" in JSON; nothing if there is only one origin. If the process was stopped inside
 * an MPI call, the records of that call may be ahead of or behind the library; such records are not compared.
 *
 * @param column where values start in text
 */
void mpidbg_write_origins(struct mpidbg_description *d, size_t column);

#endif /* MPIDBG_ORIGINS_H */
