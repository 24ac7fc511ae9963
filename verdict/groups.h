/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file groups.h
 * Groups of ranks that do the same at the same place, also relative to their own number: "MPI_Recv from rank-1".
 */
#ifndef VD_GROUPS_H
#define VD_GROUPS_H

#include "words.h"

struct vd_group {
	char *activity, *place; /**< vd_append_activity(), vd_append_place(); NULL: out of memory */
	int32_t *ranks;         /**< indexes, in the order of the items; all of one world and one enum vd_class */
	size_t n;
	bool last;     /**< sorted after the ranks that wait */
	bool relative; /**< the activity names other ranks relative to each rank's own number */
};

/** Start with all zero; vd_groups_deinit() frees. */
struct vd_groups {
	struct vd_group *v;
	size_t n;
	struct vd_names *names;
	bool no_memory;
};

enum { VD_GROUP_BYTES = 64 };

/**
 * The text of an item.
 *
 * @param relative    name other ranks relative to the rank of the item
 * @param[out] group  items are grouped only with items that have the same text here
 * @param[out] last   sort it after the others
 * @return the rank to which it belongs
 */
typedef int32_t (*vd_item_text)(const void *context, size_t i, bool relative, struct vd_text *activity,
				struct vd_text *place, char group[VD_GROUP_BYTES], bool *last);

/** Group n items by their text, or by their text relative to their ranks. */
void vd_group_items(struct vd_groups *ret, size_t n, vd_item_text text, const void *context);

/** Group all ranks of a job: waiting ranks first. */
void vd_group_ranks(struct vd_groups *ret, const struct vd_job *job, const struct vd_verdict *v);
void vd_groups_deinit(struct vd_groups *l);

#endif /* VD_GROUPS_H */
