/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file way.h
 * The commands of a site by which other hosts are reached, as arguments for exec.
 */
#ifndef HS_WAY_H
#define HS_WAY_H

#include <stdbool.h>
#include <stddef.h>

/** What Slurm calls the steps in which agents run: they are no part of the job that is looked at. */
#define HS_STEP_NAME "mpidbg"

/** Words for exec. Start with all zero. */
struct hs_words {
	char **v; /**< NULL-terminated */
	size_t n, room;
	bool no_memory;
};

/** Add a copy of a word. */
void hs_words_add(struct hs_words *words, const char *word);

/** Add a word that is put together. */
void hs_words_printf(struct hs_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Release. Leaves all zero. */
void hs_words_deinit(struct hs_words *words);

/** What to run, and where. */
struct hs_request {
	const char *way;         /**< "srun", "flux", "pmix", "ssh", "pdsh", "clush", or a command that contains "%h" */
	const char *slurm_job;   /**< for srun: the number of the job */
	const char *slurm_user;  /**< for srun, if root runs it: number of the user whose job it is; NULL: not known */
	const char *slurm_group; /**< and of the group */
	const char *flux_ranks;  /**< for flux: of its brokers, "0-3,7" */
	int launcher;            /**< for pmix: its process number */
	const char *const *hosts; /**< at least one; hs_is_host() */
	size_t n_hosts;
	const bool *here; /**< for each host: it is this machine, and no command is needed to reach it; NULL: none is */
	const char *agent;  /**< arguments of mpidbg; without quotes and other characters that a shell interprets */
	const char *mpidbg; /**< path of mpidbg on the hosts; if it is not there, the one in PATH is used */
	const char *
		copy; /**< file of a static mpidbg, which is copied to hosts that have none, by srun to all; NULL: no */
	const char *copy_folder; /**< where to on the hosts; NULL: $TMPDIR there, or /tmp, by srun always /tmp */
	char copied[512];        /**< for srun: what the copy is called there; "": nothing is copied */
	double limit_s;          /**< for each host, from the beginning */
};

/** Is it a word that a host can be named by? Nothing else is passed to a command. */
bool hs_is_host(const char *text);

/** Does one process of this command reach all hosts but this machine? Otherwise each host needs one of its own. */
bool hs_way_is_for_all(const char *way);

/** Is this host the machine on which the request is made? */
bool hs_is_here(const struct hs_request *r, size_t host);

/** Is it a name of a way, or a command with "%h"? */
bool hs_way_is_known(const char *way);

/** The name of a way for output: "srun", or the first word of a command. */
void hs_way_name(const char *way, char *ret, size_t n);

/**
 * The words of the command that runs "mpidbg AGENT" on a host, or on all.
 *
 * @param host the index of the host; for a command that is for all, of any that is not here
 * @return false: out of memory
 */
bool hs_way_command(const struct hs_request *r, size_t host, struct hs_words *ret);

/** The file that is standard input of the command for a host, or for all; NULL: it has none. */
const char *hs_way_input(const struct hs_request *r, size_t host);

/**
 * For srun: the words of the command that removes copies which have not removed themselves.
 *
 * @return false: out of memory
 */
bool hs_way_remove_command(const struct hs_request *r, struct hs_words *ret);

/** Can mpidbg be copied to hosts by this way? */
bool hs_way_copies(const char *way);

#endif /* HS_WAY_H */
