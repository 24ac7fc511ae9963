/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file stall.h
 * A watchdog thread that checks whether the program has finished an MPI call in the last N seconds.
 *
 * A stall means: no thread has finished a call for N seconds, and at least one is inside a call. It is reported as the
 * event mpi2dd_stall, once until a call finishes again; and to mpi2dd-run --hang, which decides about the whole job
 * (run/hub.c). Time in which the process itself did not run (stopped by a debugger or SIGSTOP) does not count. A loop
 * of MPI_Test finishes calls, so it is not a stall. Threads beyond the registry's capacity (threads.h) are not seen:
 * nothing is reported then.
 *
 * The thread exists while a stall or hang interval is set. It blocks signals and makes no MPI calls. Callbacks of the
 * event run in it, so they must be registered for MPI_T_CB_REQUIRE_THREAD_SAFE or higher.
 */
#ifndef MPIT_STALL_H
#define MPIT_STALL_H

#pragma GCC visibility push(hidden)

/** The control variable MPI2DD_STALL_SECONDS; 0: off. */
extern int mpit_stall_seconds;

/** The interval that mpi2dd-run --hang has requested; 0: none. Read-only: the control variable MPI2DD_HANG. */
extern int mpit_hang_seconds;

/**
 * Set the stall interval, at any time.
 *
 * @return MPI_SUCCESS; MPI_T_ERR_INVALID: negative; MPI_T_ERR_MEMORY:
 *         no thread could be created, and the interval is unchanged
 */
int mpit_stall_set(int seconds);

/**
 * Before the real MPI_Init: start what the environment asks for (MPI2DD_STALL_SECONDS, MPI2DD_HANG). Preserves errno.
 */
void mpit_stall_begin(void);

#pragma GCC visibility pop

#endif /* MPIT_STALL_H */
