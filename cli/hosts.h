/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hosts.h
 * Asks mpidbg agent on all hosts of a job (plan.h, hosts/gather.h).
 *
 * Each host has its own first and second moment. A state that a rank has at both of its
 * moments is one that it had in between, so states of different hosts may be compared only if
 * there is a time between the two moments of all of them. If there is none, because a host was
 * slow to start or its clock differs, all hosts are asked again with more time in between.
 */
#ifndef CMD_HOSTS_H
#define CMD_HOSTS_H

#include "parts.h"
#include "plan.h"
#include "returns.h"

#include "../hosts/gather.h"

#include <jansson.h>

/** A host's moments, in seconds of CLOCK_REALTIME of this machine, as far as its clock can be believed. */
struct cmd_window {
	int64_t started;      /**< when its agent was started, in its parts, too; 0: unknown */
	double first, second; /**< the end of the first reading, the beginning of the second */
	bool clock;           /**< the clock is ours */
	bool any;             /**< it has ranks */
	bool left_out;        /**< it has no time in common with the others */
};

/** Start with all zero; cmd_hosts_deinit() frees. */
struct cmd_hosts {
	struct cmd_plan plan; /**< n_hosts 0: the job is on this machine */
	struct hs_answers answers;
	struct cmd_window *windows; /**< one for each host */
	size_t n_answered;          /**< hosts whose ranks count as read */
	double cpu_s;               /**< processor time of the agent that has used most */
};

/**
 * Ask the hosts of the job that the options name, if there are others than this one.
 *
 * @param show  the subcommand whose answers are wanted, "queues"; NULL: two snapshots
 * @param[out] problems hosts that did not answer, and why there is nothing
 * @return CMD_DONE: see ret->plan.n_hosts; anything else: there is nothing, and problems says why
 */
enum cmd_exit cmd_hosts_ask(const struct cmd_options *o, struct host_plugin *plugin, const char *show,
			    struct cmd_lines *problems, struct cmd_hosts *ret);

/**
 * The snapshots of all hosts, merged. They use the texts of the answers.
 *
 * @param[out] problems what is wrong with them, and, of the first snapshots, their own
 */
void cmd_hosts_parts(const struct cmd_hosts *h, bool second, struct cmd_lines *problems, struct cmd_parts *ret);

/**
 * Add which calls have returned between the two readings of each host, as far as it was counted there.
 *
 * @param keep an array to which the texts are added that @p ret uses
 * @return false: out of memory
 */
bool cmd_hosts_returns(const struct cmd_hosts *h, json_t *keep, struct cmd_returns *ret);

/** Release. Leaves all zero. */
void cmd_hosts_deinit(struct cmd_hosts *h);

#endif /* CMD_HOSTS_H */
