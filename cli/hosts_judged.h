/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hosts_judged.h
 * A job that may be on other hosts, loaded for the analysis.
 */
#ifndef CMD_HOSTS_JUDGED_H
#define CMD_HOSTS_JUDGED_H

#include "judged.h"

#include <stdio.h>

/** How a job is read. */
struct cmd_judging {
	bool keep;      /**< as for cmd_judged_take() */
	bool once;      /**< one reading is enough: the verdict is not wanted. Other hosts read twice nevertheless */
	FILE *snapshot; /**< NULL-able: write what was read here, as mpidbg snapshot does */
};

/** As cmd_judged_take(), for a job that may be on other hosts (hosts.h). */
enum cmd_exit cmd_hosts_judge(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_judging *how,
			      struct cmd_judged *ret);

#endif /* CMD_HOSTS_JUDGED_H */
