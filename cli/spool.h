/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file spool.h
 * Buffer for text that is written while a process is stopped and printed after it was resumed.
 *
 * Up to CMD_SPOOL_BYTES stay in memory; a longer text (a queue of a million messages) continues in an unnamed
 * temporary file. So neither lack of memory nor a slow reader of the output keeps the process stopped.
 */
#ifndef CMD_SPOOL_H
#define CMD_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CMD_SPOOL_BYTES = 4 << 20 };

/** Start with all zero. */
struct cmd_spool {
	char *text; /**< the part in memory, NUL-terminated; NULL: nothing */
	size_t n, room;
	FILE *rest;  /**< the text after it; NULL: none */
	bool failed; /**< out of memory, or the temporary file cannot be written: the text is incomplete */
};

/** Add text. @return false: this call or an earlier one has failed. */
bool cmd_spool_add(struct cmd_spool *s, const char *text, size_t n);

/** Add a string. */
bool cmd_spool_puts(struct cmd_spool *s, const char *text);

/** Add formatted text (of less than 8 KiB). */
bool cmd_spool_printf(struct cmd_spool *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** For mpidbg_options.write; @p spool is a struct cmd_spool. @return 0, or 1 when it failed. */
int cmd_spool_write(void *spool, const char *text, size_t n);

/** Copy the text from byte @p from on (at most CMD_SPOOL_BYTES) to @p out. @return false: the file cannot be read. */
bool cmd_spool_copy(struct cmd_spool *s, size_t from, FILE *out);

/** Size of the text in bytes; -1: the temporary file cannot be read. */
int64_t cmd_spool_size(struct cmd_spool *s);

/** Release. Leaves an empty spool. */
void cmd_spool_deinit(struct cmd_spool *s);

#endif /* CMD_SPOOL_H */
