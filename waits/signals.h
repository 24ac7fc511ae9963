/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file signals.h
 * Signals that a process may get from itself, its timers or its descriptors while all its threads wait.
 */
#ifndef WT_SIGNALS_H
#define WT_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

enum { WT_SIGNAL_BYTES = 24 };

struct wt_signals {
	char own[WT_SIGNAL_BYTES]; /**< one that a timer or a descriptor of the process may send, and for which it has a
				      handler: "SIGALRM", "signal 40", "its timer"; "": none */
	bool children;             /**< it has a handler for the end of its children */
	bool alarm;                /**< SIGALRM is not ignored; whether alarm() was called is not in /proc */
	bool traced;               /**< a debugger may change it */
};

/**
 * Signals that come only from kill() or from errors of the program
 * do not count, nor do those of timers that measure processor time.
 *
 * @return false: its state may not be read
 */
bool wt_signals_read(pid_t pid, struct wt_signals *ret);

#endif /* WT_SIGNALS_H */
