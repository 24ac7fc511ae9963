/* SPDX-License-Identifier: BSD-3-Clause */
#include "returns.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel of x86 wants the size of a long for a breakpoint of code, that of aarch64 the size of an instruction. */
#if defined(__aarch64__)
enum { CODE_BYTES = 4 };
#else
enum { CODE_BYTES = sizeof(long) };
#endif

int host_breakpoint_open(pid_t tid, uint64_t addr, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->size = sizeof(*attr);
	attr->bp_type = HW_BREAKPOINT_X;
	attr->bp_addr = addr;
	attr->bp_len = CODE_BYTES;
	attr->exclude_kernel = attr->exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int host_returns_open(pid_t tid, uint64_t addr)
{
	struct perf_event_attr attr = {
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = 1,
	};

	return host_breakpoint_open(tid, addr, &attr);
}

bool host_returns_read(int fd, uint64_t *n, uint64_t *ran_ns)
{
	struct {
		uint64_t n, enabled_ns, running_ns;
	} counter;

	if (read(fd, &counter, sizeof(counter)) != (ssize_t)sizeof(counter) || counter.enabled_ns != counter.running_ns)
		return false;
	*n = counter.n;
	*ran_ns = counter.running_ns;
	return true;
}
