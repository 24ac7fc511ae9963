/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file groups.h
 * Ranks that do the same at the same place; or the same relative to their own number: "MPI_Recv from rank-1".
 */
#ifndef VD_GROUPS_H
#define VD_GROUPS_H

#include "words.h"

struct vd_group {
	char *activity, *place; /**< words.h has what they are; NULL: no memory. place: "" when it is not known */
	int32_t *ranks;         /**< indexes, in the order of the items; of one world and of one enum vd_class */
	size_t n, cap;
	bool last;     /**< behind those that wait */
	bool relative; /**< activity names others relative to each rank's own number */
};

/** Start with all zero; vd_groups_deinit() frees. */
struct vd_groups {
	struct vd_group *v;
	size_t n, cap;
	struct vd_names *names;
	bool no_memory;
};

enum { VD_GROUP_BYTES = 64 };

/**
 * The text of an item.
 *
 * @param relative    other ranks are named relative to the item's own
 * @param[out] group  items are grouped only with those whose text here is the same
 * @param[out] last   it goes behind the others
 * @return the rank that it is of
 */
typedef int32_t (*vd_say_item)(const void *context, size_t i, bool relative, struct vd_text *activity,
			       struct vd_text *place, char group[VD_GROUP_BYTES], bool *last);

/** Group n items by their text, or by their text relative to their ranks. */
void vd_group_items(struct vd_groups *ret, size_t n, vd_say_item say, const void *context);

/** Group all ranks of a job: those that wait first, the others behind them. */
void vd_group_ranks(struct vd_groups *ret, const struct vd_job *job, const struct vd_verdict *v);
void vd_groups_deinit(struct vd_groups *l);

#endif /* VD_GROUPS_H */
