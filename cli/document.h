/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file document.h
 * What the files that implement parts.h share: the snapshots that were added, and access to their JSON.
 */
#ifndef CMD_DOCUMENT_H
#define CMD_DOCUMENT_H

#include "folds.h"
#include "parts.h"

/** A snapshot. */
struct cmd_document {
	char *name; /* path, or host */
	char *host, *boot;
	int64_t started, time; /* 0: unknown */
	size_t before;         /* index of the document of the same host that was added before, and 1; 0: none */
	json_t *worlds;        /* names, by world_number; NULL: none */
	int64_t *number;       /* index of each world_number that has been seen, and 1 */
	size_t n_numbers;
	struct cmd_text text; /* of its processes; those of a stream have one */
	bool owns_text, refused;
	uint32_t first_part, n_parts;
};

/* Processes that are alike, in the order of their lines. */
struct cmd_part_fold {
	uint64_t first, places;             /* where the lines of the first process and of the places are */
	uint32_t n_first, n_places, n_left; /* n_left: processes that are not read yet */
	struct cmd_fold *open;
};

/** A member of an object; NULL, or @p otherwise: it is not there, or of another type. */
const char *cmd_part_text(const json_t *object, const char *key);
int64_t cmd_part_number(const json_t *object, const char *key, int64_t otherwise);

/** May it be the number of a rank? */
bool cmd_part_is_rank(int64_t rank);

/** Does it contain more than the identity of the process? Of one that has ended there is nothing more. */
bool cmd_part_was_read(const json_t *process);

/** A new process; NULL: out of memory. */
struct cmd_part_process *cmd_part_grow(struct cmd_parts *p);

#endif /* CMD_DOCUMENT_H */
