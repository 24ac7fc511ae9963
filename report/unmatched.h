/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file unmatched.h
 * Receives, sends and messages without a counterpart, by communicator.
 */
#ifndef RP_UNMATCHED_H
#define RP_UNMATCHED_H

#include "source.h"

#include <stdio.h>

/** A table for each communicator. @return false: there is none */
bool rp_unmatched(FILE *out, const struct rp_source *s);

#endif /* RP_UNMATCHED_H */
