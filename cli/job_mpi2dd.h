/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job_mpi2dd.h
 * A live job as found from MPI2DD's tables: from any of its processes to the metadirectory, from there to every
 * directory and to the metadirectories of other worlds. Each process is listed once.
 */
#ifndef CMD_JOB_MPI2DD_H
#define CMD_JOB_MPI2DD_H

#include "job.h"
#include "job_environment.h"

/** Limit of directories and metadirectories in one walk, because damaged tables may list any number. */
enum { CMD_PLACES_MAX = 65536 };

/** A directory or metadirectory whose tables could not be read. */
struct cmd_unread {
	char *host, *text; /**< text: one line that says which and why */
	int64_t pid;       /**< according to the tables */
	bool gone;         /**< it was on this machine and has ended */
};

/** Start with all zero. */
struct cmd_walk {
	struct cmd_job found; /**< its processes and worlds; its problems: problems in the tables */
	struct cmd_unread *unread;
	size_t n_unread;
	char why_none[512]; /**< if `found` is empty: the reason, one line without the job's name */
	bool denied;        /**< reason: missing permission */
	bool damaged;       /**< reason: invalid tables */
	bool prepared;      /**< reason: there is an MPI2DD_info, but it is still empty */
};

/**
 * Walk. No process is stopped.
 *
 * A process is read if it is on this machine: its host has our name, or the environments show a process with its
 * pid. Otherwise it is listed as unread. The tables of the process must name that host and pid; otherwise the pid
 * was reused, or belongs to another host.
 *
 * @param start    a rank, a starter, a launcher (its ranks are tried, then its ancestors), or an ancestor of one
 * @param thorough try every rank, even if the in-target library does not seem to be loaded
 * @param env      the job of @p start
 * @return false: out of memory. If nothing was found: true, and ret->found has no processes.
 */
bool cmd_walk_mpi2dd(pid_t start, bool thorough, bool progress, struct host_plugin *plugin,
		     const struct cmd_environment *env, struct cmd_walk *ret);

/** Release. An all-zero struct is accepted. */
void cmd_walk_deinit(struct cmd_walk *w);

#endif /* CMD_JOB_MPI2DD_H */
