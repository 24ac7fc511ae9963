/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file shell.h
 * Runs shell commands in a test.
 */
#ifndef TEST_SHELL_H
#define TEST_SHELL_H

/** Run a command; the test fails, with the command, when its exit status is not 0. */
void shell_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* TEST_SHELL_H */
