/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch.h
 * A live job that is read repeatedly: its processes remain open, and are stopped one at a time, only while they
 * are read. The processor time is limited: if not all ranks can be read within it, they are read in turn.
 * Processes that the job spawns or connects to are found at the next search.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include "../verdict/groups.h"
#include "answer.h"

#include <jansson.h>

struct cmd_watched {
	struct cmd_proc *proc;            /**< owned by one of the collected jobs */
	struct cmd_process_query *asking; /**< NULL: it has ended, or cannot be opened */
	struct cmd_answer answer;
	json_t *process; /**< the last reading; NULL: not read yet */
	uint64_t print;  /**< fingerprint of its activity in that reading */
	double since_s;  /**< cmd_watch_now() when it was first seen in this activity */
	double seen_s;   /**< cmd_watch_now() when it was last read */
	int64_t world;   /**< number of its world */
	bool ended;
};

/** Start with all zero; cmd_watch_deinit() frees. */
struct cmd_watch {
	const struct cmd_options *o;
	struct host_plugin *plugin;
	struct cmd_job job;
	struct cmd_job **later; /**< later collections with new processes, which they own */
	size_t n_later;
	struct cmd_watched **ranks; /**< separate allocations, because queries point to them */
	size_t n, next;             /**< next: index of the rank that is read next */
	int64_t n_worlds;
	double collect_s; /**< time of the next collection */
};

/** The last readings of all ranks, in groups. Start with all zero; cmd_view_deinit() frees. */
struct cmd_view {
	struct vd_job job;
	struct vd_verdict verdict;
	struct vd_groups groups;
	size_t *watched; /**< of each rank of the job: its index in cmd_watch.ranks */
};

/** Seconds of a monotonic clock. */
double cmd_watch_now(void);

/** Find the job's processes and open them; @p o and @p plugin are borrowed until cmd_watch_deinit(). @return
 * CMD_DONE; otherwise there is nothing to watch, and the problems say why */
enum cmd_exit cmd_watch_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *ret);

/** Read ranks until @p budget_s of processor time are used, or all have been read once; at least one. */
void cmd_watch_round(struct cmd_watch *w, double budget_s);

/**
 * Look for new processes of the job, but so rarely that it costs less than a hundredth of a processor. A failed
 * search is repeated.
 */
void cmd_watch_collect(struct cmd_watch *w);

/**
 * The index of a watched process; cmd_watch.n: it is not watched.
 * @param from where to begin to look: processes come in the same order each time
 */
size_t cmd_watch_find(const struct cmd_watch *w, int64_t pid, const char *host, size_t from);

/**
 * Take a reading that was made on another host: of a process that is watched, or of a new one.
 *
 * @param process a process of a snapshot; a reference is kept, and its world_number is set
 * @param from    as for cmd_watch_find()
 * @return its index; cmd_watch.n: out of memory
 */
size_t cmd_watch_take(struct cmd_watch *w, json_t *process, int64_t world, size_t from);

/** A process of another host has ended. */
void cmd_watch_end(struct cmd_watch *w, size_t i);

/** Number of processes that have not ended. */
size_t cmd_watch_running(const struct cmd_watch *w);

/** Group the last readings. Also finds the ranks whose state has changed. @return false: out of memory */
bool cmd_watch_view(struct cmd_watch *w, struct cmd_view *ret);
void cmd_view_deinit(struct cmd_view *v);
void cmd_watch_deinit(struct cmd_watch *w);

#endif /* CMD_WATCH_H */
