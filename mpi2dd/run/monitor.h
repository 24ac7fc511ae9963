/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file monitor.h
 * What mpi2dd-run --hang leaves for a monitoring system: a file
 * in Prometheus' text format, and not more reports than wanted.
 */
#ifndef RUN_MONITOR_H
#define RUN_MONITOR_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Write the file anew, complete at any time: whether the job hangs, and how many processes have stalled. A pipe or a
 * device is written to and stays.
 *
 * @param path      "": nothing is done
 * @param job       pid of the starter, a label
 * @param n_stalled number of processes in which no MPI call has finished; 0: the job does not hang
 * @return false: errno says why
 */
bool run_monitor_write(const char *path, int job, size_t n_stalled);

/**
 * Remove the oldest reports mpi2dd-hang.PID.txt of this user, with the files beside them, until @p keep are left.
 *
 * @param path of the report just written: its folder is searched
 */
void run_monitor_prune(const char *path, int keep);

#endif /* RUN_MONITOR_H */
