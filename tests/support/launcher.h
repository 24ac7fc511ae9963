/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launcher.h
 * What every start of an MPI launcher by a test has in common: how it begins, how its ranks yield to the processes
 * that read them, and how it ends without leaving a process.
 */
#ifndef TEST_LAUNCHER_H
#define TEST_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Seconds until a job has to be ready, or to have ended. Generous: it is for programs that hang, not for a busy
 * machine. */
enum { LAUNCHER_WAIT_S = 240 };

/**
 * Set the environment that all launchers of a test have in common: jobs that connect to each other have to use the same network
 * interface. Called in the child, or by a program that starts launchers through a shell.
 */
void launcher_environment(void);

/** Let Open MPI's launchers start more ranks than there are processors, in a test that does not say --oversubscribe. */
void launcher_oversubscribe(void);

/**
 * Can Open MPI's launcher be given several programs ("a : b")? That of Debian 13's 5.0.7 crashes on every such command line, in a
 * component of its PMIx (open-mpi/ompi issue 13303). If it does, prints that, once a process.
 */
bool launcher_takes_several(void);

/**
 * Where it crashes, let the environment leave that component out: the launcher then takes several programs, but ranks have no OMPI_
 * variables, by which the in-target library knows its place in the job. Elsewhere nothing is done. Ranks are numbered in the order
 * of the command line.
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
 * For the child or the test that starts a launcher: ranks that wait sleep between polls (tests/programs/idle/idle.c is preloaded).
 * Not for tests of preloading, of the speed of communication, or of a debugger's stack.
 */
void launcher_ranks_sleep(void);

/**
 * The job is ready: from now on what descends from its launcher, all threads of it, has a lower priority than the
 * programs that read it. Ranks that wait poll, and would take the processors from the test. Not before: a launch at
 * low priority may take minutes beside busy programs. What is spawned later keeps its priority.
 */
void launcher_give_way(pid_t launcher);

/**
 * End a job: kill its ranks, then ask the launcher to end, and kill it after ten seconds. Its daemons (orted, proxies) get
 * another ten seconds to notice that it has ended. On return neither the launcher nor a process that descended from it nor one
 * of these ranks runs; those that others have still to wait for may be zombies.
 *
 * @param launcher child of the caller; 0: it has ended
 * @param ranks    those that are known; the launcher ends the others. Ids below 2 are skipped.
 */
void launcher_stop(pid_t launcher, const pid_t *ranks, size_t n);

#endif /* TEST_LAUNCHER_H */
