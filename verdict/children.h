/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file children.h
 * The children for which ranks may wait, and where they are.
 */
#ifndef VD_CHILDREN_H
#define VD_CHILDREN_H

#include "text.h"
#include "verdict.h"

#include <jansson.h>
#include <stdio.h>

/** A child process of a rank, or one of theirs. */
struct vd_child {
	int64_t pid;
	const char *name;  /**< "python3"; NULL: unknown */
	const char *place; /**< of its first thread: "work at pool.py:12"; NULL: unknown */
	const char *waits; /**< of its first thread: "waits for data from a pipe"; NULL: unknown */
	const char *state; /**< "sleeping"; NULL: unknown */
	const char *why;   /**< why it could not be read; NULL: it was */
	size_t n_threads;
};

enum { VD_CHILD_WAIT_BYTES = 400 };

/** Load the member "children" of a process (docs/json.md): vd_rank.first_child and so on. */
void vd_load_children(struct vd_job *job, struct vd_rank *r, const json_t *process);

/** "process 4711 (python3) at pool.py:12 in work, waits for a lock of Python" */
void vd_append_child(struct vd_text *t, const struct vd_child *c);

/** The children of a rank, a line each, as "its child process 4711 ...". If the line of the rank is one of several, it
 * says which. @param rank index @param several true: "process 4711 of rank 3" */
void vd_children_print(const struct vd_job *job, int32_t rank, bool several, int indent, FILE *out);

/** [{"pid": 4711, "name": "python3", "place": "work at pool.py:12", "waits": "waits for ..."}]; NULL: it has none */
json_t *vd_children_json(const struct vd_job *job, int32_t rank);

#endif /* VD_CHILDREN_H */
