/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file variables.h
 * Control variables of MPI_T that differ between ranks.
 */
#ifndef RP_VARIABLES_H
#define RP_VARIABLES_H

#include "source.h"

#include <stdio.h>

/** A table of the variables that differ, or a sentence if all are equal or the snapshot has none. */
void rp_variables(FILE *out, const struct rp_source *s);

#endif /* RP_VARIABLES_H */
