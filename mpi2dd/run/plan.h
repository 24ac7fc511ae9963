/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file plan.h
 * Decides how a command is started: which library the ranks load, and how it gets into them.
 */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "flavour.h"
#include "launch.h"

struct run_plan {
	char *path; /**< executable file of the command */
	enum run_style style;
	enum run_flavour flavour; /**< RUN_NO_FLAVOUR only if the user named a library */
	char *library;            /**< its full path */
	bool is_launcher;         /**< the command is a launcher whose options are known */
	bool is_program;          /**< the command is itself an MPI program */
};

/**
 * Make the plan. On failure the starter prints a line that says
 * what was found and what to do, and exits with RUN_USAGE.
 *
 * @param argv    the command, NULL-terminated, not empty
 * @param mpi     from --mpi, or RUN_NO_FLAVOUR
 * @param library from --library, or NULL
 * @param[out] ret release with run_plan_free()
 */
void run_plan_make(char *const *argv, enum run_flavour mpi, const char *library, struct run_plan *ret);

/** Free the strings of a plan; the structure itself is the caller's. */
void run_plan_free(struct run_plan *plan);

#endif /* RUN_PLAN_H */
