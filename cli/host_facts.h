/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file host_facts.h
 * Facts about a process that only the host can determine: its files, its MPI library, the plugin, permissions.
 */
#ifndef CMD_HOST_FACTS_H
#define CMD_HOST_FACTS_H

#include "../host/host.h"
#include "options.h"
#include "spool.h"

/**
 * Add to the plugin's doctor output: lines of text, or the member "debugger" of the JSON object at the end of the
 * spool. The target is resumed.
 */
void cmd_host_facts(const struct cmd_options *o, const struct host_plugin *plugin, struct host_target *t,
		    struct cmd_spool *out);

#endif /* CMD_HOST_FACTS_H */
