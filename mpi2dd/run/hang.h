/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hang.h
 * What mpi2dd-run --hang does when the job hangs: write a report, write cores, or stop the ranks for a debugger. It
 * acts once per job, and the job goes on.
 *
 * A separate process does the work, so that the starter keeps serving the job. Output files are created in the working
 * directory, or, if that is not writable, in $TMPDIR or $XDG_RUNTIME_DIR when only this user has access to it. One line
 * on stderr says where they are.
 */
#ifndef RUN_HANG_H
#define RUN_HANG_H

#include "watched.h"

#include <stddef.h>

enum run_on_hang {
	RUN_HANG_NONE, /**< not a value of --on-hang */
	RUN_HANG_REPORT,
	RUN_HANG_CORE,
	RUN_HANG_BREAK
};

enum run_on_hang run_hang_parse(const char *word);

/**
 * Check that the commands needed are installed (mpidbg, or gcore). If one is missing, the starter prints one line and
 * exits.
 */
void run_hang_prepare(enum run_on_hang what);

/**
 * Act on a hang. @param processes all watched processes, borrowed during the call. Returns at once; the work goes on in
 * a separate process.
 */
void run_hang_act(const struct run_watched *const *processes, size_t n);

/** Wait until the work that run_hang_act() started has ended, for at most 15 minutes. */
void run_hang_wait(void);

#endif /* RUN_HANG_H */
