/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file returns.h
 * Count how often a thread passes an address, such as that to which a call returns: a thread that has not passed it is
 * in that call still.
 *
 * The kernel counts with a breakpoint of the processor (perf_event_open(2)). The thread is not stopped, nothing in its
 * memory changes, and nothing is left when this process ends. Permission is needed: that to trace the process, and
 * kernel.perf_event_paranoid of 2 at most, or CAP_PERFMON.
 */
#ifndef HOST_RETURNS_H
#define HOST_RETURNS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/** Set a breakpoint of the processor for a thread. @param attr what is to be counted or sampled; the rest is filled in
 * @return a descriptor, which the caller closes; -1: the kernel refuses (errno) */
int host_breakpoint_open(pid_t tid, uint64_t addr, struct perf_event_attr *attr);

/** Begin to count. @return a descriptor, which the caller closes; -1: the kernel refuses (errno) */
int host_returns_open(pid_t tid, uint64_t addr);

/**
 * Read the counter.
 *
 * @param[out] n      how often the thread has passed the address
 * @param[out] ran_ns the processor time that it has used meanwhile
 * @return false: they are unknown, also if the breakpoint was not set for a part of that time
 */
bool host_returns_read(int fd, uint64_t *n, uint64_t *ran_ns);

#endif /* HOST_RETURNS_H */
