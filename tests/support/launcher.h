/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launcher.h
 * Common parts of every start of an MPI launcher by a test: its environment, the priority of its ranks, and its
 * end without leaving a process.
 */
#ifndef TEST_LAUNCHER_H
#define TEST_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Timeout in seconds for a job to become ready or to end. Long,
 * because it is for programs that hang, not for a busy machine. */
enum { LAUNCHER_WAIT_S = 240 };

/**
 * Set the environment common to all launchers of a test: jobs that connect to each other must use the same network
 * interface. Call it in the child, or in a program that starts launchers through a shell.
 */
void launcher_environment(void);

/** Let Open MPI's launchers start more ranks than processors, for tests that do not pass --oversubscribe. */
void launcher_oversubscribe(void);

/**
 * Can Open MPI's launcher start several programs ("a : b")? That of Debian 13's 5.0.7 crashes on every such
 * command line, in a component of its PMIx (open-mpi/ompi issue 13303). If so, prints that once per process.
 */
bool launcher_takes_several(void);

/**
 * Do ranks reach each other if Open MPI's launcher is told that this machine is two hosts (tests/support/host_agent)?
 * Those of 6.0.0rc2 do not: its btl/tcp finds no path between them. If so, prints that once per process.
 */
bool launcher_reaches_hosts(void);

/**
 * If it crashes, exclude that component through the environment: the launcher then starts several programs, but
 * ranks have no OMPI_ variables, from which the in-target library knows its place in the job. Otherwise does
 * nothing. Ranks are numbered in the order of the command line.
 */
void launcher_make_take_several(void);

/**
 * For the child, between fork and exec: it is sent SIGTERM when the test dies, its ranks may run as root, and
 * nothing is preloaded into it (libraries preloaded into a sanitized test must not be loaded into a job). Open MPI's
 * TCP transport uses only the loopback interface.
 *
 * @param test process id of the test
 */
void launcher_child(pid_t test);

/**
 * For the child or the test that starts a launcher: ranks that wait sleep between polls (tests/programs/idle/idle.c
 * is preloaded). Not for tests of preloading, of the speed of communication, or of a debugger's stack.
 */
void launcher_ranks_sleep(void);

/**
 * Lower the priority of all threads of all descendants of the launcher, because ranks that wait poll and would
 * take the processors from the test. Call it when the job is ready: a launch at low priority may take minutes next
 * to busy programs. Processes spawned later keep their priority.
 */
void launcher_give_way(pid_t launcher);

/**
 * End a job: kill its ranks, then ask the launcher to end, and kill it after ten seconds. Its daemons (orted,
 * proxies) get another ten seconds to notice that it has ended. On return the launcher, its descendants and these
 * ranks have ended; they may be zombies if their parents have not waited for them.
 *
 * @param launcher child of the caller; 0: it has ended
 * @param ranks    pids of known ranks; the launcher ends the others. Pids below 2 are skipped.
 */
void launcher_stop(pid_t launcher, const pid_t *ranks, size_t n);

#endif /* TEST_LAUNCHER_H */
