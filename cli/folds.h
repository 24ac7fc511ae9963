/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file folds.h
 * Processes of a snapshot that are alike: the first is written as it is, then the places in which the others differ
 * from it, and of each of the others what it has in these places. A job of a million ranks is read several times as
 * fast, and takes a fraction of the space.
 */
#ifndef CMD_FOLDS_H
#define CMD_FOLDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- writing --------------------------------------------------------------------------------------------- */

/** The places in which processes differ. Start with all zero; cmd_places_deinit() frees. */
struct cmd_places {
	json_t *tree;
	size_t n;
};

/**
 * Add the places in which another process differs from the first one.
 *
 * @return false: it is not alike, or out of memory; the first one should not be folded with it.
 */
bool cmd_places_add(struct cmd_places *p, const json_t *first, const json_t *other);

/** The places as JSON: [["calls", 0, "thread"], ...], a new reference; NULL: out of memory */
json_t *cmd_places_json(const struct cmd_places *p);

/** What a process has in these places, an array, a new reference. @param places of cmd_places_json() */
json_t *cmd_places_values(const json_t *places, const json_t *process);

/** Release. Leaves all zero. */
void cmd_places_deinit(struct cmd_places *p);

/* ---- reading --------------------------------------------------------------------------------------------- */

/** A process whose values change. */
struct cmd_fold;

/**
 * Begin with the first process.
 *
 * @param process takes the reference, also on failure
 * @param places  of cmd_places_json(), borrowed
 * @return NULL: a place is not in the process, or out of memory
 */
struct cmd_fold *cmd_fold_open(json_t *process, const json_t *places);

/**
 * Set the values of another process.
 *
 * @return the process, borrowed, until the next call; NULL: these are not as many values as places
 */
json_t *cmd_fold_set(struct cmd_fold *f, const json_t *values);

/** Release. NULL is accepted. */
void cmd_fold_close(struct cmd_fold *f);

#endif /* CMD_FOLDS_H */
