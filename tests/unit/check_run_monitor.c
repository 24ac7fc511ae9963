/* SPDX-License-Identifier: BSD-3-Clause */
/* The file for a monitoring system: a regular file is replaced, a pipe or a device is written to and stays. */
#include "../../mpi2dd/run/monitor.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SCRATCH_MAX], path[SCRATCH_MAX + 16];

static void setup(void)
{
	scratch_make(folder, "monitor");
	snprintf(path, sizeof(path), "%s/hangs.prom", folder);
}

static void teardown(void)
{
	scratch_remove(folder);
}

/* What the file or pipe has, and that nothing else is left in the folder. */
static void expect(int fd, const char *line)
{
	char text[4096];
	ssize_t n = read(fd, text, sizeof(text) - 1);
	int n_entries = 0;

	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_msg(strstr(text, line) != NULL, "%s is missing in: %s", line, text);
	DIR *d = opendir(folder);
	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		n_entries += e->d_name[0] != '.';
	closedir(d);
	ck_assert_int_eq(n_entries, 1);
}

START_TEST(test_file)
{
	for (size_t n = 0; n < 2; n++) {
		ck_assert(run_monitor_write(path, 77, n));
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ck_assert_int_ge(fd, 0);
		expect(fd, n ? "mpidbg_job_hung{job=\"77\",host=" : "mpidbg_job_stalled_processes{job=\"77\",host=");
		close(fd);
	}
}
END_TEST

START_TEST(test_pipe)
{
	struct stat s;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert(run_monitor_write(path, 77, 3));
	ck_assert_int_eq(stat(path, &s), 0);
	ck_assert_msg(S_ISFIFO(s.st_mode), "the pipe was replaced");
	expect(fd, "\"} 3\n");
	close(fd);
}
END_TEST

START_TEST(test_failure)
{
	snprintf(path, sizeof(path), "%s/none/hangs.prom", folder);
	errno = 0;
	ck_assert(!run_monitor_write(path, 77, 0));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert(run_monitor_write("", 77, 0));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("run_monitor");
	TCase *tc = tcase_create("run_monitor");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_file);
	tcase_add_test(tc, test_pipe);
	tcase_add_test(tc, test_failure);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
