/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file starved.h
 * For how long a process is ready to run and gets no processor, by /proc/PID/task/TID/schedstat, while a test does
 * something else.
 */
#ifndef TEST_STARVED_H
#define TEST_STARVED_H

#include <stddef.h>
#include <sys/types.h>

struct starved;

/** Begin to watch some processes, in a thread. */
struct starved *starved_begin(const pid_t *pids, size_t n);

/** End, and release. @return the longest time in seconds that one of them was ready and ran for 2 ms at most */
double starved_end(struct starved *s);

#endif /* TEST_STARVED_H */
