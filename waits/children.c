/* SPDX-License-Identifier: BSD-3-Clause */
#include "children.h"

#include "../host/maps.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

size_t wt_children_of(pid_t pid, int64_t tid, pid_t *ret, size_t max)
{
	char path[96];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)tid);
	char *text = host_read_file(path, NULL), *at = text;
	while (at && *at && n < max) {
		long child = strtol(at, &at, 10);
		if (child <= 0)
			break;
		ret[n++] = (pid_t)child;
	}
	free(text);
	return n;
}

size_t wt_children(pid_t pid, pid_t *ret, size_t max)
{
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && n < max && (e = readdir(d));)
		if (atoi(e->d_name) > 0)
			n += wt_children_of(pid, atoi(e->d_name), ret + n, max - n);
	if (d)
		closedir(d);
	return n;
}
