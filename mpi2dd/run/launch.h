/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launch.h
 * Rewrites the launcher's command line so that the ranks load the library and the launcher does not.
 *
 * Open MPI: "-x LD_PRELOAD=LIBRARY -x MPI2DD_STARTER ..." for every part of "prog : prog". An -x without a value makes
 * the launcher take the value from its own environment, so ps does not show it. Where the user passes variables with
 * the parameter mca_base_env_list, which excludes -x, our variables are added to that list.
 * MPICH: "-genv LD_PRELOAD LIBRARY". Hydra passes all other variables on unless -genvlist, -genvnone, -envlist or
 * -envnone forbid it; in that case our names are added to these options.
 * Others: LD_PRELOAD in the launcher's own environment.
 *
 * A preload list of the user is kept, after our library. All other words of the command line are unchanged.
 */
#ifndef RUN_LAUNCH_H
#define RUN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

enum run_style {
	RUN_BY_ENVIRONMENT, /**< run a program directly, or a launcher whose options are unknown */
	RUN_BY_OPENMPI,
	RUN_BY_MPICH
};

/**
 * Is this word an executable file, as a path or found by $PATH? Distinguishes the program from an option's argument.
 */
typedef bool run_launch_is_program_fn(const char *word);

enum { RUN_PROGRAMS_MAX = 64 };

/**
 * Find the programs in a launcher's command line: one in each part between ":".
 *
 * @param argv NULL-terminated; argv[0] is the launcher
 * @param[out] ret indexes into @p argv, at most @ref RUN_PROGRAMS_MAX
 * @return how many. A part in which no program is found (as when
 *         the launcher reads all of them from a file) is skipped.
 */
size_t run_launch_programs(char *const *argv, run_launch_is_program_fn *is_program, size_t ret[RUN_PROGRAMS_MAX]);

struct run_launch {
	enum run_style style;
	char *const *argv;        /**< the command, NULL-terminated */
	const char *library;      /**< path of the library to preload */
	const char *preload;      /**< LD_PRELOAD of the environment, or NULL */
	const char *env_list;     /**< OMPI_MCA_mca_base_env_list of the environment, or NULL */
	const char *const *names; /**< variables that the ranks need, NULL-terminated: MPI2DD_... */
	run_launch_is_program_fn *is_program;
};

/** The new command line. Release with run_launched_free(). */
struct run_launched {
	char **argv;    /**< NULL-terminated */
	char *preload;  /**< LD_PRELOAD for the command's environment; NULL: leave it unchanged */
	char *env_list; /**< OMPI_MCA_mca_base_env_list; NULL: leave it unchanged */
};

/**
 * Build the new command line. @param[out] ret release with run_launched_free(). The only file read is the one that Open
 * MPI's --app names.
 */
void run_launch_rewrite(const struct run_launch *launch, struct run_launched *ret);

void run_launched_free(struct run_launched *launched);

#endif /* RUN_LAUNCH_H */
