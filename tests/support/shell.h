/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file shell.h
 * Runs shell commands in a test.
 */
#ifndef TEST_SHELL_H
#define TEST_SHELL_H

#include <stddef.h>

/** Run a command; the test fails, with the command, when its exit status is not 0. */
void shell_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Run a command; the test fails, with what it has printed, when its exit status is not @p status.
 *
 * @return the first 8,191 bytes of its standard output, valid until the next call
 */
const char *shell_output(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Run a command.
 *
 * @param[out] ret what fits of its standard output, terminated
 * @return its exit status
 */
int shell_status(char *ret, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif /* TEST_SHELL_H */
