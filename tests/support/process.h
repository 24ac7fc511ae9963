/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file process.h
 * Reads /proc/PID/stat of a process, the only such reader in the tests; and system calls that fail.
 */
#ifndef TEST_PROCESS_H
#define TEST_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct process_stat {
	char state; /**< 'R', 'S', 'T', 't', 'Z' ... */
	pid_t parent;
	unsigned long ticks;        /**< processor time that it has used, user and system */
	unsigned long long started; /**< when it was started, in ticks since the start of the system */
};

/** @return false: there is no such process; @p ret untouched */
bool process_stat(pid_t pid, struct process_stat *ret);

/** Its state; 0: there is no such process. */
char process_state(pid_t pid);

/** From now on a system call fails in this process and those that it starts. @param call SYS_... */
void process_forbid(unsigned call, unsigned error);

#endif /* TEST_PROCESS_H */
