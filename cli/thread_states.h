/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file thread_states.h
 * What the threads of a process did just before it was stopped, and
 * what they wait for, for a snapshot ("threads" in docs/json.md).
 */
#ifndef CMD_THREAD_STATES_H
#define CMD_THREAD_STATES_H

#include "spool.h"

#include "../host/thread_state.h"
#include "../waits/waits.h"

/** What a thread does, found out while its process was stopped. */
struct cmd_doing {
	enum host_doing doing;
	double ends_s;        /**< of HOST_SLEEPS */
	const char *call;     /**< static; NULL: none */
	uint64_t returns_to;  /**< of functions for which vd_returns_count(): the address to which the call returns; 0:
				 unknown */
	uint64_t sends_at[2]; /**< where UCX's functions that send begin; 0: unknown */
};

/** Read the ends of sleeps from a process. @return one for each state, malloc'ed; NULL: no states, or out of memory */
struct cmd_doing *cmd_thread_doings(struct host_target *t, const struct host_thread_state *states, size_t n);

/** Find the addresses to which calls of functions that only wait return, and those of UCX that send. @param doings of
 * cmd_thread_doings() */
void cmd_thread_returns(struct host_target *t, const struct host_thread_state *states, size_t n,
			struct cmd_doing *doings);

/**
 * Write the states as a JSON array, and what the threads wait for.
 *
 * @param states of a live process, n of them; of a core there are none, and only the threads that wait are written
 * @param doings of cmd_thread_doings(); NULL: unknown
 */
void cmd_thread_states_write(const struct host_thread_state *states, const struct cmd_doing *doings, size_t n,
			     const struct wt_waits *waits, struct cmd_spool *out);

/** Write what keeps a process from running as a JSON object: member "kept" in docs/json.md; nothing if nothing does. */
void cmd_kept_write(pid_t pid, struct cmd_spool *out);

#endif /* CMD_THREAD_STATES_H */
