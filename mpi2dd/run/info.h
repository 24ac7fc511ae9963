/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * MPI2DD_info and MPI2DD_breakpoint in the starter (include/mpi2dd.h), valid before
 * its first instruction, with flag I_AM_STARTER. The starter is not a directory:
 * its tables are empty, and its metadirectory is rank 0 of the first world.
 */
#ifndef RUN_INFO_H
#define RUN_INFO_H

#include <stdbool.h>

/** Has a debugger set MPI2DD_FLAG_BEING_DEBUGGED? */
bool run_info_is_debugged(void);

/**
 * Publish that every rank waits at the gate, so that the debugger
 * knows that it must release the ranks as well as the starter.
 */
void run_info_gate_is_closed(void);

/** Publish the full path of libmpidbg.so for 64-bit debuggers. The text is copied. */
void run_info_set_dll(const char *path);

/** Publish where the metadirectory is and raise the START event. The strings are copied; the copies are never freed. */
void run_info_start(const char *host, const char *executable, int pid);

/** Raise the event MPI2DD_DEBUG_HANG. */
void run_info_hang(void);

#endif /* RUN_INFO_H */
