/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file launch.h
 * The launcher's command line, written anew so that the ranks get the library and the launcher does not.
 *
 * Open MPI: "-x LD_PRELOAD=LIBRARY -x MPI2DD_STARTER ..." for every program of "prog : prog"; without a value the
 * launcher takes it from its own environment, where it is not seen by ps. Where the user hands variables on with the
 * parameter mca_base_env_list, which excludes -x, the variables are added to that list.
 * MPICH: "-genv LD_PRELOAD LIBRARY"; hydra passes all other variables on unless -genvlist, -genvnone, -envlist or
 * -envnone forbid it, which then name ours too.
 * Others: LD_PRELOAD in the launcher's own environment.
 *
 * A preload of the user's stays, after ours. Everything else of the command line is as it was.
 */
#ifndef RUN_LAUNCH_H
#define RUN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

enum run_style {
	RUN_BY_ENVIRONMENT, /**< a program as it is, or a launcher whose arguments are not known */
	RUN_BY_OPENMPI,
	RUN_BY_MPICH
};

/** Is this word a file that can be executed, by path or by $PATH? Tells the program from an argument of an option. */
typedef bool run_launch_is_program_fn(const char *word);

enum { RUN_PROGRAMS_MAX = 64 };

/**
 * Where the programs stand in a launcher's command line: one of each part between ":".
 *
 * @param argv NULL-terminated; argv[0] is the launcher.
 * @param[out] ret indexes, at most @ref RUN_PROGRAMS_MAX
 * @return how many; parts in which none is found (all in a file of the launcher's) are left out.
 */
size_t run_launch_programs(char *const *argv, run_launch_is_program_fn *is_program, size_t ret[RUN_PROGRAMS_MAX]);

struct run_launch {
	enum run_style style;
	char *const *argv;        /**< the command, NULL-terminated */
	const char *library;      /**< to be preloaded */
	const char *preload;      /**< LD_PRELOAD of the environment, or NULL */
	const char *env_list;     /**< OMPI_MCA_mca_base_env_list of the environment, or NULL */
	const char *const *names; /**< variables that the ranks need, NULL-terminated: MPI2DD_... */
	run_launch_is_program_fn *is_program;
};

/** Released by run_launched_free(). */
struct run_launched {
	char **argv;    /**< NULL-terminated */
	char *preload;  /**< LD_PRELOAD for the command's environment; NULL: as it is */
	char *env_list; /**< OMPI_MCA_mca_base_env_list; NULL: as it is */
};

/** Make the command line. Does nothing else: reads at most the file that Open MPI's --app names. */
void run_launch_rewrite(const struct run_launch *launch, struct run_launched *ret);

void run_launched_free(struct run_launched *launched);

#endif /* RUN_LAUNCH_H */
