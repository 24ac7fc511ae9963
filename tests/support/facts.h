/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file facts.h
 * Jobs whose rank 0 prints the expected facts, line by line, and then "ready PID": the facts_... programs and handles
 * (tests/programs/facts.h), whose lines are compared with the answers of mpidbg here; and mpit_vars.
 */
#ifndef TEST_FACTS_H
#define TEST_FACTS_H

#include "scratch.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum facts_mpi { FACTS_OPENMPI, FACTS_MPICH, FACTS_N_MPIS };

struct facts {
	enum facts_mpi mpi;
	pid_t launcher, rank0;
	char dir[SCRATCH_MAX]; /**< scratch folder; its path and "/data" is the program's argument */
	char program[512];     /**< path of the executable */
	char **lines;
	size_t n;
	const char *target[5]; /**< how mpidbg selects rank 0: "-p PID", or "--core FILE -e PROGRAM" */
	char pid_text[16], launcher_text[16], core[SCRATCH_MAX + 32];
};

/**
 * Start a program with the in-target library in its ranks, and read the output of rank 0 until it is ready.
 *
 * @param program name in tests/programs, or the path of another one
 * @param n       ranks
 */
void facts_start(enum facts_mpi mpi, const char *program, int n, struct facts *ret);

/**
 * Start the next jobs without the in-target library, and do not compare facts that only that library records: past
 * actions of the program and freed objects.
 */
extern bool facts_bare;

/** Environment of one rank: words "NAME=VALUE", the last one NULL. */
typedef const char *const facts_env[4];

/** As facts_start(), two ranks of a program in tests/programs, each with a separate environment. */
void facts_start_pair(enum facts_mpi mpi, const char *program, const char *argument, const facts_env env[2],
		      struct facts *ret);

/** Take a core of rank 0 with gcore; further queries are about the core. */
void facts_core(struct facts *t);

/** End the job and remove its files. */
void facts_stop(struct facts *t);

/** The first process of an answer in JSON. */
json_t *facts_process(const json_t *answer);

/** Run `mpidbg` with these words, NULL for none, on rank 0, with --json. @return the process; owned with *answer */
json_t *facts_ask(const struct facts *t, json_t **answer, const char *command, const char *word1, const char *word2);

/** The text of `mpidbg COMMAND WORD1 WORD2` for rank 0, malloc'ed. Ends the test if it fails. */
char *facts_text(const struct facts *t, const char *command, const char *word1, const char *word2);

/**
 * Compare everything that the program has printed. Differences go to stderr.
 *
 * @param[out] n_facts facts that were compared
 * @return how many differ
 */
unsigned facts_compare(struct facts *t, unsigned *n_facts);

#endif /* TEST_FACTS_H */
