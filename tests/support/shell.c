/* SPDX-License-Identifier: BSD-3-Clause */
#include "shell.h"

#include <check.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

void shell_run(const char *format, ...)
{
	char command[4 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* Run a command and keep what it has printed. @return its exit status */
static int run(char *ret, size_t size, const char *format, va_list args)
{
	char command[4 * PATH_MAX], rest[4096];

	vsnprintf(command, sizeof(command), format, args);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	ret[fread(ret, 1, size - 1, f)] = '\0';
	while (fread(rest, 1, sizeof(rest), f) > 0)
		;
	int rc = pclose(f);
	ck_assert_msg(WIFEXITED(rc), "%s", ret);
	return WEXITSTATUS(rc);
}

int shell_status(char *ret, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int rc = run(ret, size, format, args);
	va_end(args);
	return rc;
}

const char *shell_output(int status, const char *format, ...)
{
	static char out[8192];
	va_list args;

	va_start(args, format);
	int rc = run(out, sizeof(out), format, args);
	va_end(args);
	ck_assert_msg(rc == status, "%s", out);
	return out;
}
