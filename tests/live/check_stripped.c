/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without symbols: the place of the missing rank is that in its file, and with its separate debug
 * information beside it (.gnu_debuglink), or from a server (--debuginfod), function and line, as GDB finds them.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3 };

static char dir[SCRATCH_MAX];

static void must(const char *format, const char *a, const char *b)
{
	char command[4 * PATH_MAX];

	snprintf(command, sizeof(command), format, a, b);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* The verdict, once all ranks are in their state. */
static void judge(const char *program, const char *option, const char *expected, const char *stack)
{
	struct mpidbg_run run;
	struct job job;
	char command[PATH_MAX], pid[32];
	bool there = false;

	snprintf(command, sizeof(command), "%s allreduce_sleeps", program);
	job_start(command, NULL, N, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	while (!there) {
		mpidbg_run(&run, "deadlock", "--job", pid, option, NULL);
		there = run.exit_code == 4;
		if (there)
			ck_assert_msg(strstr(run.out, expected), "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "stacks", "--job", pid, option, NULL);
	ck_assert_msg(strstr(run.out, stack) && !strstr(run.out, "__libc_start"), "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	job_end(&job);
}

START_TEST(test_places)
{
	char build[PATH_MAX], program[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	scratch_make(dir, "stripped");
	snprintf(program, sizeof(program), "%s/app", dir);
	must("strip -o %s %s/programs/hangs", program, build);
	judge(program, NULL, "missing rank: look at rank 2, in app+0x", "?? in app+0x");
	must("objcopy --only-keep-debug %2$s/programs/hangs %1$s/app.debug", dir, build);
	must("cd %s && objcopy --add-gnu-debuglink=app.debug %s", dir, program);
	judge(program, NULL, "missing rank: look at rank 2, hangs.", "read_block at hangs.");
	scratch_remove(dir);
}
END_TEST

/* Nothing is asked without the option. */
START_TEST(test_server)
{
	char build[PATH_MAX], program[PATH_MAX], url[PATH_MAX], cache[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	scratch_make(dir, "debuginfod");
	snprintf(program, sizeof(program), "%s/app", dir);
	snprintf(url, sizeof(url), "file://%s", dir);
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	must("strip -o %s %s/programs/hangs", program, build);
	must("cd %s && id=$(readelf -n app | sed -n 's/.*Build ID: //p') && mkdir -p buildid/$id && "
	     "objcopy --only-keep-debug %s/programs/hangs buildid/$id/debuginfo",
	     dir, build);
	judge(program, NULL, "missing rank: look at rank 2, in app+0x", "?? in app+0x");
	judge(program, "--debuginfod", "missing rank: look at rank 2, hangs.", "read_block at hangs.");
	scratch_remove(dir);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("stripped");
	TCase *tc = tcase_create("program");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_test(tc, test_places);
	if (dlopen("libdebuginfod.so.1", RTLD_LAZY))
		tcase_add_test(tc, test_server);
	else
		puts("skipped: --debuginfod: libdebuginfod.so.1 is not installed");
	suite_add_tcase(s, tc);
	return suite_run(s);
}
