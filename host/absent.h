/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file absent.h
 * Why /proc does not show a process.
 */
#ifndef HOST_ABSENT_H
#define HOST_ABSENT_H

#include "host.h"

/** Is /proc there, with the processes of this PID name space? Otherwise the text says what to do. */
enum host_errc host_proc_there(struct host_error *err);

/**
 * The error of a process that /proc does not show: there is none (HOST_ABSENT), there is one that it hides
 * (HOST_DENIED), or there is no /proc (HOST_UNREADABLE).
 *
 * @param what the word before the number: "process", "job"
 */
enum host_errc host_error_absent(const char *what, pid_t pid, struct host_error *err);

#endif /* HOST_ABSENT_H */
