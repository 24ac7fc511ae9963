/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fact.h
 * A number that may be known, a wildcard, or unavailable with a reason. 0 never means "unknown".
 */
#ifndef MDL_FACT_H
#define MDL_FACT_H

#include <stddef.h>
#include <stdint.h>

enum mdl_known {
	MDL_UNAVAILABLE = 0, /**< not known; `why` is the reason */
	MDL_KNOWN,           /**< `value` is the number */
	MDL_ANY,             /**< MPI_ANY_SOURCE, MPI_ANY_TAG */
	MDL_NOT_APPLICABLE   /**< the fact does not apply (the matched tag of a pending receive) */
};

struct mdl_num {
	int64_t value; /**< meaningful when known == MDL_KNOWN; 0 otherwise */
	enum mdl_known known;
	const char *why; /**< static text when MDL_UNAVAILABLE, else NULL */
};

static inline struct mdl_num mdl_known(int64_t value)
{
	return (struct mdl_num){ value, MDL_KNOWN, NULL };
}

static inline struct mdl_num mdl_any(void)
{
	return (struct mdl_num){ 0, MDL_ANY, NULL };
}

static inline struct mdl_num mdl_none(void)
{
	return (struct mdl_num){ 0, MDL_NOT_APPLICABLE, NULL };
}

/** @param why static text, lower case: "the proc table is sparse" */
static inline struct mdl_num mdl_unavailable(const char *why)
{
	return (struct mdl_num){ 0, MDL_UNAVAILABLE, why };
}

#endif /* MDL_FACT_H */
