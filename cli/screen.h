/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file screen.h
 * The terminal in full-screen mode, and its keys. Its state is restored at the end and on SIGINT, SIGTERM and SIGHUP.
 */
#ifndef CMD_SCREEN_H
#define CMD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum cmd_key {
	CMD_KEY_NONE, /**< no key in time, a key without meaning, or the size has changed: draw again */
	CMD_KEY_QUIT, /**< q, or a signal */
	CMD_KEY_UP,
	CMD_KEY_DOWN,
	CMD_KEY_PAGE_UP,
	CMD_KEY_PAGE_DOWN,
	CMD_KEY_LEFT,
	CMD_KEY_RIGHT,
	CMD_KEY_OPEN, /**< Enter */
	CMD_KEY_BACK, /**< Escape, Backspace */
	CMD_KEY_SORT, /**< s */
	CMD_KEY_HELP  /**< ? or h */
};

struct cmd_screen_line {
	const char *text; /**< without control bytes; NULL is "" */
	bool selected, alarm;
};

/** Are standard input and output a terminal, and does TERM say which type? */
bool cmd_screen_is_there(void);

/**
 * Initialize the terminal. What is written to standard error from now on, if that is the terminal, is shown at the end.
 *
 * @return false: its type is unknown
 */
bool cmd_screen_begin(bool color);

/** Restore the terminal. Does nothing if it was not initialized. */
void cmd_screen_end(void);

/** Lines between title and status. */
size_t cmd_screen_rows(void);

/** Columns of the terminal. */
size_t cmd_screen_columns(void);

/** Draw the whole screen; lines are truncated to the size of the terminal. @param heading NULL: none */
void cmd_screen_draw(const char *title, const char *heading, const struct cmd_screen_line *lines, size_t n,
		     const char *status);

/** Wait for a key, for at most this many seconds. */
enum cmd_key cmd_screen_key(double seconds);

/** Block terminal signals between these two calls: if they ended this command, a stopped process could stay stopped. */
void cmd_screen_hold(void);
void cmd_screen_let_go(void);

#endif /* CMD_SCREEN_H */
