/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file suite.h
 * Running a Check suite: the end of every test program's main().
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
 * Step of a loop that tries one fault at each of many places: @p stride, and 1 under make check-all (CHECK_ALL is set). A
 * loop test starts at its own number modulo the step, so that its repetitions together try every place.
 */
unsigned suite_stride(unsigned stride);

#endif /* TESTS_SUITE_H */
