/* SPDX-License-Identifier: BSD-3-Clause */
#include "spent.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double spent_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

long spent_kb(const char *key)
{
	char line[256];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
			kb = atol(line + strlen(key) + 1);
	if (f)
		fclose(f);
	return kb;
}

long spent_reset_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);

	if (fd >= 0) {
		if (write(fd, "5", 1) != 1)
			fprintf(stderr, "bench: the peak cannot be reset: it counts from the start\n");
		close(fd);
	}
	return spent_kb("VmRSS");
}
