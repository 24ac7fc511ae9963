/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file log.h
 * Messages of the starter, one line on stderr each, printed when it cannot do its work or finds an unknown setting; and
 * formatted strings. The starter prints nothing else.
 */
#ifndef RUN_LOG_H
#define RUN_LOG_H

/** Exit codes of the starter itself. In all other cases it exits as its command did. */
enum {
	RUN_USAGE = 2,            /**< wrong options, or it cannot decide which library to use */
	RUN_HANG = 124,           /**< the job hung, and has been ended (--on-hang end) */
	RUN_FAILED = 125,         /**< cannot create a socket or a process, or out of memory */
	RUN_CANNOT_EXECUTE = 126, /**< the command was found but cannot be executed */
	RUN_NOT_FOUND = 127       /**< command not found */
};

/** Print "mpi2dd-run: ", the text and a newline on stderr. Control bytes are replaced by '?'. */
void run_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Print like run_log(), then exit with @p exit_code. */
void run_fail(int exit_code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/** Format a string. @return to be released with free(); never NULL: out of memory ends the starter. */
char *run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* RUN_LOG_H */
