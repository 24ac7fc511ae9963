/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file settings.h
 * Environment settings that the in-target library did not understand, such as MPI2DD_TRACK_COMM=abc.
 */
#ifndef MPIDBG_SETTINGS_H
#define MPIDBG_SETTINGS_H

#include "describe.h"

/**
 * Write a line for each, or the array "settings_refused" in JSON; nothing if there is none, or if they cannot be read.
 *
 * @param t      the registry; NULL: nothing is written
 * @param label  text before each line
 * @param column where the text after the label starts; 0: directly after it
 */
void mpidbg_write_settings(struct mpidbg_description *d, struct rd_track *t, const char *label, int column);

#endif /* MPIDBG_SETTINGS_H */
