/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <stdio.h>
#include <string.h>

bool process_stat(pid_t pid, struct process_stat *ret)
{
	char path[64], text[1024];
	struct process_stat s;
	unsigned long user, system;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	/* the program's name, which precedes it, may contain spaces and parentheses */
	const char *end = strrchr(text, ')');
	if (!end || sscanf(end, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
			   &s.state, &s.parent, &user, &system, &s.started) != 5)
		return false;
	s.ticks = user + system;
	*ret = s;
	return true;
}

char process_state(pid_t pid)
{
	struct process_stat s;

	return process_stat(pid, &s) ? s.state : 0;
}
