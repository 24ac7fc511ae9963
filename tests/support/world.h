/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file world.h
 * Jobs of tests/programs/world.c: the facts that each rank reports about itself, and its MPI2DD_info.
 *
 * Command lines are words separated by single spaces. In them
 * @openmpi and @mpich are replaced by the in-target libraries,
 * @build for the build folder, @world and @worldmpich for the program, @support for tests/support.
 */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include "mpidbg_run.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Skips the whole program (exit 77) when jobs cannot run. For main(). */
void world_require(void);

/** The command line with its @words replaced; malloc. */
char *world_command(const char *command);

/** Run it. @param ret mpidbg_run_free() */
void world_run(struct mpidbg_run *ret, const char *command);

/** Run it; it must end with 0, and its output is an array, an object for each rank; a new reference. */
json_t *world_table(const char *command);

/** Start it in the background; standard output goes to a file whose descriptor is @p out. It ends with the test. */
pid_t world_start(const char *command, int *out);

/** Rank's object. */
const json_t *world_rank(const json_t *table, size_t rank);
const json_t *world_info(const json_t *table, size_t rank);

/** Members, which must be there. */
long long world_number(const json_t *object, const char *name);
const char *world_text(const json_t *object, const char *name);

/**
 * Follow the tables as a debugger does, from one rank to the metadirectory, to every directory, to all processes.
 *
 * @return a new array of the entries of the proctables, in the order found; ends the test if a table is missing
 */
json_t *world_walk(const json_t *table, size_t from_rank);

#endif /* TEST_WORLD_H */
