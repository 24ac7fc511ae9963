/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch.h
 * A live job that is read repeatedly: its processes remain open, and are stopped one at a time, each for as long as it
 * takes to read it. How much of a processor that may cost is bounded: when there are more ranks than can be read
 * within it, they are read in turn. Processes that the job spawns or connects to are found at the next search.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include "../verdict/groups.h"
#include "answer.h"

#include <jansson.h>

struct cmd_watched {
	struct cmd_proc *proc;     /**< of one of the jobs that were collected */
	struct cmd_asking *asking; /**< NULL: it has ended, or cannot be opened */
	struct cmd_answer answer;
	json_t *process; /**< as it was last read; NULL: not yet */
	uint64_t print;  /**< what it did then */
	double since_s;  /**< seconds (of cmd_watch_now()) when it was first seen to do that */
	double seen_s;   /**< when it was last read */
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
	struct cmd_watched **ranks; /**< each process by itself: what reads it points to it */
	size_t n, next;             /**< next: the one that is read next */
	int64_t n_worlds;
	double collect_s; /**< time of the next collection */
};

/** All ranks as they were last read, in groups. Start with all zero; cmd_view_deinit() frees. */
struct cmd_view {
	struct vd_job job;
	struct vd_verdict verdict;
	struct vd_groups groups;
	size_t *watched; /**< of each rank of the job: its index in cmd_watch.ranks */
};

/** Seconds of a clock that only goes forward. */
double cmd_watch_now(void);

/** Find the job's processes and open them; @p o and @p plugin are borrowed until cmd_watch_deinit(). @return
 * CMD_DONE, or why there is nothing to watch; its problems say so */
enum cmd_exit cmd_watch_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *ret);

/** Read ranks until @p budget_s of processor time are used, or all have been read once; at least one. */
void cmd_watch_round(struct cmd_watch *w, double budget_s);

/**
 * Look for processes that are new in the job, unless that was done a short while ago: so seldom that it costs less
 * than a hundredth of a processor. What cannot be found is tried again.
 */
void cmd_watch_collect(struct cmd_watch *w);

/** How many have not ended. */
size_t cmd_watch_running(const struct cmd_watch *w);

/** Group the last results. Also finds the ranks whose state has changed. @return false: out of memory */
bool cmd_watch_view(struct cmd_watch *w, struct cmd_view *ret);
void cmd_view_deinit(struct cmd_view *v);
void cmd_watch_deinit(struct cmd_watch *w);

#endif /* CMD_WATCH_H */
