/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file thread_states.h
 * What the threads of a process did just before it was stopped, for a snapshot ("threads" in docs/json.md).
 */
#ifndef CMD_THREAD_STATES_H
#define CMD_THREAD_STATES_H

#include "spool.h"

#include "../host/thread_state.h"

/** Write the states as a JSON array. Reads the ends of sleeps from the process, which may be stopped meanwhile. */
void cmd_thread_states_write(struct host_target *t, const struct host_thread_state *states, size_t n,
			     struct cmd_spool *out);

#endif /* CMD_THREAD_STATES_H */
