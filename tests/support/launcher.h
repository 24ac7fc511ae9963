/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launcher.h
 * What every start of an MPI launcher by a test has in common: how it begins, how its ranks give way to those that look at
 * them, and how it ends without leaving a process.
 */
#ifndef TEST_LAUNCHER_H
#define TEST_LAUNCHER_H

#include <stddef.h>
#include <sys/types.h>

/** Seconds until a job has to be ready, or to have ended. Generous: it is for what hangs, not for a machine that is busy. */
enum { LAUNCHER_WAIT_S = 240 };

/**
 * For the child, between fork and exec: it is sent SIGTERM when the test dies, its ranks may run as root, and
 * nothing is preloaded into it (what is preloaded into a sanitized test has no place in a job). Open MPI's TCP transport uses
 * the loopback interface alone.
 *
 * @param test process id of the test
 */
void launcher_child(pid_t test);

/**
 * The job is ready: from now on what descends from its launcher, all threads of it, has a lower priority than the programs
 * that look at it. Ranks that wait poll, and would take the processors from the test. Not before: a launch at low priority
 * may take minutes beside busy programs. What is spawned later keeps its priority.
 */
void launcher_give_way(pid_t launcher);

/**
 * End a job: kill its ranks, then ask the launcher to end, and kill it after ten seconds. On return neither the launcher nor
 * one of these ranks runs; ranks that others have still to wait for may be zombies.
 *
 * @param launcher child of the caller; 0: it has ended
 * @param ranks    those that are known; the launcher ends the others. Ids below 2 are skipped.
 */
void launcher_stop(pid_t launcher, const pid_t *ranks, size_t n);

#endif /* TEST_LAUNCHER_H */
