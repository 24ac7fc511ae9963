/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file category.h
 * Our own categories (own_categories.c has the table): a tree under "MPI2DD".
 */
#ifndef MPIT_CATEGORY_H
#define MPIT_CATEGORY_H

#include "mpit.h"

/** One of ours. Lists end with NULL. A parent stands before its children. */
struct mpit_own_category {
	const char *name, *desc;
	const char *parent;                                      /**< NULL: none */
	const char *const *cvars, *const *pvars, *const *events; /**< names; NULL: none */
};

extern const struct mpit_own_category mpit_own_categories[];
extern const int mpit_n_own_categories;

/** A category, ours or the host's. Borrowed; the lists only until the lock is released. */
enum mpit_part { MPIT_PART_CVARS, MPIT_PART_PVARS, MPIT_PART_EVENTS, MPIT_PART_CATEGORIES, MPIT_PARTS };
struct mpit_category_facts {
	const struct mpit_own_category *own; /**< NULL: the host's */
	const char *name, *desc;
	struct {
		const int *v;
		int n;
	} parts[MPIT_PARTS];
};

/** Categories that have been seen; nothing new is looked for. With the lock held. */
int mpit_categories_seen(void);
bool mpit_category_facts(int index, struct mpit_category_facts *ret);

#endif /* MPIT_CATEGORY_H */
