/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file calltree.h
 * The stacks of all threads of a job, merged to one tree from the outermost functions inwards. The functions of an MPI
 * library are one node, the MPI function that the program has called; those of the C library outside main, and of
 * CPython between Python functions, are left out.
 */
#ifndef VD_CALLTREE_H
#define VD_CALLTREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VD_TREE_LINES = 3, VD_TREE_DEPTH = 256 };

/** A function below its callers. Node 0 is the root, which has no function. */
struct vd_tree_node {
	char *function, *file; /**< file NULL: unknown */
	long lines[VD_TREE_LINES];
	unsigned n_lines;            /**< VD_TREE_LINES + 1: more */
	int32_t parent, first, next; /**< the callees are a list; -1: its end */
	int32_t *ranks;              /**< indexes, ascending */
	size_t n_ranks;
	size_t n_threads; /**< that have it on their stack */
	size_t n_ends;    /**< of these, those of which it is the innermost function */
	bool is_mpi;      /**< a function of MPI that the program has called */
};

/** Start with all zero. */
struct vd_tree {
	struct vd_tree_node *nodes;
	size_t n;
	int32_t *slots; /**< hash table of nodes; -1: empty */
	size_t n_slots;
	size_t n_helpers; /**< threads of libraries that were left out */
	bool no_memory;
};

/**
 * Add the threads of a process ("calls" in docs/json.md).
 *
 * @param rank its index; not smaller than that of the process before
 * @param all  also threads that a library has created
 * @return false: it has no stacks
 */
bool vd_tree_add(struct vd_tree *t, int32_t rank, const json_t *calls, bool all);

/** Sort callees: those of the fewest ranks first. */
void vd_tree_sort(struct vd_tree *t);

/** "solve at solve.c:71,74"; "" for the root. Unquoted bytes of the target. */
void vd_tree_text(const struct vd_tree_node *node, char *ret, size_t size);

/** Release. Leaves all zero. */
void vd_tree_deinit(struct vd_tree *t);

#endif /* VD_CALLTREE_H */
