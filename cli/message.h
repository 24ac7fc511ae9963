/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message.h
 * Messages on stderr: failures, one line each, and the progress line on a terminal.
 */
#ifndef CMD_MESSAGE_H
#define CMD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/** Print "mpidbg: " and one line on stderr. Control bytes become '?'; only text of a target can contain any. */
void cmd_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Show a progress line in place of the previous one. If @p on is false, print nothing, or lines if
 * cmd_progress_lines() enabled them.
 */
void cmd_progress(bool on, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Enable or disable progress lines for a standard error that is not a terminal, one every thirty seconds. */
void cmd_progress_lines(bool on);

/** Erase the progress line. cmd_message() does so automatically. */
void cmd_progress_end(void);

/**
 * The name that the user probably meant with @p word.
 *
 * @param names NULL-terminated
 * @return one of @p names; NULL: none is similar.
 */
const char *cmd_nearest(const char *word, const char *const *names);

/** Lines of text that are stored for later. Start with all zero. */
struct cmd_lines {
	char **line;
	size_t n;
};

/** Store a line. If out of memory, it is printed instead. */
void cmd_lines_add(struct cmd_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Free the lines. Leaves an empty list. */
void cmd_lines_deinit(struct cmd_lines *lines);

/**
 * Write a text of a target or of a file to standard output, quoted (access/quote.h), and spaces up to a width.
 * @param width in characters; 0: none
 */
void cmd_put(const char *text, int width);

/** Number of characters that cmd_put() writes for a text. */
int cmd_width(const char *text);

#endif /* CMD_MESSAGE_H */
