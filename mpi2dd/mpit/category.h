/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file category.h
 * Our own categories (own_categories.c has the table): a tree with the root "MPI2DD".
 */
#ifndef MPIT_CATEGORY_H
#define MPIT_CATEGORY_H

#include "mpit.h"

/** One of our categories. The lists end with NULL. In the table, a parent comes before its children. */
struct mpit_own_category {
	const char *name, *desc;
	const char *parent;                                      /**< name of the parent; NULL: none */
	const char *const *cvars, *const *pvars, *const *events; /**< names of the members; NULL: none */
};

extern const struct mpit_own_category mpit_own_categories[];
extern const int mpit_n_own_categories;

/** Facts about a category, ours or the host's. Borrowed; the lists are valid until the lock is released. */
enum mpit_part { MPIT_PART_CVARS, MPIT_PART_PVARS, MPIT_PART_EVENTS, MPIT_PART_CATEGORIES, MPIT_PARTS };
struct mpit_category_facts {
	const struct mpit_own_category *own; /**< NULL: it is the host's */
	const char *name, *desc;
	struct {
		const int *v;
		int n;
	} parts[MPIT_PARTS];
};

/**
 * The number of known categories (the host is not asked for new ones), and the facts of one. With the lock held.
 * @return false: no such index.
 */
int mpit_categories_known(void);
bool mpit_category_facts(int index, struct mpit_category_facts *ret);

#endif /* MPIT_CATEGORY_H */
