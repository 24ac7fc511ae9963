/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cores.h
 * Core files: identifies cores and reads their notes, without opening anything else.
 */
#ifndef CMD_CORES_H
#define CMD_CORES_H

#include "commands.h"
#include "job.h"

/**
 * Add the cores that --cores names: files, and the cores among the files of folders (not below them).
 *
 * @return CMD_DONE; CMD_ABSENT: there is none; CMD_PARTIAL: none that can be read. Files that were named and are no
 *         cores are noted in the job's problems.
 */
enum cmd_exit cmd_cores_find(const struct cmd_options *o, struct cmd_job *job);

/** Fill pid, signal and, when it is unknown, the program's name from the notes of a core. */
void cmd_core_facts(struct cmd_proc *p);

/**
 * Fill in the identity of cores from their MPI2DD tables: world, host, and an unknown rank.
 *
 * @param tables what cmd_mpi2dd_add() has made of all of them, not settled yet; its worlds go to the job
 * @return false: out of memory.
 */
bool cmd_cores_match(struct cmd_job *job, struct cmd_job *tables);

/**
 * Note in the job's problems: two cores of one rank, cores of different jobs, ranks that have none.
 * Call when ranks are known and sorted.
 */
void cmd_cores_check(struct cmd_job *job, const struct cmd_options *o);

#endif /* CMD_CORES_H */
