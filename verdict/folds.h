/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file folds.h
 * Many groups of ranks outside MPI that differ only by the line where they are, as one line: "at physics.c:212-225 in
 * flux". The odd one of a thousand ranks then does not stand between a hundred that compute.
 */
#ifndef VD_FOLDS_H
#define VD_FOLDS_H

#include "groups.h"

/** One or several groups. */
struct vd_fold {
	char *place;    /**< of all its groups; NULL: out of memory */
	int32_t *ranks; /**< of all its groups, sorted */
	size_t n;       /**< number of ranks */
	size_t *groups; /**< indexes of its groups; all have the same activity */
	size_t n_groups;
	bool last; /**< as in struct vd_group */
};

/** Start with all zero; vd_folds_deinit() frees. */
struct vd_folds {
	struct vd_fold *v;
	size_t n;
	bool no_memory;
};

/**
 * Fold the groups of ranks that run outside MPI by function, and by file if these are still many; few groups stay as
 * they are. The ranks that wait come first, then the others, those with the most ranks last.
 *
 * @param groups of vd_group_ranks() for the same job and verdict
 */
void vd_fold_groups(struct vd_folds *ret, const struct vd_job *job, const struct vd_verdict *v,
		    const struct vd_groups *groups);
void vd_folds_deinit(struct vd_folds *l);

#endif /* VD_FOLDS_H */
