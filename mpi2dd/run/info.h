/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * MPI2DD_info and MPI2DD_breakpoint of the starter (include/mpi2dd.h): valid before its first instruction, with
 * I_AM_STARTER. It is no directory: its tables are empty, the metadirectory is rank 0 of the first world.
 */
#ifndef RUN_INFO_H
#define RUN_INFO_H

#include <stdbool.h>

/** Has a debugger said MPI2DD_FLAG_BEING_DEBUGGED? */
bool run_info_is_debugged(void);

/** Every rank waits for the debugger: the job does not run when it continues the starter alone. */
void run_info_gate_is_closed(void);

/** Full path of libmpidbg.so for debuggers of 64 bits. A copy is kept. */
void run_info_set_dll(const char *path);

/** The metadirectory is known: publish it and tell START. Copies are kept for ever. */
void run_info_start(const char *host, const char *executable, int pid);

/** The job hangs: tell it, MPI2DD_DEBUG_HANG. */
void run_info_hang(void);

#endif /* RUN_INFO_H */
