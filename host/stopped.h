/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stopped.h
 * Threads as they were when the process was stopped, or as its core has them: system calls and frames.
 */
#ifndef HOST_STOPPED_H
#define HOST_STOPPED_H

#include "unwind.h"

struct host_stopped {
	pid_t tid;
	int64_t call;     /**< number of the system call in which it waits; -1: it is in none, or unknown */
	uint64_t args[6]; /**< of the call, or of one that has just ended; of
			   * restart_syscall, those of the call that it continues */
	const struct host_frame *frames; /**< innermost first; borrowed, valid as long as host_threads() */
	size_t n_frames;
	uint64_t return_addr; /**< to which the MPI function returns; 0: it is in none, or unknown */
};

/** The i-th thread. Call host_threads() first. @return false: there are not so many. */
bool host_stopped_thread(struct host_target *t, size_t i, struct host_stopped *ret);

/**
 * The system call in which a thread waits, from its registers. For x86-64 and aarch64.
 *
 * @return false: it is in none, it has just ended, or the machine is not supported; @p call is not changed
 */
bool host_regs_call(struct host_target *t, const struct host_regs *regs, int64_t *call, uint64_t args[6]);

/**
 * The reverse for a process of this machine: the few registers that /proc/PID/task/TID/syscall has, as if the call had
 * been interrupted. Of a machine that is not supported none.
 */
void host_regs_of_call(long number, const unsigned long long args[6], uint64_t sp, uint64_t pc, struct host_regs *ret);

#endif /* HOST_STOPPED_H */
