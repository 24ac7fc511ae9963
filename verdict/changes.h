/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file changes.h
 * Differences between two snapshots of one job: ranks that have made progress, ranks that have not, messages that have
 * arrived; and the conclusion whether the job is stuck, slow, or spinning.
 *
 * A rank that repeats the same actions cannot be distinguished from one without progress, unless its calls are counted
 * (by the in-target library, in the snapshot's "recorded_calls").
 */
#ifndef VD_CHANGES_H
#define VD_CHANGES_H

#include "groups.h"
#include "text.h"

/** How a rank has changed. */
enum vd_change {
	VD_SAME,     /**< in the same call at the same place, with the same operations */
	VD_WENT_ON,  /**< something has changed */
	VD_POLLS,    /**< calls MPI_Test, MPI_Iprobe ... repeatedly without a result */
	VD_COMPUTES, /**< runs in the same function, and makes no MPI call */
	VD_FINISHED, /**< it has exited, or finalized MPI, between the two snapshots */
	VD_OVER_NOW, /**< it had ended before the first snapshot */
	VD_OTHER,    /**< another process has this rank now */
	VD_NOT_KNOWN /**< not in both snapshots, or not read */
};

enum vd_progress {
	VD_STUCK,     /**< no rank has moved */
	VD_SPINNING,  /**< ranks run, but none makes progress */
	VD_SLOW,      /**< some have made progress, others have not */
	VD_GOES_ON,   /**< all known ranks have made progress or finished */
	VD_TOO_LITTLE /**< too little is known of every rank in one of the snapshots */
};

/** A snapshot that was loaded and analyzed, with its ranks in groups. Owned by the caller. */
struct vd_seen {
	const struct vd_job *job;
	const struct vd_verdict *verdict;
	const struct vd_groups *groups;
};

/** Ranks with the same change. */
struct vd_change_group {
	uint8_t change;        /**< enum vd_change */
	int32_t before, after; /**< groups in the two snapshots; -1: not in that one */
	int32_t *ranks;        /**< indexes in the later snapshot, or, if after is -1, in the earlier one; increasing */
	size_t n;
	int64_t calls_min, calls_max; /**< number of MPI calls made between the two; -1: not known */
};

/** Initialize with zero; vd_changes_deinit() frees. */
struct vd_changes {
	struct vd_seen before, after;
	struct vd_change_group *v;
	size_t n;
	struct vd_names *names;
	size_t n_of[VD_NOT_KNOWN + 1]; /**< number of ranks with each change */
	size_t n_arrived;              /**< messages that have arrived since and are not received yet */
	size_t n_received, n_sent;     /**< pending receives and sends that have completed since */
	uint8_t progress;              /**< enum vd_progress */
	int64_t seconds;               /**< time between the two; -1: not known */
	bool no_memory;
};

/** Compare two snapshots of one job. @param seconds time between them; -1: not known */
void vd_changes_find(struct vd_changes *ret, const struct vd_seen *before, const struct vd_seen *after,
		     int64_t seconds);
void vd_changes_deinit(struct vd_changes *c);

/** "stuck", "spinning without progress", "slow", "going on", "not known" */
const char *vd_progress_text(enum vd_progress progress);

/** "slow: 1 of 3 ranks has made progress in 2 s; ranks [0,2] have not" */
void vd_changes_sentence(struct vd_text *t, const struct vd_changes *c);

/**
 * Print as text: a line for each group, the messages, and a concluding sentence. Not more than 60 lines, unless the
 * later job has every_line; those with ranks that its verdict names are among them.
 */
void vd_changes_print(const struct vd_changes *c, FILE *out);

/** The same as a JSON object, a new reference; NULL: out of memory. */
json_t *vd_changes_json(const struct vd_changes *c);

#endif /* VD_CHANGES_H */
