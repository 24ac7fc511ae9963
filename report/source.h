/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file source.h
 * What a report is made from: a snapshot, its judgement, and its ranks in groups. All of it is the caller's.
 */
#ifndef RP_SOURCE_H
#define RP_SOURCE_H

#include "../verdict/groups.h"

struct rp_source {
	const json_t *snapshot;         /**< docs/json.md */
	const json_t *const *processes; /**< of each rank of the job, in its order: a PROCESS */
	const struct vd_job *job;
	const struct vd_verdict *verdict;
	const struct vd_groups *groups;
	const int32_t *group_of; /**< of each rank: its group */
	char *const *problems;   /**< what could not be found out, a line each */
	size_t n_problems;
};

/** The group of each rank. @return of each rank an index into @p groups, free(); NULL without memory. */
int32_t *rp_group_of(const struct vd_job *job, const struct vd_groups *groups);

#endif /* RP_SOURCE_H */
