/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file look.h
 * Watch the threads of the ranks on this machine for some time while they run: which of them use a processor.
 */
#ifndef CMD_LOOK_H
#define CMD_LOOK_H

#include "../verdict/verdict.h"

struct cmd_looked; /* a rank */

/** Initialize with zero; cmd_look_deinit() frees. */
struct cmd_look {
	struct cmd_looked *ranks;
	size_t n;
	double ms; /**< how long they were watched */
};

/**
 * How long the threads must be watched before a conclusion is
 * possible about ranks that only sleep, or whose other threads do.
 *
 * @param v the verdict of the first reading
 * @return milliseconds; 0: nothing depends on it
 */
int cmd_look_needed(const struct vd_job *j, const struct vd_verdict *v);

/** Watch for some time. If a thread outside MPI runs, try again, some times: it may only have to fall asleep again. */
void cmd_look(struct cmd_look *l, const struct vd_job *j, int ms);

/** Copy the result: vd_thread.n_runs and ran_permille. */
void cmd_look_apply(const struct cmd_look *l, struct vd_job *j);

void cmd_look_deinit(struct cmd_look *l);

#endif /* CMD_LOOK_H */
