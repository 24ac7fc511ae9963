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

#endif /* TESTS_SUITE_H */
