/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ended.h
 * Ranks of a job that have ended: the launcher's process that
 * had started them has fewer ranks left than it has started.
 */
#ifndef HOST_ENDED_H
#define HOST_ENDED_H

#include "proclist.h"

/**
 * Add to a job the ranks of one MPI_COMM_WORLD that have ended.
 *
 * Nothing is added if that is not certain: if the ranks of this machine were not all started by one process, if that
 * process has a child whose rank is unknown, or if the number of the missing rank is. A rank whose script goes on has
 * not ended here.
 *
 * @param members its processes, one for each rank, sorted by rank
 * @return false: out of memory
 */
bool host_ended_find(const struct host_proclist *list, struct host_process *const *members, size_t n,
		     struct host_job *job);

#endif /* HOST_ENDED_H */
