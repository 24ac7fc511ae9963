/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi2dd_tables.h
 * The MPI2DD data of one process: its MPI2DD_info and the tables that it contains.
 */
#ifndef CMD_MPI2DD_TABLES_H
#define CMD_MPI2DD_TABLES_H

#include "job.h"

/** Start with all zero. Arrays and strings are the plugin's. */
struct cmd_mpi2dd {
	struct mpidbg_mpi2dd *info; /**< NULL: none, or unreadable: see problems */
	struct mpidbg_world_proc *procs;
	struct mpidbg_place *directories, *metadirectories;
	size_t n_procs, n_directories, n_metadirectories;
	char job[64];              /**< the launcher's name of the process's world, "": not known */
	struct cmd_lines problems; /**< problems of tables, one line each; empty: everything was read */
};

/**
 * Read the MPI2DD data of a process. It may be running: an invalid table is read again, because it may have been
 * changed at that moment.
 *
 * @param[out] ret cmd_mpi2dd_free() releases it, also on failure
 * @return MPIDBG_SUCCESS: info is set, and the tables, except for those in problems; MPIDBG_ERR_NOT_FOUND: no
 *         MPI2DD_info; MPIDBG_ERR_NOT_SUPPORTED: the plugin cannot read it; MPIDBG_ERR_UNAVAILABLE: see problems.
 */
int cmd_mpi2dd_read(struct host_plugin *plugin, struct host_session *s, struct cmd_mpi2dd *ret);

/** Release. An all-zero struct is accepted. */
void cmd_mpi2dd_free(struct host_plugin *plugin, struct cmd_mpi2dd *d);

/** The entry of the process table with this host and pid, or NULL. */
const struct mpidbg_world_proc *cmd_mpi2dd_entry(const struct cmd_mpi2dd *d, const char *host, int64_t pid);

/**
 * Add the entries of the process table to a job, and their worlds. Invalid entries are omitted. pid and table_pid
 * are set from the table; `here` is false.
 *
 * @return false: out of memory.
 */
bool cmd_mpi2dd_add(const struct cmd_mpi2dd *d, struct cmd_job *job);

/**
 * Call when all tables are added. A process listed in several tables is kept once; two processes with the same
 * rank of the same world are both kept and reported in the problems. Counts the processes of each world, and sorts
 * worlds and processes in the order of cmd_worlds_arrange().
 *
 * @param first the world that comes first, or CMD_NO_WORLD
 * @return false: out of memory.
 */
bool cmd_mpi2dd_settle(struct cmd_job *job, size_t first);

#endif /* CMD_MPI2DD_TABLES_H */
