/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file top_lines.h
 * The output of mpidbg top as lines of text, independent of how they are drawn.
 */
#ifndef CMD_TOP_LINES_H
#define CMD_TOP_LINES_H

#include "alarm.h"

enum cmd_top_sort { CMD_TOP_BY_RANK, CMD_TOP_BY_COUNT, CMD_TOP_BY_AGE, CMD_TOP_BY_MESSAGES, CMD_TOP_N_SORTS };

struct cmd_top_line {
	char *text;   /**< quoted: no control bytes; NULL: out of memory */
	char *place;  /**< of a group whose place does not fit behind the text: a line of its own; else NULL */
	size_t first; /**< of a group: its first rank, index in the view's job */
	size_t n;     /**< of a group: number of ranks */
	double age;   /**< seconds for which all of them have been in this state */
	size_t messages;
	bool alarm; /**< of a group: it waits for something that can never happen, or is missing, as far as confirmed */
};

/** Start with all zero; cmd_top_lines_deinit() frees. */
struct cmd_top_lines {
	struct cmd_top_line *v;
	size_t n;
};

/** "by rank", "by age" ... */
const char *cmd_top_sort_text(enum cmd_top_sort sort);

/** Terminals with fewer columns are narrow: a line has only ranks, call and location. */
enum { CMD_TOP_NARROW = 60 };

/** The heading of the groups' columns. @param columns of the terminal */
const char *cmd_top_heading(size_t columns);

/**
 * A line for each group: ranks, number of ranks, duration, unexpected messages, call and peer, location.
 *
 * @param columns of the terminal
 */
void cmd_top_groups(struct cmd_top_lines *ret, const struct cmd_watch *w, const struct cmd_view *v,
		    const struct cmd_alarm *alarm, enum cmd_top_sort sort, size_t columns);

/** One rank in detail: process, call, stack, operations. @param rank index in the view's job */
void cmd_top_rank(struct cmd_top_lines *ret, const struct cmd_watch *w, const struct cmd_view *v, size_t rank);

void cmd_top_lines_deinit(struct cmd_top_lines *l);

#endif /* CMD_TOP_LINES_H */
