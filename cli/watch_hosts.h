/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch_hosts.h
 * A job on other hosts that is watched: all its hosts are asked again and again (hosts_judged.h), by a child process,
 * so that keys are answered meanwhile. Each look reads the ranks at two moments, and has a verdict.
 */
#ifndef CMD_WATCH_HOSTS_H
#define CMD_WATCH_HOSTS_H

#include "watch.h"

/** Start with all zero; cmd_watch_hosts_deinit() frees. */
struct cmd_watch_hosts {
	bool on;                   /**< the job has other hosts; all else is unused if not */
	pid_t child;               /**< asks; 0: none */
	int snapshot_fd, about_fd; /**< what it writes */
	double next_s;             /**< cmd_watch_now() at which to ask again */
	double started_s;          /**< when the child was started */
	size_t *stuck; /**< indexes in cmd_watch.ranks: confirmed by the last look that they wait for ever, or are
			  missing */
	size_t n_stuck;
	struct cmd_lines problems; /**< of the last look */
};

/**
 * If the job that the options name has other hosts, ask them for the first time.
 *
 * @param[out] w   its ranks; @p o and @p plugin are borrowed until cmd_watch_deinit().
 *                 Its problems say why there are none.
 * @param[out] ret see ret->on: if false, nothing else was done, and cmd_watch_open() opens the job
 * @return CMD_DONE; anything else: there is nothing to watch
 */
enum cmd_exit cmd_watch_hosts_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *w,
				   struct cmd_watch_hosts *ret);

/** Ask again if it is time, and take an answer that has arrived. Does not wait. @return true: an answer was taken */
bool cmd_watch_hosts_round(struct cmd_watch_hosts *h, struct cmd_watch *w);

/** End the child, and release. */
void cmd_watch_hosts_deinit(struct cmd_watch_hosts *h);

#endif /* CMD_WATCH_HOSTS_H */
