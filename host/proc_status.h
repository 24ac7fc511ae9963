/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file proc_status.h
 * The text of /proc/PID/status: "Name:\tring", "TracerPid:\t0" ...
 */
#ifndef HOST_PROC_STATUS_H
#define HOST_PROC_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** @return malloc'ed; NULL: there is no such process */
char *host_status_read(pid_t pid);

/** The value of a field, cut to @p size. @param status NULL: none @return false: there is no such field */
bool host_status_field(const char *status, const char *name, char *ret, size_t size);

#endif /* HOST_PROC_STATUS_H */
