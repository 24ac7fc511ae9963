/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ranks.h
 * The ranks on a page: a map of all ranks, groups of ranks with the same activity, and an entry for each rank, to
 * which everything else links (rp_rank_id()).
 */
#ifndef RP_RANKS_H
#define RP_RANKS_H

#include "source.h"

#include <stdio.h>

/** A cell for each rank, coloured by its activity, that links to its entry. */
void rp_rank_map(FILE *out, const struct rp_source *s);

/** The ranks to look at first: what they do, where, and their stacks. */
void rp_suspects(FILE *out, const struct rp_source *s);

/** A table: ranks, activity, location. */
void rp_rank_table(FILE *out, const struct rp_source *s);

/** Each group with the stacks of its ranks, and an entry for each rank: process, host, state. */
void rp_rank_entries(FILE *out, const struct rp_source *s);

#endif /* RP_RANKS_H */
