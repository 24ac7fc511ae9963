/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pmix.h
 * The launcher of Open MPI 5 on this machine, asked as a PMIx tool: where its ranks are, and to start a command on each
 * of their nodes, which needs no ssh. The launcher's own libpmix is loaded with dlopen, so this is for a process of its
 * own: "mpidbg pmix".
 *
 * What such a command writes arrives here only: the launcher is told not to write it to its own output.
 */
#ifndef HS_PMIX_H
#define HS_PMIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/** What a launcher has said. Start with all zero; hs_pmix_deinit() frees. */
struct hs_pmix {
	char job[256]; /**< namespace of the job that it has started first: "prterun-login-4711@1" */
	char **hosts;  /**< with ranks, each once */
	size_t n_hosts;
};

/** Has the process loaded a libpmix, and is it a launcher by its name, prterun? */
bool hs_pmix_is_launcher(pid_t pid);

/**
 * Ask a launcher, in a child process, for its job.
 *
 * @param[out] why of a failure; one line
 */
bool hs_pmix_find(pid_t launcher, struct hs_pmix *ret, char *why, size_t n_why);

/** Release. Leaves all zero. */
void hs_pmix_deinit(struct hs_pmix *p);

/**
 * The other side of hs_pmix_find(): connect to the launcher, and write the namespace of its job and the names of the
 * hosts, a line each. For a process that does nothing else.
 *
 * @return false: see @p why
 */
bool hs_pmix_table(pid_t launcher, FILE *out, char *why, size_t n_why);

/**
 * Connect to the launcher, run a line of a shell on each node of its job, and write what that writes to its standard
 * output, line by line, until all have ended. What it writes in its first tenths of a second may be lost.
 */
bool hs_pmix_run(pid_t launcher, const char *line, int out_fd, char *why, size_t n_why);

#endif /* HS_PMIX_H */
