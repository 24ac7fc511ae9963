/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file leaks.h
 * mpi2dd-run --leaks: what the ranks of a world have not freed when all of them are in MPI_Finalize.
 */
#ifndef RUN_LEAKS_H
#define RUN_LEAKS_H

/** Check that mpidbg is installed; otherwise the starter prints one line and exits. */
void run_leaks_prepare(void);

/**
 * Print on stderr what `mpidbg handles --leaks` says of the job that this process has started, on all its hosts; ranks
 * that agree are one group. Waits for it.
 */
void run_leaks_report(void);

/** The command has ended. Say so if there was no report. */
void run_leaks_end(void);

#endif /* RUN_LEAKS_H */
