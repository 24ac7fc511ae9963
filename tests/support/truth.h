/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file truth.h
 * The facts written by the programs under test, compared with the output of the command (docs/json.md).
 *
 * Only facts in the truth are compared; a list in it is complete, and so is the list of communicators. Receives
 * must be in the order of posting, messages in the order of arrival per source, sends and collectives in any
 * order; "unordered" in a communicator names further lists without order.
 */
#ifndef TEST_TRUTH_H
#define TEST_TRUTH_H

#include "job.h"

#include <jansson.h>
#include <stdio.h>

enum truth_mode {
	TRUTH_LIVE,
	TRUTH_CORE, /**< pid is not compared */
	TRUTH_ALL   /**< answer to --all: it must contain the listed facts, including inactive requests */
};

/**
 * Compare one process.
 *
 * @param seen   a PROCESS
 * @param report each difference as a line "rank 0: ring: pending_receives[2]: tag: expected 7, seen 8"
 * @return number of differences
 */
int truth_compare(const json_t *truth, const json_t *seen, enum truth_mode mode, FILE *report);

/**
 * The library keeps nothing of communicator @p i of a truth, which the program has released with receives pending: they
 * are expected in "orphans". Other sends and receives there are differences.
 */
void truth_orphan(json_t *truth, size_t i);

/** What blocked calls of MPI_Probe and MPI_Mprobe wait for is not known: only the functions are compared. */
void truth_without_probes(json_t *truth);

/** ... of a core, or where calls cannot be counted. */
void truth_probes_live(json_t *truth);

/**
 * Check the output of the command for every rank of a job, live
 * and from cores. Ends the test with a list of differences.
 *
 * Live answers are asked again for up to 20 s: a rank that has announced that it blocks may not have arrived yet.
 * The cores are taken then, the job is stopped, and there is one try for each core.
 */
void truth_check_job(struct job *job);

/** As truth_check_job(), only live, one command for the whole job. */
void truth_check_live(struct job *job);

/** Only from cores; job_cores() must have been called. */
void truth_check_cores(struct job *job);

#endif /* TEST_TRUTH_H */
