/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file doctor_packs.h
 * The layout packs from the point of view of a process: which one fits, and if none does, how close the closest one is.
 */
#ifndef MPIDBG_DOCTOR_PACKS_H
#define MPIDBG_DOCTOR_PACKS_H

#include "describe.h"

/**
 * Write the packs. JSON: all of them, with their numbers of witnesses. Text: packs that match; for an implementation
 * without a matching pack the closest one, with the witnesses that disagree; and the number of other packs.
 */
void mpidbg_write_packs(struct mpidbg_description *d);

#endif /* MPIDBG_DOCTOR_PACKS_H */
