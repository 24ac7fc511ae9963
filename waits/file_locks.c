/* SPDX-License-Identifier: BSD-3-Clause */
#include "file_locks.h"

#include "../host/maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * "1: FLOCK  ADVISORY  WRITE 4711 08:02:1234 0 EOF" is a lock; "1: -> FLOCK  ADVISORY  WRITE 4712 08:02:1234 0 EOF"
 * waits for the lock with the same number.
 */
size_t wt_file_lock_holders(pid_t pid, int64_t tid, pid_t *ret, size_t max)
{
	char *text = host_read_file("/proc/locks", NULL), *save = NULL;
	long holder = 0, holder_number = -1;
	size_t n = 0;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && n < max;
	     line = strtok_r(NULL, "\n", &save)) {
		long number, waiting = 0, who;
		if (sscanf(line, "%ld: -> %*s %*s %*s %ld", &number, &waiting) == 2) {
			if (number == holder_number && (waiting == pid || waiting == tid) && holder > 0)
				ret[n++] = (pid_t)holder;
		} else if (sscanf(line, "%ld: %*s %*s %*s %ld", &number, &who) == 2) {
			holder = who;
			holder_number = number;
		}
	}
	free(text);
	return n;
}
