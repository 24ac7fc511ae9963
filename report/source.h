/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file source.h
 * The input of a report: a snapshot, its verdict, its ranks in
 * groups, and those to look at first. The caller owns all of it.
 */
#ifndef RP_SOURCE_H
#define RP_SOURCE_H

#include "../verdict/folds.h"

struct rp_source {
	const json_t *snapshot;         /**< docs/json.md */
	const json_t *const *processes; /**< a PROCESS (docs/json.md) for each rank of the job, in its order */
	const struct vd_job *job;
	const struct vd_verdict *verdict;
	const struct vd_groups *groups;
	const struct vd_folds *folds; /**< of the groups */
	const int32_t *suspects;      /**< vd_look_at() */
	size_t n_suspects;
	const int32_t *group_of; /**< of each rank: its group */
	char *const *problems;   /**< lines about facts that could not be determined */
	size_t n_problems;
};

/** The group of each rank. @return an index into @p groups for each rank, release with free(); NULL: out of memory. */
int32_t *rp_group_of(const struct vd_job *job, const struct vd_groups *groups);

#endif /* RP_SOURCE_H */
