/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file live_main.h
 * The common form of a live test: a table of programs. Each is started, and the output of mpidbg for every rank is
 * compared with the facts that the rank has written: live, with --all, and from cores.
 */
#ifndef TEST_LIVE_MAIN_H
#define TEST_LIVE_MAIN_H

#include <check.h>
#include <stddef.h>

struct live_case {
	const char *command; /**< as for job_start() */
	const char *mca;     /**< more arguments of the launcher, or NULL */
	int n, n_truths;
	const char *component;  /**< "osc:pt2pt": run only where Open MPI has it, else say so; NULL: always run */
	const char *crashes_in; /**< "6.0.0rc2": this release of Open MPI itself crashes: not run with it; NULL: none */
};

/** The receiver does not copy from the sender's memory: a
 * parameter of btl/vader, and since 5.0 a separate framework. */
#define LIVE_NO_SINGLE_COPY "--mca btl_vader_single_copy_mechanism none --mca smsc ^cma"

/** Seconds that a test with jobs may take on a loaded machine. */
enum { LIVE_TIMEOUT_S = 240 };

/**
 * For a test in a folder of its own: exits 77, with the reason, when jobs cannot run here, when there is another reason
 * (@p why, not NULL), and when the folder cannot be made.
 *
 * @param folder as for mkdtemp()
 */
void live_require(const char *why, char *folder);

/**
 * Run the table, then the tests of @p more (NULL: none), which may be given a test case made with
 * tcase_create(). Exits 77 when jobs cannot run here.
 *
 * @return what main() returns
 */
int live_main(const char *suite_name, const struct live_case *cases, size_t n_cases, TCase *more);

#endif /* TEST_LIVE_MAIN_H */
