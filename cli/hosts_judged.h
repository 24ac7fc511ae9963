/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hosts_judged.h
 * A job that may be on other hosts, loaded for the analysis.
 */
#ifndef CMD_HOSTS_JUDGED_H
#define CMD_HOSTS_JUDGED_H

#include "judged.h"

/** As cmd_judged_take(), for a job that may be on other hosts (hosts.h). */
enum cmd_exit cmd_hosts_judge(const struct cmd_options *o, struct host_plugin *plugin, bool keep,
			      struct cmd_judged *ret);

#endif /* CMD_HOSTS_JUDGED_H */
