/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file partitioned.h
 * Partitioned messages in progress, as the in-target library records them: how many partitions their senders have
 * marked ready. A wait for one is not followed: these are facts for the report.
 */
#ifndef VD_PARTITIONED_H
#define VD_PARTITIONED_H

#include "verdict.h"

struct vd_loading;

/** Load the messages of the rank being loaded into vd_job.partitioned. Its communicators must be loaded already. */
void vd_load_partitioned(struct vd_loading *l, const json_t *process);

/** The message for which the recorded call waits, one that is not complete if it waits for several; -1: none. */
int32_t vd_partitioned_of(const struct vd_loading *l, const json_t *recorded);

/** The send that a partitioned receive of rank @p own waits for;
 * NULL: it is not recorded, or several messages could be meant. */
const struct vd_partitioned *vd_partitioned_send(const struct vd_job *job, int32_t own,
						 const struct vd_partitioned *receive);

#endif /* VD_PARTITIONED_H */
