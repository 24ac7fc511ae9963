/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshot_text.h
 * Snapshot files that are read process by process, so that a job of a million ranks needs no JSON tree of all of them. At first a
 * process is only its identity: the members that are needed to sort and merge processes, and where its text is.
 */
#ifndef CMD_SNAPSHOT_TEXT_H
#define CMD_SNAPSHOT_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The text of a process. */
struct cmd_text_extent {
	size_t file; /**< in cmd_texts.paths */
	uint64_t offset, n_bytes;
};

/** Start with all zero; cmd_texts_deinit() frees. */
struct cmd_texts {
	const char **paths; /**< borrowed. A job of many hosts has more files than a process may have open. */
	struct cmd_text_extent *extents;
	size_t n_files, n_extents, cap_files, cap_extents;
	char *window; /**< a part of one of the files: n_bytes from offset */
	size_t cap_window, window_file;
	uint64_t offset, n_bytes;
};

/**
 * Read a snapshot without its processes. "processes" contains their identities.
 *
 * @param path must stay valid until cmd_texts_deinit()
 * @return a new reference; NULL: this is not a regular file, or not a snapshot as mpidbg writes it, or out of memory. Then
 *         json_load_file() reads it, or says what is wrong.
 */
json_t *cmd_texts_read(struct cmd_texts *t, const char *path);

/** Remove the member from a process that did not come from cmd_texts_read() and could be mistaken for an identity. */
void cmd_texts_clear(json_t *process);

/**
 * Read a process.
 *
 * @param identity from cmd_texts_read(), or a process that was read as a whole. A "part" that was added to it is added to the
 *                 process.
 * @param[out] ret a new reference; NULL: @p identity is the whole process
 * @return false: its text is no JSON, cannot be read, or is not that of this process any more, or out of memory
 */
bool cmd_texts_process(struct cmd_texts *t, const json_t *identity, json_t **ret);

void cmd_texts_deinit(struct cmd_texts *t);

#endif /* CMD_SNAPSHOT_TEXT_H */
