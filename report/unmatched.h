/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file unmatched.h
 * The messages without a partner: receives, sends, and messages that nobody receives, by communicator.
 */
#ifndef RP_UNMATCHED_H
#define RP_UNMATCHED_H

#include "source.h"

#include <stdio.h>

/** A table for each communicator. @return whether there is one */
bool rp_unmatched(FILE *out, const struct rp_source *s);

#endif /* RP_UNMATCHED_H */
