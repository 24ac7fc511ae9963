/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ranks.h
 * Sets of ranks: "0,2-4" on input, "[0,2-4]" on output.
 */
#ifndef CMD_RANKS_H
#define CMD_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** From first to last, both included. */
struct cmd_rank_range {
	int64_t first, last;
};

/** Ranges in increasing order that do not touch each other. Initialize with zero: the empty set. */
struct cmd_ranks {
	struct cmd_rank_range *range;
	size_t n;
};

/** The largest rank that is accepted: MPI ranks are ints. */
#define CMD_RANK_MAX INT64_C(2147483647)

/**
 * Parse "0,2-4", with or without brackets around it, so that printed sets can be pasted.
 *
 * @param[out] ret cmd_ranks_deinit() frees it; untouched on failure.
 * @return NULL, or a text that describes the error; static.
 */
const char *cmd_ranks_parse(const char *text, struct cmd_ranks *ret);

bool cmd_ranks_has(const struct cmd_ranks *set, int64_t rank);

/** Number of ranks in the set. */
uint64_t cmd_ranks_count(const struct cmd_ranks *set);

/** Add first..last, both included, 0 <= first <= last. @return false: out of memory; the set is as it was. */
bool cmd_ranks_add(struct cmd_ranks *set, int64_t first, int64_t last);

/** The ranks of 0..size-1 that are not in the set, as a new set; empty without memory. */
struct cmd_ranks cmd_ranks_missing(const struct cmd_ranks *set, int64_t size);

/** "[0,2-4]", malloc'ed; NULL: out of memory. */
char *cmd_ranks_text(const struct cmd_ranks *set);

/** Release. Leaves the empty set. */
void cmd_ranks_deinit(struct cmd_ranks *set);

#endif /* CMD_RANKS_H */
