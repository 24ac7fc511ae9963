/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hang.h
 * What mpi2dd-run --hang does when the job hangs: a report, cores, or a stop for a debugger. Once per job; the job
 * goes on.
 *
 * The work is done by a process of its own, so that the starter goes on as well. Files are made where the starter was
 * started, or in $TMPDIR or /tmp when nothing can be written there; one line on stderr says where they are.
 */
#ifndef RUN_HANG_H
#define RUN_HANG_H

#include "watched.h"

#include <stddef.h>

enum run_on_hang {
	RUN_HANG_NONE, /**< not a word of --on-hang */
	RUN_HANG_REPORT,
	RUN_HANG_CORE,
	RUN_HANG_BREAK
};

enum run_on_hang run_hang_parse(const char *word);

/** Ends the starter with a line when a command that is needed is not there: mpidbg, or gcore. */
void run_hang_prepare(enum run_on_hang what);

/** All processes that are watched; it does not wait. */
void run_hang_act(const struct run_watched *const *processes, size_t n);

/** Wait for what run_hang_act() has begun; some minutes at most. */
void run_hang_wait(void);

#endif /* RUN_HANG_H */
