/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch.h
 * A live job that is looked at again and again: its processes stay open, and are stopped one at a time, each for as long as it
 * takes to read it. How much of a processor that may cost is bounded: when there are more ranks than can be read within it, they
 * are read in turn.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include "../verdict/groups.h"
#include "answer.h"

#include <jansson.h>

struct cmd_watched {
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
	struct cmd_job job;
	struct cmd_watched *ranks; /**< of each of the job's processes */
	size_t n, next;            /**< next: the one that is read next */
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

/** Find the job's processes and open them. @return CMD_DONE, or why there is nothing to watch; its problems say so */
enum cmd_exit cmd_watch_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *ret);

/** Read ranks until @p budget_s of processor time are used, or all have been read once; at least one. */
void cmd_watch_round(struct cmd_watch *w, double budget_s);

/** How many have not ended. */
size_t cmd_watch_running(const struct cmd_watch *w);

/** Group what was last read. Also finds out who does something else than before. @return false: no memory */
bool cmd_watch_view(struct cmd_watch *w, struct cmd_view *ret);
void cmd_view_deinit(struct cmd_view *v);
void cmd_watch_deinit(struct cmd_watch *w);

#endif /* CMD_WATCH_H */
