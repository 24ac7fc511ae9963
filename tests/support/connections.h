/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file connections.h
 * Jobs of tests/programs/worlds.c: compares what their processes
 * report about each other with the tables that they publish.
 */
#ifndef TEST_CONNECTIONS_H
#define TEST_CONNECTIONS_H

#include "job.h"

enum { CONNECTIONS_SECONDS_MAX = 8 }; /**< a longer call has waited for a process that does not connect */

/** "-x LD_PRELOAD=..." for a job whose processes all have the library; static. */
const char *connections_preload(void);

/** Path of the library; static. */
const char *connections_library(void);

/**
 * Check everything about some jobs that may be linked, from the calls and the pids only:
 * each process's metadirectory_table, finally and at each event, the events, the flags,
 * each world's processes and who has spawned them; that no message of the library was in
 * a new communicator, and that no call has waited. Ends the test at the first difference.
 *
 * @return number of connections between two sides that both have the library, counted once on each side's root
 */
size_t connections_check(const struct job *const *jobs, size_t n_jobs);

/** The facts written by the process with this pid; ends the test if there are none. */
const json_t *connections_truth(const struct job *job, long long pid);

#endif /* TEST_CONNECTIONS_H */
