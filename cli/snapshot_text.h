/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot_text.h
 * The text of snapshots: JSON, one value in each line. A head, a line for each process, and an end, which says how many
 * processes there are, and has the sum of the text, by which a damaged file is recognized (docs/json.md). Processes
 * that are alike may be folded (folds.h). So a snapshot can be read while it is written, process by process, and
 * several follow one another in a stream. Snapshots of versions 1 and 2 are one JSON value with all processes.
 */
#ifndef CMD_SNAPSHOT_TEXT_H
#define CMD_SNAPSHOT_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The version that is written, and those that are also read. */
#define CMD_SNAPSHOT_SCHEMA "mpidbg-snapshot/3"

/** A text that is read from its beginning. Start with all zero; cmd_text_close() releases. */
struct cmd_text {
	FILE *f;
	char *bytes; /**< the whole text, if it is no file that can be read again; NULL: it is one */
	size_t n_bytes;
	bool borrowed; /**< the bytes are the caller's */
	char *line;
	size_t room, line_number;
	uint64_t offset; /**< of the next line */
	size_t n_processes;
	bool in_snapshot; /**< after a head */
	uint32_t sum;     /**< of the lines of this snapshot so far */
	char why[300];    /**< of CMD_TEXT_CHANGED, CMD_TEXT_BAD and CMD_TEXT_FAILED */
};

enum cmd_text_kind {
	CMD_TEXT_HEAD,    /**< cmd_text_item.json; of version 1 or 2: the whole snapshot */
	CMD_TEXT_PROCESS, /**< json: its identity only, or the whole process */
	CMD_TEXT_FOLD,    /**< the next processes are like the last whole one, but for some places (folds.h) */
	CMD_TEXT_FOLDED,  /**< a process that is; json: its identity */
	CMD_TEXT_END,     /**< json */
	CMD_TEXT_CHANGED, /**< json: an end whose sum is not that of the text before it */
	CMD_TEXT_BAD,     /**< a line is not as it should be; the next one can be read */
	CMD_TEXT_FAILED,  /**< the rest cannot be read */
	CMD_TEXT_OVER     /**< there is nothing more */
};

struct cmd_text_item {
	json_t *json; /**< a new reference, or NULL */
	bool identity;
	uint64_t offset; /**< of the line, for cmd_text_line(); of CMD_TEXT_FOLDED of its values, if they follow */
	size_t n_bytes;
};

/** Open a file, also one that gzip has compressed. @param path "-": standard input @return false: see ret->why */
bool cmd_text_open(struct cmd_text *ret, const char *path);

/** Open a text in memory, which must stay valid. */
bool cmd_text_open_bytes(struct cmd_text *ret, const char *bytes, size_t n);

/** Read what follows. */
enum cmd_text_kind cmd_text_next(struct cmd_text *t, struct cmd_text_item *ret);

/** Close the file. Bytes that are not the caller's remain for cmd_text_line(). */
void cmd_text_close_file(struct cmd_text *t);

/** Release. Leaves all zero. */
void cmd_text_close(struct cmd_text *t);

/** Parse a line. @param f the file, if the text has no bytes @return a new reference; NULL: it cannot be read */
json_t *cmd_text_line(const struct cmd_text *t, FILE *f, uint64_t offset, size_t n);

/** A text that is written: cmd_text_write() for the head and each line of the processes, then cmd_text_write_end(). */
struct cmd_text_out {
	FILE *f;
	uint32_t sum; /**< 0 at first */
};

/**
 * Write one of the lines.
 *
 * @param identity of a process: it comes first in its line, so that it can be read alone; NULL: of anything else
 * @return false: out of memory, or the file cannot be written
 */
bool cmd_text_write(struct cmd_text_out *out, const json_t *identity, const json_t *line);

/** Write the end, an object that is not empty, with the sum. */
bool cmd_text_write_end(struct cmd_text_out *out, const json_t *end);

#endif /* CMD_SNAPSHOT_TEXT_H */
