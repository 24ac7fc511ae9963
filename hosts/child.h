/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file child.h
 * A command whose output is read line by line.
 */
#ifndef HS_CHILD_H
#define HS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Longer lines are not ours, and are skipped. */
enum { HS_CHILD_LINE = 4096 };

/** One of its two outputs. */
struct hs_stream {
	int fd; /**< -1: at its end */
	char line[HS_CHILD_LINE];
	size_t n;
	bool skips; /**< in a line that is too long */
};

struct hs_child {
	pid_t pid;  /**< 0: it has ended */
	int status; /**< of waitpid() */
	struct hs_stream out, err;
};

typedef void hs_on_line(void *ctx, const char *line);

/**
 * Start a command in a process group of its own. It ends when this process ends.
 *
 * @param input the file that is its standard input; NULL: none
 * @param[out] ret hs_child_end() ends it; pid 0: it could not be started
 * @return false: no process or pipe can be made
 */
bool hs_child_start(char *const *words, const char *input, struct hs_child *ret);

/** Read what has arrived of an output, and call @p on_line for each line. At its end the descriptor is closed. */
void hs_stream_read(struct hs_stream *s, hs_on_line *on_line, void *ctx);

/** Has it ended? Then its status is set. */
bool hs_child_over(struct hs_child *c);

/** End it and its descendants, and close its outputs. An ended child is accepted. */
void hs_child_end(struct hs_child *c);

/**
 * Run a command to its end and return its standard output.
 *
 * @param limit_s after which it is ended
 * @param[out] why NULL-able; its last line on standard error, or why it could not be run; "" if there is none
 * @return malloc'ed; NULL: it failed
 */
char *hs_child_output(char *const *words, double limit_s, char *why, size_t n_why);

#endif /* HS_CHILD_H */
