/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file seen.h
 * A job on all its hosts as it was seen at one time, analyzed, to be shown or compared with another time.
 */
#ifndef CMD_SEEN_H
#define CMD_SEEN_H

#include "../verdict/changes.h"
#include "hosts_judged.h"

/** Start with all zero; cmd_seen_deinit() frees. */
struct cmd_seen {
	struct cmd_judged judged;
	struct vd_verdict verdict;
	struct vd_groups groups;
	double at_s; /**< host_now_ms(), in seconds */
	int rc;      /**< an enum cmd_exit, without the verdict */
	bool ok;     /**< there is a verdict */
};

/**
 * Look at the target that the options name.
 *
 * @param how     see hosts_judged.h
 * @param command name of the subcommand, for the message that there is no memory
 */
void cmd_seen_take(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_judging *how,
		   const char *command, struct cmd_seen *ret);

/**
 * What has changed between two that are ok.
 *
 * @param timed the result has the time between them
 * @param ret all zero; vd_changes_deinit() frees it
 */
void cmd_seen_compare(const struct cmd_seen *first, const struct cmd_seen *last, bool timed, struct vd_changes *ret);

/** The exit code that tells the verdict of one that is ok. */
int cmd_seen_exit(const struct cmd_seen *s);

/** Release. Leaves all zero. */
void cmd_seen_deinit(struct cmd_seen *s);

#endif /* CMD_SEEN_H */
