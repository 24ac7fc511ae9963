/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file grouping_text.h
 * Splits the text of one process into parts that are the same for all ranks of a group and varying parts.
 */
#ifndef CMD_GROUPING_TEXT_H
#define CMD_GROUPING_TEXT_H

#include "answer.h"

/** Placeholders for the varying parts. The text of a process
 * cannot contain these characters, because they are quoted. */
enum cmd_varying_kind {
	CMD_VARYING_WHOLE = 1, /**< a number: the age of a value, the number of calls, the size of a communicator */
	CMD_VARYING_TENTH,     /**< a number with one decimal place: the duration of a call */
	CMD_VARYING_PEER,      /**< a rank, absolute or relative to the process's own rank */
	CMD_VARYING_MEMBERS,   /**< the members of a communicator */
	CMD_VARYING_HOST
};

struct cmd_varying {
	enum cmd_varying_kind kind;
	double number;     /**< WHOLE, TENTH */
	int64_t value;     /**< PEER: the rank */
	int64_t own, size; /**< PEER: own rank and size of the communicator; MEMBERS: size only */
	const char *text;  /**< MEMBERS: "[0-7]"; HOST: the name; borrowed from the answer. n_text 0: 0 .. size-1 */
	size_t n_text;
};

/** Start with all zero; cmd_common_deinit() frees. */
struct cmd_common {
	char *text; /**< with a character of enum cmd_varying_kind for each varying part; NULL: cannot be compared */
	struct cmd_varying *varying;
	size_t n;
	int64_t world_rank, world_size; /**< -1: not known */
};

/**
 * Split the text of a process and remove what identifies it: "rank 3 of 4 pid 4716" and the name of the core are
 * cut out of the first line, and thread ids are replaced by "main thread" and by the order of the threads.
 *
 * @param[out] ret text is NULL if it cannot be compared: too long, rank unknown, or out of memory
 */
void cmd_common_take(const struct cmd_proc *p, struct cmd_common *ret);
void cmd_common_deinit(struct cmd_common *c);

#endif /* CMD_GROUPING_TEXT_H */
