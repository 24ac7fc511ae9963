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

const char *shell_output(int status, const char *format, ...)
{
	static char out[8192];
	char command[4 * PATH_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	out[fread(out, 1, sizeof(out) - 1, f)] = '\0';
	int rc = pclose(f);
	ck_assert_msg(WIFEXITED(rc) && WEXITSTATUS(rc) == status, "%s", out);
	return out;
}
