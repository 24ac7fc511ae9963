/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stacks_text.h
 * The merged call tree of a job (verdict/calltree.h) in the forms of mpidbg stacks.
 */
#ifndef CMD_STACKS_TEXT_H
#define CMD_STACKS_TEXT_H

#include "../verdict/calltree.h"
#include "../verdict/verdict.h"

#include <stdio.h>

/** Indented text: a line for each group of ranks, and below it the functions that all of them are in. */
void cmd_stacks_text(FILE *out, const struct vd_job *job, const struct vd_tree *t);

/** A line for each stack, "main;solve;MPI_Allreduce 15": the number of threads, for tools that draw flame graphs. */
void cmd_stacks_folded(FILE *out, const struct vd_tree *t);

/** The language of Graphviz. */
void cmd_stacks_dot(FILE *out, const struct vd_job *job, const struct vd_tree *t);

/** The callees of the root, for docs/json.md. A new reference; NULL: out of memory. */
json_t *cmd_stacks_json(const struct vd_job *job, const struct vd_tree *t);

#endif /* CMD_STACKS_TEXT_H */
