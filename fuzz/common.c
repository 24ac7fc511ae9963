/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void fuzz_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: must hold for every input: %s\n", file, line, condition);
	abort();
}

int fuzz_file(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_MUST(fd >= 0);
	for (size_t done = 0; done < n;) {
		ssize_t m = write(fd, data + done, n - done);
		FUZZ_MUST(m > 0);
		done += (size_t)m;
	}
	return fd;
}

const char *fuzz_path(int fd)
{
	static char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}
