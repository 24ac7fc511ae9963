/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file variables.h
 * The control variables of a job's ranks in the form of a snapshot: each variable once, with its values and the ranks
 * that have each value. docs/json.md describes the format.
 */
#ifndef CMD_VARIABLES_H
#define CMD_VARIABLES_H

#include <jansson.h>
#include <stdint.h>

/** Collects variables. Initialize with zero; cmd_variables_deinit() frees. */
struct cmd_variables {
	json_t *index; /**< maps a name to a variable of the list */
	json_t *list, *ranks, *unread;
};

/**
 * Add the answer of a rank to mpidbg vars cvars --json.
 *
 * @param answer NULL: nothing is added
 */
void cmd_variables_add(struct cmd_variables *v, const json_t *answer, int64_t rank);

/** Add the member "variables" of a snapshot of other ranks. */
void cmd_variables_merge(struct cmd_variables *v, const json_t *variables);

/** The member "variables" of a snapshot, a new reference;
 * NULL: there are none. Nothing can be added after this call. */
json_t *cmd_variables_json(struct cmd_variables *v);

void cmd_variables_deinit(struct cmd_variables *v);

#endif /* CMD_VARIABLES_H */
