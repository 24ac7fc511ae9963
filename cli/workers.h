/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file workers.h
 * The live processes of a job, divided among several processes of this command.
 *
 * Each worker is a child in a session of its own. It asks its share of the processes, waits for the others where all must
 * have come equally far, and sends its answers at its end. A worker that dies lets go of the processes that it has
 * stopped; so do all when this command dies.
 */
#ifndef CMD_WORKERS_H
#define CMD_WORKERS_H

#include "job.h"

/** A worker, in its own process. Functions take NULL: there is only one. */
struct cmd_worker;

/**
 * Wait until all workers have come here.
 * @param mine whether this one has succeeded
 * @return whether all have
 */
bool cmd_worker_wait(struct cmd_worker *w, bool mine);

/** One more process has been asked: progress is shown. */
void cmd_worker_step(struct cmd_worker *w);

/**
 * Ask the share of worker @p k of @p n: each n-th live process of the job, in their order, from the k-th on. Its answers and
 * what is now known of the process are written to procs[i] and procs[i].answer.
 */
typedef void cmd_worker_share(void *ctx, struct cmd_worker *w, size_t k, size_t n);

/**
 * Run the shares: in this process if the job has few processes, or the machine one processor; otherwise in workers.
 * The answers of a worker that dies say so.
 */
void cmd_workers_run(const struct cmd_options *o, struct cmd_job *job, cmd_worker_share *share, void *ctx);

#endif /* CMD_WORKERS_H */
