/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hang.h
 * What mpi2dd-run --hang does when the job hangs: write a report, write cores, run a command of the user's, end the
 * job, or stop the ranks for a debugger. It acts once per job; unless it is told to end the job, that goes on.
 *
 * A separate process does the work, so that the starter keeps serving the job. Output files are created in the working
 * directory, or, if that is not writable, in $TMPDIR or $XDG_RUNTIME_DIR when only this user has access to it. One line
 * on stderr says where they are.
 */
#ifndef RUN_HANG_H
#define RUN_HANG_H

#include "watched.h"

#include <stdbool.h>
#include <stddef.h>

/** Bits: what to do, in this order. */
enum run_on_hang {
	RUN_HANG_REPORT = 1 << 0, /**< a text; beside it a snapshot and a page */
	RUN_HANG_CORE = 1 << 1,
	RUN_HANG_BREAK = 1 << 2,
	RUN_HANG_END = 1 << 3 /**< SIGTERM for the command; SIGKILL for ranks of this host that are still there half a
				 minute later */
};

/** The bits of the words of a list: "report,end". @return 0: another word, or break with others */
unsigned run_hang_parse(const char *words);

/** What is asked for besides the actions. */
struct run_hang_wishes {
	const char *command; /**< --hang-command; NULL: none */
	const char *metrics; /**< --hang-metrics: a file; "": none */
	int keep;            /**< --hang-keep: number of reports that stay; 0: all */
};

/**
 * Check that the commands needed are installed (mpidbg, or gcore).
 * If one is missing, the starter prints one line and exits.
 *
 * @param what    bits of enum run_on_hang
 * @param wishes  borrowed for ever. The command is for sh -c, after reports and cores have been written: with
 * MPI2DD_HANG_TEXT, MPI2DD_HANG_SNAPSHOT, MPI2DD_HANG_VERDICT, MPI2DD_HANG_PAGE and MPI2DD_HANG_CORES, each the path of
 * a file or folder that was written. The file of metrics is written at once.
 */
void run_hang_prepare(unsigned what, const struct run_hang_wishes *wishes);

/**
 * Act on a hang. @param processes all watched processes, borrowed during the call. Returns at once; the work goes on in
 * a separate process.
 */
void run_hang_act(const struct run_watched *const *processes, size_t n);

/**
 * The command has ended: wait until the work that run_hang_act() started has ended, for at most 15 minutes. A job that
 * is over is not ended any more. The file of metrics is removed, unless the job has hung.
 *
 * @return true: the job has been ended because it hung
 */
bool run_hang_wait(void);

#endif /* RUN_HANG_H */
