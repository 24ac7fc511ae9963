/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file plan.h
 * How a command is started: which library, and how it is loaded into the ranks.
 */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "flavour.h"
#include "launch.h"

struct run_plan {
	char *path; /**< file of the command */
	enum run_style style;
	enum run_flavour flavour; /**< RUN_NO_FLAVOUR only with a library given */
	char *library;            /**< full path */
	bool is_launcher;         /**< the command is a launcher whose options are known */
	bool is_program;          /**< the command is itself a program of MPI */
};

/**
 * Make the plan, or end the starter with a line that says what was found and what to do.
 *
 * @param argv    the command, NULL-terminated, not empty
 * @param mpi     as the user says, or RUN_NO_FLAVOUR
 * @param library as the user says, or NULL
 */
void run_plan_make(char *const *argv, enum run_flavour mpi, const char *library, struct run_plan *ret);

/** Release. */
void run_plan_free(struct run_plan *plan);

#endif /* RUN_PLAN_H */
