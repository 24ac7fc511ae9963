/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file walk.h
 * Walks over linked lists and pointer arrays of a target: bounded and safe against cycles.
 */
#ifndef ACC_WALK_H
#define ACC_WALK_H

#include "space.h"

/** A walk along `next` pointers. Cycles are detected with Brent's method; an item may be returned twice before that. */
struct acc_walk {
	struct acc_space *sp;
	uint64_t next;               /**< the item to return next */
	uint64_t sentinel;           /**< ends the walk */
	uint32_t next_off;           /**< offset of the next pointer in an item */
	uint64_t n, cap;             /**< items returned so far; their maximum */
	uint64_t anchor, power, lam; /**< Brent */
	bool doubly, torn;           /**< compare `prev` pointers; one differed */
	uint32_t prev_off;
	uint64_t last, length; /**< the item returned last; items according to the list itself */
	enum acc_rc rc;
};

/**
 * Start at @p first.
 *
 * @param sentinel address that ends the list (a circular list's head, or 0 for a NULL-terminated one)
 * @param cap      most items; 0 means ACC_LIST_MAX
 */
void acc_walk_init(struct acc_walk *w, struct acc_space *sp, uint64_t first, uint64_t sentinel, uint32_t next_off,
		   uint64_t cap);

/**
 * Compare the walk with what else a circular list with `prev` pointers says about itself, so that
 * no item is lost unnoticed: the `prev` pointer of each item and of the sentinel, and the number
 * of items. A process that was stopped while it added or removed an item has a number that differs
 * by one, and consistent pointers. All items that `next` pointers lead to are returned; the walk
 * then ends with ACC_ECORRUPT instead of ACC_NONE. To be called directly after acc_walk_init().
 *
 * @param length number of items that the list stores; UINT64_MAX: it stores none
 */
void acc_walk_compare(struct acc_walk *w, uint32_t prev_off, uint64_t length);

/**
 * @param[out] ret address of the next item; its `next` pointer was readable. Untouched otherwise.
 * @return ACC_OK; ACC_NONE: the end; ACC_ECORRUPT: a cycle, a NULL in a circular list or a misaligned
 *         pointer, or, at the end, a list that contradicts itself (acc_walk_compare()); ACC_ELIMIT: more
 *         than the cap; ACC_EREAD. Nothing is noted: the caller knows which list it is. A failure persists.
 */
enum acc_rc acc_walk_next(struct acc_walk *w, uint64_t *ret);

/** Number of slots of a pointer array read at once. */
enum { ACC_SLOTS_BLOCK = 64 };

/** A walk over an array of pointers, read in blocks. NULL slots are returned too (as 0). */
struct acc_slots {
	struct acc_space *sp;
	uint64_t addr, n, i;
	enum acc_rc rc;
	unsigned at, n_block; /**< position in the block, and slots in it */
	unsigned char block[ACC_SLOTS_BLOCK * 8];
};

/** @return ACC_OK; ACC_ELIMIT: @p n above ACC_SLOTS_MAX. */
enum acc_rc acc_slots_init(struct acc_slots *s, struct acc_space *sp, uint64_t addr, uint64_t n);

/** The next slot's value; its index is s->i - 1. @return ACC_OK, ACC_NONE at the end, ACC_EREAD. */
enum acc_rc acc_slots_next(struct acc_slots *s, uint64_t *ret);

#endif /* ACC_WALK_H */
