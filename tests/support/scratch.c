/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { FOLDERS_OPEN = 16, TRIES = 50, PAUSE_NS = 20000000 };

static void put_pattern(char path[SCRATCH_MAX], const char *name)
{
	const char *tmp = getenv("TMPDIR");
	int n = snprintf(path, SCRATCH_MAX, "%s/mpidbg-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", name);

	ck_assert_msg(n < SCRATCH_MAX, "$TMPDIR is too long: %s", tmp);
}

void scratch_make(char path[SCRATCH_MAX], const char *name)
{
	put_pattern(path, name);
	ck_assert_msg(mkdtemp(path) != NULL, "%s: cannot be made: %s", path, strerror(errno));
}

int scratch_file(char path[SCRATCH_MAX], const char *name)
{
	put_pattern(path, name);
	int fd = mkostemp(path, O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s: cannot be made: %s", path, strerror(errno));
	return fd;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

void scratch_remove(const char *path)
{
	struct stat info;

	for (int i = 0; lstat(path, &info) == 0; i++) {
		if (nftw(path, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) == 0)
			return;
		ck_assert_msg(i < TRIES, "%s: cannot be removed: %s", path, strerror(errno));
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
}
