/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job.h
 * The processes to read: one, a core, the ranks of a job, the cores of a job. collect.h finds them.
 */
#ifndef CMD_JOB_H
#define CMD_JOB_H

#include "../host/host.h"
#include "options.h"
#include "message.h"
#include "worlds.h"

struct cmd_answer;

/** A process or core to read. Owns the strings. */
struct cmd_proc {
	int64_t rank, world_size;  /**< -1: unknown (yet) */
	int64_t pid;               /**< in our pid namespace; -1: unknown */
	int64_t table_pid;         /**< pid in the process table, from the namespace of its host; -1: in no table */
	char *host, *executable;   /**< "": unknown */
	char *core;                /**< path, or NULL for a live process */
	char *job;                 /**< the launcher's name of its MPI_COMM_WORLD; "": unknown */
	size_t world;              /**< index in the job's worlds; CMD_NO_WORLD: unknown */
	bool here;                 /**< on this machine: can be opened */
	const char *far_state;     /**< on another host: as cmd_proc_state() is there, static; NULL: unknown */
	int signal;                /**< signal that caused the core; 0: none, -1: unknown */
	struct cmd_answer *answer; /**< its answer, borrowed; NULL: not queried */
	struct cmd_probes *probes; /**< while it is queried: what its blocked probes ask for; NULL: none (probes.h) */
};

/** All of them, sorted by rank. Start with all zero. */
struct cmd_job {
	bool is_job;        /**< --job or --cores: the output has a heading, JSON a frame around the processes */
	bool one_owner;     /**< all its processes belong to one user, and no other user has named them */
	const char *source; /**< "MPI2DD", "MPIR_proctable", "environment" or "cores"; NULL for one process */
	pid_t launcher;     /**< 0: unknown */
	char *launcher_name;
	char name[200];   /**< the same on all its hosts: "slurm:4711.0", as host_job_named() takes it; "": unknown */
	char mpiexec[64]; /**< host_job.mpiexec */
	struct cmd_proc *procs;
	size_t n;
	struct host_ended *ended; /**< ranks without a process, which have ended or are not started yet */
	size_t n_ended;
	struct cmd_worlds worlds;  /**< from the MPI2DD tables; empty: not known */
	struct cmd_lines problems; /**< facts that could not be determined, for stderr and for the JSON frame */
};

/** Release. An all-zero struct is accepted. */
void cmd_job_deinit(struct cmd_job *job);

/** Add a process. Strings are copied; NULL counts as "" (core: none). @return the process, or NULL: out of memory. */
struct cmd_proc *cmd_job_add(struct cmd_job *job, int64_t rank, int64_t pid, const char *host, const char *executable,
			     const char *core);

/** Replace a string of a process; if out of memory, the old value remains. */
void cmd_proc_set(char **string, const char *value);

/** Set the MPI's numbers of the worlds, if the launcher's names of them are such numbers. */
void cmd_job_number_worlds(struct cmd_job *job);

/** Sort by world, job and rank; unknown ranks last. */
void cmd_job_sort(struct cmd_job *job);

/** Remove the processes whose rank is known and not among these. */
void cmd_job_keep_ranks(struct cmd_job *job, const struct cmd_ranks *ranks);

/** Number of ranks of the job; -1: unknown. */
int64_t cmd_job_size(const struct cmd_job *job);

/**
 * Report ranks named by --ranks that do not exist in the job's problems.
 * @return CMD_DONE, or CMD_ABSENT.
 */
enum cmd_exit cmd_job_check_ranks(struct cmd_job *job, const struct cmd_options *o);

/**
 * Fill in unknown parts of the identity from an open target: rank (from memory, otherwise from the environment),
 * size of its world, job, pid, name of its program.
 */
void cmd_proc_identify(struct cmd_proc *p, const struct host_plugin *plugin, const struct host_session *s);

/** The state of a process or thread by its letter, static: "sleeping" for S; NULL: it has ended. */
const char *cmd_state_text(char letter);

/** The state of a process as the system reports it, static: "sleeping"; "gone"; "": a core, or unknown on another host.
 */
const char *cmd_proc_state(const struct cmd_proc *p);

/** Set the state of a process of another host, as that host says it; anything else is ignored. */
void cmd_proc_set_state(struct cmd_proc *p, const char *text);

/** The name of a process in messages: "core.4711", "rank 3 (process 4716)", "process 4716". */
void cmd_proc_name(const struct cmd_job *job, const struct cmd_proc *p, char *ret, size_t n);

/** Do they belong to the same MPI_COMM_WORLD, as far as known? */
bool cmd_same_world(const struct cmd_proc *a, const struct cmd_proc *b);

/** Name of this machine, static. */
const char *cmd_this_host(void);

/** Do two names denote the same machine, as "node1" and "node1.cluster.example" do? */
bool cmd_same_host(const char *a, const char *b);

/** Does this name or interface address denote this machine? "" and "localhost" do. */
bool cmd_is_here(const char *host);

/** The exit code for a failure of the host. */
enum cmd_exit cmd_exit_of(enum host_errc code);

#endif /* CMD_JOB_H */
