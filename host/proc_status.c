/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc_status.h"

#include "maps.h"

#include <stdio.h>
#include <string.h>

bool host_status_field(const char *status, const char *name, char *ret, size_t size)
{
	size_t n = strlen(name);

	for (const char *line = status; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) != 0 || line[n] != ':')
			continue;
		const char *v = line + n + 1;
		v += strspn(v, " \t");
		snprintf(ret, size, "%.*s", (int)strcspn(v, "\n"), v);
		return true;
	}
	return false;
}

char *host_status_read(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	return host_read_file(path, NULL);
}
