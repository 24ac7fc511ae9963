/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file returns.h
 * Do the ranks on this machine leave their calls of MPI_Probe, MPI_Waitsome and the like between two readings?
 *
 * MPI_Probe leaves no trace in the memory of some MPI libraries, so that two calls look like one. A thread that has not
 * left its call and has run has looked at each message that had arrived by then. MPI_Waitsome leaves those operations
 * that are not complete as they were: a thread that has left it makes progress.
 */
#ifndef CMD_RETURNS_H
#define CMD_RETURNS_H

#include "../verdict/verdict.h"

#include <jansson.h>

/** Why the kernel does not count, or what it needs. @param cause errno, not 0 @return static, or kept by the job */
const char *cmd_returns_why(struct vd_job *job, int cause);

struct cmd_returning; /* a thread */

/** Initialize with zero; cmd_returns_deinit() frees. */
struct cmd_returns {
	struct cmd_returning *threads;
	size_t n;
	bool any_lock; /**< one of them is in MPI_Win_lock */
	bool all_ran;  /**< set by the caller: all ranks have run several times in turn before cmd_returns_settle(), so
			  that the messages by which a lock is granted, which they send in any call, have arrived */
	int cause;     /**< errno of the last thread that cannot be watched; 0: there is none */
};

/** Begin to watch the threads of the first reading whose address of return is known. The ranks run. */
void cmd_returns_begin(struct cmd_returns *r, const struct vd_job *first);

/**
 * From now on count how long they run. Messages that other hosts sent before their first reading must have arrived by
 * then. Without it, that is from the beginning.
 */
void cmd_returns_settle(struct cmd_returns *r);

/** What was counted on this host, for the mpidbg that has asked. */
json_t *cmd_returns_json(const struct cmd_returns *r);

/** Add what was counted on another host. @param host borrowed; as the ranks call it @return false: out of memory */
bool cmd_returns_add(struct cmd_returns *r, const json_t *json, const char *host);

/** Wait until each of them that only waits has run enough or has left its call, at most for some time. */
void cmd_returns_wait(const struct cmd_returns *r, double max_ms);

/**
 * Mark the threads of the second reading that have run and have not left their call since (vd_thread.stays), and the
 * ranks of those that have left one (vd_rank.went_on).
 */
void cmd_returns_apply(const struct cmd_returns *r, struct vd_job *second);

/**
 * Mark the threads whose call of MPI_Probe, MPI_Waitany or MPI_Waitsome, or one at a window, may be another one than at
 * the reading before (vd_thread.may_return); at one moment only MPI_Probe. cmd_returns_apply() does so for those of
 * which nothing is counted.
 */
void cmd_returns_doubt(struct vd_job *job);

void cmd_returns_deinit(struct cmd_returns *r);

#endif /* CMD_RETURNS_H */
