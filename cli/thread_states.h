/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file thread_states.h
 * What the threads of a process did just before it was stopped, and what they wait for, for a snapshot ("threads" in docs/json.md).
 */
#ifndef CMD_THREAD_STATES_H
#define CMD_THREAD_STATES_H

#include "spool.h"

#include "../host/thread_state.h"
#include "../waits/waits.h"

/**
 * Write the states as a JSON array, and what the threads wait for. Reads the ends of sleeps from the process, which may be stopped
 * meanwhile.
 *
 * @param states of a live process, n of them; of a core there are none, and only the threads that wait are written
 */
void cmd_thread_states_write(struct host_target *t, const struct host_thread_state *states, size_t n,
			     const struct wt_waits *waits, struct cmd_spool *out);

#endif /* CMD_THREAD_STATES_H */
