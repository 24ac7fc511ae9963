/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file answers.h
 * Jobs of programs that print the expected answers of the command (tests/programs/answers.h), with the in-target
 * library, under either MPI; asked live and from a core.
 */
#ifndef TEST_ANSWERS_H
#define TEST_ANSWERS_H

#include "mpidbg_run.h"
#include "scratch.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum answers_mpi { ANSWERS_OPENMPI, ANSWERS_MPICH, ANSWERS_MPIS };

struct answers {
	pid_t launcher, rank0;
	char dir[SCRATCH_MAX];       /**< its own, removed at the end; the program is given the path of a file in it */
	char core[SCRATCH_MAX + 32]; /**< "" none was taken */
	json_t **truths;             /**< expected facts, an object per line of output */
	size_t n;
};

/**
 * Start a program and wait until it is ready. Fails the test if it does not become ready.
 *
 * @param program path below the build folder, or with / before it any path; %s in it becomes "openmpi" or "mpich"
 * @param environment "NAME=value" for the ranks, several separated by single spaces; or NULL
 */
void answers_start(struct answers *t, enum answers_mpi mpi, const char *program, int ranks, const char *environment);

/**
 * Is the program replaced by a text, because this MPI lacks the feature? Then prints the text.
 *
 * @param program as for answers_start()
 */
bool answers_lacks(enum answers_mpi mpi, const char *program);

/** Take a core of rank 0 with gcore. It runs on. */
void answers_core(struct answers *t);

/** End the job and remove its files. An all-zero struct is accepted. */
void answers_stop(struct answers *t);

/** Run the command on rank 0 or on its core. @param args its words, separated by single spaces */
void answers_run(struct mpidbg_run *ret, const struct answers *t, const char *args, bool core);

/**
 * Ask all that it printed, what "is" says being compared with the object of `print`; with the communicator that "comm"
 * names, or the operation of its queue "key" that has "tag"; otherwise with the complete process; of the process or
 * of its core; differences are printed.
 *
 * @return number of lines that differ
 */
unsigned answers_ask(struct answers *t, bool core);

/**
 * Does @p seen contain everything in @p expected? An array must have the same length, unless its last element is
 * "...". A string that starts with ~ must be contained. Differences are printed.
 */
bool answers_holds(const json_t *expected, const json_t *seen, const char *where);

#endif /* TEST_ANSWERS_H */
