/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file spool.h
 * Text that is written while a process is stopped and printed after it was resumed.
 *
 * Up to CMD_SPOOL_BYTES stay in memory; a longer text (a queue of a million messages) continues in an unnamed temporary
 * file, so that neither memory nor a slow reader of the output keeps the process stopped.
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
	FILE *rest;  /**< what came after it, or NULL */
	bool failed; /**< out of memory, or the temporary file cannot be written: the text is incomplete */
};

/** Add text. @return false when it failed, now or before. */
bool cmd_spool_add(struct cmd_spool *s, const char *text, size_t n);

/** Add a string. */
bool cmd_spool_puts(struct cmd_spool *s, const char *text);

/** Add formatted text (of less than 8 KiB). */
bool cmd_spool_printf(struct cmd_spool *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** For mpidbg_options.write; @p spool is a struct cmd_spool. @return 0, or 1 when it failed. */
int cmd_spool_write(void *spool, const char *text, size_t n);

/** Copy everything after byte @p from (which is in memory) to @p out. @return false: it cannot be read back. */
bool cmd_spool_copy(struct cmd_spool *s, size_t from, FILE *out);

/** How many bytes cmd_spool_copy() copies from the start; -1: the temporary file cannot be read. */
int64_t cmd_spool_size(struct cmd_spool *s);

/** Release. Leaves an empty spool. */
void cmd_spool_deinit(struct cmd_spool *s);

#endif /* CMD_SPOOL_H */
