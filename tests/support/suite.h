/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file suite.h
 * Runs a Check suite, at the end of every test program's main().
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

/**
 * Run a suite as CK_VERBOSITY says and release it.
 *
 * @return the exit code of the program: EXIT_SUCCESS when every test passed, else EXIT_FAILURE.
 */
int suite_run(Suite *suite);

/**
 * Step of a loop that injects a fault at each of many points: @p stride, or 1 under make check-all (CHECK_ALL is
 * set). A loop test starts at its own number modulo the step, so that its repetitions together cover every point.
 */
unsigned suite_stride(unsigned stride);

#endif /* TESTS_SUITE_H */
