/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file options.h
 * The options that subcommands share, parsed once for all of them.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Groups of options; each subcommand has some of them. */
enum {
	CMD_OPT_TARGET = 1 << 0,   /**< -p, --core, -e, --job, --via, --cores, --ranks, --plugin, --stats, --progress */
	CMD_OPT_OUTPUT = 1 << 1,   /**< --json, --color */
	CMD_OPT_ALL = 1 << 2,      /**< --all */
	CMD_OPT_LAYOUT = 1 << 3,   /**< --layout */
	CMD_OPT_HANDLES = 1 << 4,  /**< --leaks, --freed */
	CMD_OPT_VARS = 1 << 5,     /**< --freed, --diff, --moved */
	CMD_OPT_SNAPSHOT = 1 << 6, /**< --snapshot; -p and --core are refused with a suggestion */
	CMD_OPT_REPORT = 1 << 7,   /**< -o, --dot */
	CMD_OPT_TWO = 1 << 8,      /**< two files as arguments instead of a target; --apart */
	CMD_OPT_VERDICT = 1 << 9,  /**< --no-verdict */
	CMD_OPT_HOSTS = 1 << 10, /**< --hosts, --limit; --job also names jobs of other hosts, --via also ways to them */
	CMD_OPT_AGENT = 1 << 11, /**< --until, --apart, --any-owner; the target is an argument */
	CMD_OPT_FOLD = 1 << 12,  /**< --fold */
	CMD_OPT_STACKS = 1 << 13, /**< --folded, --dot */
	CMD_OPT_FILES = 1 << 14,  /**< --snapshot, beside -p and --core */
	CMD_OPT_WATCH = 1 << 15,  /**< --watch */
	CMD_OPT_SOURCE = 1 << 16, /**< --source-dir */
	CMD_OPT_LINES = 1 << 18,  /**< --all: lists are not cut short */
	CMD_OPT_HANG = 1 << 17    /**< --after, --then, -o; the target is a job, or none */
};

/** The kind of target. */
enum cmd_target_kind {
	CMD_TARGET_PROCESS, /**< -p PID */
	CMD_TARGET_CORE,    /**< --core FILE */
	CMD_TARGET_JOB,     /**< --job PID */
	CMD_TARGET_CORES,   /**< --cores DIR|FILE... */
	CMD_TARGET_SNAPSHOT /**< --snapshot FILE... */
};

/** The source of the processes of a job (--via). */
enum cmd_via {
	CMD_VIA_ANY,        /**< not given: see collect.h */
	CMD_VIA_MPI2DD,     /**< mpi2dd: the tables in the processes */
	CMD_VIA_MPIR,       /**< mpir: the launcher's MPIR_proctable */
	CMD_VIA_ENVIRONMENT /**< env: the environments of this machine's processes */
};

struct cmd_options;

/** Name and description of a subcommand, for --help. */
struct cmd_about {
	const char *name;
	const char *usage;       /**< text after "mpidbg NAME "; a second form is another line that repeats the name */
	const char *what;        /**< a few lines, each ended by \n */
	unsigned options;        /**< CMD_OPT_... */
	const char *epilogue;    /**< last lines of the help, each ended by \n; NULL: none */
	unsigned n_words;        /**< maximum number of arguments besides options: handles KIND, print KIND VALUE */
	const char *first_words; /**< possible values of the first one, for completion; NULL: anything */
	bool of_process;         /**< -p is a rank of a job that is read as a whole: cmd_options.of_process */
	/** Check the arguments: report errors, and reorder them if needed. NULL: if n_words is 2, both are required. */
	bool (*check_words)(struct cmd_options *o);
};

/** Strings are borrowed from argv. */
struct cmd_options {
	enum cmd_target_kind kind;
	pid_t pid;         /**< of -p or --job; 0: job names it */
	bool of_process;   /**< kind is a job, named by -p of one of its processes */
	const char *job;   /**< of --job, if it is no pid: "slurm:4711"; NULL: a pid */
	const char *hosts; /**< --hosts LIST; NULL: those of the job */
	const char *way;   /**< of --via, if it is a way to other hosts: "srun", "ssh", a command with %h; NULL: none */
	double watch_s;    /**< --watch; 0: not given */
	double after_s;    /**< --after; 0: not given */
	const char *then;  /**< --then; NULL: not given */
	double limit_s;    /**< --limit: for each host */
	bool copy;         /**< --copy: mpidbg to hosts that have none */
	const char *copy_folder; /**< --copy=FOLDER; NULL: the default */
	bool unlink;             /**< --unlink: the agent removes its own file */
	double until;       /**< --until: the second reading is not before this time, CLOCK_REALTIME; 0: any time */
	double apart_s;     /**< --apart: between the two readings, at least; 0: not given */
	const char *show;   /**< --show: the subcommand whose answers are wanted; NULL: snapshots */
	const char *named;  /**< the job that mpidbg agent looks for, host_job_named(); NULL: not this command */
	const char **files; /**< of --core (one), --cores or --snapshot (one or more) */
	size_t n_files;
	const char *exe, *sysroot, *plugin, *layout; /**< NULL: not given */
	const char *source_dir;                      /**< NULL: not given */
	enum cmd_via via;
	bool have_ranks;
	struct cmd_ranks ranks;
	bool json, all, stats, any_owner, fold, debuginfod;
	bool leaks, freed, moved;
	const char *output;   /**< -o FILE; NULL: standard output */
	bool dot;             /**< only the graph */
	bool folded;          /**< a line for each stack */
	bool variables;       /**< of a snapshot: with control variables. Not an option; set by the caller */
	bool diff;            /**< show only differences between ranks */
	bool no_verdict;      /**< for a job: no verdict */
	bool last;            /**< no reading follows with which it is compared. Not an option; set by the caller */
	bool judged;          /**< answers include a snapshot for the analysis. Not an option; set by the caller */
	const char *words[2]; /**< n_words of them */
	unsigned n_words;
	bool color, progress; /**< determined by the option, NO_COLOR, TERM, and whether it is a terminal */
};

/**
 * Parse the arguments of a subcommand. Failures are reported on stderr, with a suggestion.
 *
 * @param argv      argv[0] is the subcommand; it is permuted
 * @param[out] ret  cmd_options_deinit() frees it; all zero unless true is returned.
 * @param[out] rc   the exit code if false is returned: CMD_DONE after --help, or CMD_USAGE.
 * @return true: run the subcommand; false: exit with @p rc.
 */
bool cmd_options_parse(const struct cmd_about *about, int argc, char **argv, struct cmd_options *ret, int *rc);

/** Release. An all-zero struct is accepted. */
void cmd_options_deinit(struct cmd_options *o);

#endif /* CMD_OPTIONS_H */
