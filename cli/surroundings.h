/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file surroundings.h
 * Facts about a process that only the host knows: its files, its MPI library, the plugin, permissions.
 */
#ifndef CMD_SURROUNDINGS_H
#define CMD_SURROUNDINGS_H

#include "../host/host.h"
#include "options.h"
#include "spool.h"

/** The MPI library that a process has loaded: "Open MPI", "MPICH" ..., static; NULL: none that is known. */
const char *cmd_which_mpi(struct host_target *t);

/**
 * Add to the output of the plugin's doctor: lines of text, or the member "debugger" of the JSON object that the spool
 * ends with. The target may run again.
 */
void cmd_surroundings(const struct cmd_options *o, const struct host_plugin *plugin, struct host_target *t,
		      struct cmd_spool *out);

#endif /* CMD_SURROUNDINGS_H */
