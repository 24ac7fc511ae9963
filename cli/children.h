/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file children.h
 * What the children do for which a rank may wait.
 */
#ifndef CMD_CHILDREN_H
#define CMD_CHILDREN_H

#include "job.h"

#include <jansson.h>

/** Reads children of the ranks of a job, one rank after the other, until it has taken too long. */
struct cmd_children {
	const struct cmd_options *o;
	struct host_plugin *plugin;
	const struct cmd_job *job; /**< its processes are no children */
	double until_ms;
};

/** Begin. It stops the children for a moment, as it does ranks, so call it when nothing about them is to be compared
 * with what they do later. */
void cmd_children_begin(struct cmd_children *c, const struct cmd_options *o, struct host_plugin *plugin,
			const struct cmd_job *job);

/**
 * Add the member "children" (docs/json.md) to a live process of a snapshot, if one of its threads waits, outside MPI,
 * for another process or a lock of Python, and it has children. Those of another user are not read.
 */
void cmd_children_add(const struct cmd_children *c, const struct cmd_proc *p, json_t *process);

#endif /* CMD_CHILDREN_H */
