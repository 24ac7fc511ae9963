/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file arguments.h
 * The arguments with which a thread calls a function again and again, such as one that it polls.
 *
 * The kernel samples the registers whenever the thread passes the first instruction of the function, with a breakpoint
 * of the processor (perf_event_open(2)); after HOST_CALLS_MAX calls it stops sampling. The thread is not stopped,
 * nothing in its memory changes, and nothing is left when this process ends. For x86-64 and aarch64. Permission is
 * needed as for returns.h, and memory that may be locked (RLIMIT_MEMLOCK, kernel.perf_event_mlock_kb): two pages each.
 */
#ifndef HOST_ARGUMENTS_H
#define HOST_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HOST_CALLS_MAX = 16, HOST_ARGUMENTS = 5 };

/** The first arguments of one call, if they are integers or pointers. */
struct host_arguments {
	uint64_t v[HOST_ARGUMENTS];
};

struct host_calls; /* a thread whose calls are sampled */

/** Begin to sample. @return NULL: the kernel refuses, or the machine is another one (errno); host_calls_close() */
struct host_calls *host_calls_open(pid_t tid, uint64_t entry);

/** The calls since then. @return how many, at most HOST_CALLS_MAX */
size_t host_calls_read(const struct host_calls *c, struct host_arguments ret[HOST_CALLS_MAX]);

/** Takes NULL. */
void host_calls_close(struct host_calls *c);

#endif /* HOST_ARGUMENTS_H */
