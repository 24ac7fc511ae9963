/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file log.h
 * Messages of the starter when it cannot do its work or finds an unknown setting, one line on stderr each, and formatted
 * texts. It prints nothing else.
 */
#ifndef RUN_LOG_H
#define RUN_LOG_H

/** Exit codes of the starter itself; otherwise it ends as its command ends. */
enum {
	RUN_USAGE = 2,            /**< wrong options, or it cannot tell which library to use */
	RUN_FAILED = 125,         /**< no socket, no process, no memory */
	RUN_CANNOT_EXECUTE = 126, /**< the command is there and cannot be executed */
	RUN_NOT_FOUND = 127       /**< no such command */
};

/** Print "mpi2dd-run: " and one line on stderr. Control bytes become '?'. */
void run_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same, then exit. */
void run_fail(int exit_code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/** A formatted text, the caller's, ended by free(). Without memory the starter ends. */
char *run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* RUN_LOG_H */
