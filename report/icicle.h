/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file icicle.h
 * The merged call tree as a picture: a row for each depth, from the outermost functions down, the callees of a function
 * below it. The width of a function is its share of the threads, but not less than what can be seen.
 */
#ifndef RP_ICICLE_H
#define RP_ICICLE_H

#include "source.h"

#include <stdbool.h>

/** Functions in which only suspects are, are red. @return false: no process has a stack; nothing was written */
bool rp_icicle(FILE *out, const struct rp_source *s);

#endif /* RP_ICICLE_H */
