/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ranks.h
 * The ranks on a page: a map of all of them, the groups of those that do the same, and an entry for each rank, which
 * has an id (rp_rank_id()) that everything else links to.
 */
#ifndef RP_RANKS_H
#define RP_RANKS_H

#include "source.h"

#include <stdio.h>

/** A cell for each rank, in the colour of what it does, that links to its entry. */
void rp_rank_map(FILE *out, const struct rp_source *s);

/** A table: ranks, count, activity, location. */
void rp_rank_table(FILE *out, const struct rp_source *s);

/** Each group with the stacks of its ranks, and an entry for each rank: process, host, state. */
void rp_rank_entries(FILE *out, const struct rp_source *s);

#endif /* RP_RANKS_H */
