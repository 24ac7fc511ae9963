/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file kept.h
 * What keeps a process from running, from /proc and the control groups (cgroups) of the kernel.
 */
#ifndef WT_KEPT_H
#define WT_KEPT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WT_KEPT_BYTES = 240 };

/** Begins the text about a process that a debugger has stopped, and has let go for this question. */
#define WT_BY_DEBUGGER "stopped by the debugger "

struct wt_kept {
	char why[WT_KEPT_BYTES]; /**< "frozen by its cgroup /job", "traced by process 4711 (gdb)"; "": nothing is known.
				    With unquoted bytes of names */
	int64_t throttled_ms; /**< for so long its cgroups have had no processor for their quota so far; -1: unknown */
	int64_t swapped_kb;   /**< so much of it is in the swap space; -1: unknown */
};

/** Read what keeps a process of this machine. What may not be
 * read is unknown. A tracer that is this process does not count. */
void wt_kept_read(pid_t pid, struct wt_kept *ret);

/** What the text of /proc/PID/status says of that. @param status NULL: it cannot be read */
void wt_kept_of_status(const char *status, struct wt_kept *ret);

#endif /* WT_KEPT_H */
