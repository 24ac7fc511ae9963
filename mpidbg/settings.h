/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file settings.h
 * Settings of the in-target library that it did not understand: MPI2DD_TRACK_COMM=abc.
 */
#ifndef MPIDBG_SETTINGS_H
#define MPIDBG_SETTINGS_H

#include "describe.h"

/**
 * A line for each, or the array "settings_refused" in JSON; nothing when there is none, or when that cannot be read.
 *
 * @param t      the registry; NULL: nothing is written
 * @param label  words in front of each line
 * @param column where the line continues; 0: after the label
 */
void mpidbg_write_settings(struct mpidbg_description *d, struct rd_track *t, const char *label, int column);

#endif /* MPIDBG_SETTINGS_H */
