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
 * Add the cores that --cores names: files, and cores directly inside folders.
 *
 * @return CMD_DONE; CMD_ABSENT: there is none; CMD_PARTIAL: none can be read. Named files that are not cores are
 *         reported in the job's problems.
 */
enum cmd_exit cmd_cores_find(const struct cmd_options *o, struct cmd_job *job);

/** Fill pid, signal and, when it is unknown, the program's name from the notes of a core. */
void cmd_core_facts(struct cmd_proc *p);

/**
 * Fill in the identity of cores from their MPI2DD tables: world, host, and an unknown rank.
 *
 * @param tables the tables of all cores, from cmd_mpi2dd_add(), before cmd_mpi2dd_settle(); its worlds move to the job
 * @return false: out of memory.
 */
bool cmd_cores_match(struct cmd_job *job, struct cmd_job *tables);

/**
 * Report in the job's problems: two cores of one rank, cores of different jobs, ranks without a core.
 * Call when ranks are known and sorted.
 */
void cmd_cores_check(struct cmd_job *job, const struct cmd_options *o);

#endif /* CMD_CORES_H */
