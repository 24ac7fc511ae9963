/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hang_report.h
 * What mpidbg watch writes about a job in which nothing moves: the verdict as text, the page, and the snapshot.
 */
#ifndef CMD_HANG_REPORT_H
#define CMD_HANG_REPORT_H

#include "seen.h"

enum cmd_hang_result {
	CMD_HANG_WRITTEN,
	CMD_HANG_MOVES, /**< the job moved after all: nothing was written */
	CMD_HANG_FAILED /**< it cannot be read now, or nothing can be written: reported */
};

/**
 * Read the job once more, and write hang.TIME.txt, .html and .json, which only the user can read. Says on standard
 * error what was written.
 *
 * @param since  the job as it was seen when it stood still already
 * @param folder where; it is made if it is not there
 * @param[out] exit_code the exit code that tells the verdict
 */
enum cmd_hang_result cmd_hang_report(const struct cmd_options *o, struct host_plugin *plugin,
				     const struct cmd_seen *since, const char *folder, int *exit_code);

#endif /* CMD_HANG_REPORT_H */
