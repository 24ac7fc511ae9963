/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file rollcall.h
 * For each collective in progress, the ranks that have entered it, and the locations of the others.
 */
#ifndef RP_ROLLCALL_H
#define RP_ROLLCALL_H

#include "source.h"

#include <stdio.h>

/** A table for each collective. @return number of collectives */
size_t rp_rollcall(FILE *out, const struct rp_source *s);

#endif /* RP_ROLLCALL_H */
