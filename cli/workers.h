/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file workers.h
 * The live processes of a job, divided among several processes of this command.
 *
 * Each worker is a child process in its own session. It queries its share of the processes, waits for the other
 * workers at each barrier, and sends its answers at the end. The processes stopped by a worker are resumed when it
 * dies; if this command dies, all workers end.
 */
#ifndef CMD_WORKERS_H
#define CMD_WORKERS_H

#include "job.h"

/** A worker, in its own process. NULL, accepted by all functions: there are no workers, this process does the work. */
struct cmd_worker;

/**
 * Barrier: wait until all workers have called it.
 * @param mine has this worker succeeded?
 * @return true: all workers have succeeded
 */
bool cmd_worker_wait(struct cmd_worker *w, bool mine);

/** Report that one more process was queried, for the progress line. */
void cmd_worker_step(struct cmd_worker *w);

/**
 * Query the share of worker @p k of @p n: every n-th live process of the job, from the k-th on. Results are
 * written to procs[i] and procs[i].answer.
 */
typedef void cmd_worker_share(void *ctx, struct cmd_worker *w, size_t k, size_t n);

/**
 * Run all shares: in this process if the job has few processes or the machine has one processor, otherwise in
 * workers. If a worker dies, the answers of its processes say so.
 */
void cmd_workers_run(const struct cmd_options *o, struct cmd_job *job, cmd_worker_share *share, void *ctx);

#endif /* CMD_WORKERS_H */
