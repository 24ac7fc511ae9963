/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file new_process.h
 * The iteration over the processes listed in the MPI2DD_info and the tables of a process: every process of its
 * process table, then the directories, the other metadirectories, and its own metadirectory. Each process (host
 * name and pid) is returned once.
 */
#ifndef MQS_NEW_PROCESS_H
#define MQS_NEW_PROCESS_H

#include "../access/space.h"
#include "export.h"

struct mqs_new_processes;

/**
 * Start one.
 *
 * @param[out] ret mqs_new_processes_end(). Untouched on failure.
 * @return ACC_OK; ACC_NONE: no MPI2DD_info, or it lists no process (yet); a failure, noted in the space.
 */
enum acc_rc mqs_new_processes(struct acc_space *sp, struct mqs_new_processes **ret);

/** End it. NULL is accepted. */
void mqs_new_processes_end(struct mqs_new_processes *it);

/**
 * The next process. One that cannot be returned completely is omitted and counted.
 *
 * @return ACC_OK; ACC_NONE: there are no more; ACC_ENOMEM. *ret is untouched then.
 */
enum acc_rc mqs_new_processes_next(struct mqs_new_processes *it, mqs_process_location *ret);

/** The number of omitted processes; an invalid table counts once. The first reason is in @p note. */
uint64_t mqs_new_processes_bad(const struct mqs_new_processes *it, struct acc_note *note);

#endif /* MQS_NEW_PROCESS_H */
