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

#endif /* MPIT_CATEGORY_H */
