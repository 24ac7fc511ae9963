/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file answers.h
 * For test programs: print what the command must answer about this process, a line of JSON each, on standard output:
 *
 *   {"args": "print request 0x98000000", "is": {"made_by": "MPI_Irecv", "tag": 7}}
 *   {"args": "print request 0x1", "exit": 1, "words": "no request is 0x1"}
 *   ready PID
 *
 * tests/support/answers.h asks and compares. Formats are printf's, with ' for ". Only one process of the job may print
 * anything (emit_on).
 */
#ifndef ANSWERS_H
#define ANSWERS_H

#include <mpi.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Bits of a handle, as the command prints them. */
#define BITS(handle) (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

/** What must hold for the truth to be one. */
#define TRUST(ok) ((ok) ? (void)0 : (void)(fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok), _exit(1)))

static bool emit_on = true;

__attribute__((unused, format(printf, 1, 2))) static void emit(const char *format, ...)
{
	char text[4096];
	va_list args;

	if (!emit_on)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	puts(text);
}

/** What `mpidbg print KIND HANDLE` must answer; the rest are the members and their arguments. */
#define EMIT_ANSWER(kind, handle, members, ...)                                                                        \
	emit("{'args': 'print " kind " 0x%" PRIx64 "', 'is': {" members "}}", BITS(handle), ##__VA_ARGS__)

/** The last line: the driver may look now. Never returns. */
__attribute__((unused, noreturn)) static void emit_ready(void)
{
	if (emit_on) {
		printf("ready %d\n", (int)getpid());
		fflush(stdout);
	}
	for (;;)
		pause();
}

#endif /* ANSWERS_H */
