/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stall.h
 * A watchdog thread: has the program finished an MPI call in the last N seconds?
 *
 * A stall is: no thread has finished a call for N seconds, and one is in a call. It is told as the event mpi2dd_stall,
 * once until a call is finished again; and to mpi2dd-run --hang, which judges the whole job (run/watch.h). Time in
 * which the process itself did not run (a debugger, SIGSTOP) does not count. A loop of MPI_Test finishes calls, and is none.
 * Threads beyond the registry's capacity (threads.h) are not seen: then nothing is said.
 *
 * The thread exists while a stall or hang interval is set. It blocks signals and calls nothing of MPI; callbacks of the event run
 * in it, and must be registered for MPI_T_CB_REQUIRE_THREAD_SAFE or higher.
 */
#ifndef MPIT_STALL_H
#define MPIT_STALL_H

#pragma GCC visibility push(hidden)

/** The control variable MPI2DD_STALL_SECONDS: 0 is off. */
extern int mpit_stall_seconds;

/** What mpi2dd-run --hang has asked for; 0: nothing. Only read: the control variable MPI2DD_HANG. */
extern int mpit_hang_seconds;

/**
 * Set it, at any time.
 *
 * @return MPI_SUCCESS; MPI_T_ERR_INVALID: negative; MPI_T_ERR_MEMORY: no thread could be started, and it is as it was.
 */
int mpit_stall_set(int seconds);

/** Before the real MPI_Init: begin what the environment asks for (MPI2DD_STALL_SECONDS, MPI2DD_HANG). Keeps errno. */
void mpit_stall_begin(void);

#pragma GCC visibility pop

#endif /* MPIT_STALL_H */
