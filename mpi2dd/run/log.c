/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void write_line(const char *format, va_list ap)
{
	char line[2048];

	vsnprintf(line, sizeof(line), format, ap);
	for (char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	fprintf(stderr, "mpi2dd-run: %s\n", line);
}

void run_log(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	write_line(format, ap);
	va_end(ap);
}

void run_fail(int exit_code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	write_line(format, ap);
	va_end(ap);
	exit(exit_code);
}

char *run_text(const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		run_fail(RUN_FAILED, "out of memory");
	va_end(ap);
	return text;
}
