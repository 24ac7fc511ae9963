/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg watch: jobs that hang, one that does not, and commands that it starts. */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[SCRATCH_MAX];
static struct mpidbg_run run;

static void setup(void)
{
	scratch_make(folder, "watch");
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	scratch_remove(folder);
}

static void contains(const char *text)
{
	ck_assert_msg(strstr(run.err, text) != NULL, "no \"%s\" in (exit code %d)\n%s%s", text, run.exit_code, run.out,
		      run.err);
}

/* The report of a job that hangs; the job itself is left alone. */
START_TEST(test_hang)
{
	const struct hang hang = { .name = "ring_sendrecv_tag", .n = 3 };
	struct job job;
	char pid[32], line[SCRATCH_MAX + 100];

	if (_i == HANG_MPICH && !job_mpich_is_read())
		return;
	hang_start(&hang, (enum hang_config)_i, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	mpidbg_run(&run, "watch", "--job", pid, "--after", "1", "--then", "exit", "-o", folder, NULL);
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_str_eq(run.out, "");
	contains("mpidbg: watch: nothing has moved for ");
	contains(": the tag differs");
	contains(".txt, .html, .json\n");
	for (size_t i = 0; i < job.n_ranks; i++)
		ck_assert(!job_is_traced(job.ranks[i].pid));
	shell_run("cd %s && [ $(ls | wc -l) = 3 ] && [ -z \"$(find . -type f -perm /077)\" ] && grep -q '^2 of 3 ranks "
		  "wait for "
		  "something that can never happen' hang.*.txt && grep -q '^stuck: none of 3 ranks' hang.*.txt && grep "
		  "-q "
		  "'</html>' hang.*.html",
		  folder);
	snprintf(line, sizeof(line), "\"$0\" deadlock --progress=never --snapshot %s/hang.*.json", folder);
	mpidbg_run_free(&run);
	char path[SCRATCH_MAX * 2], sh[] = "sh", c[] = "-c";
	snprintf(path, sizeof(path), "%s/mpidbg", getenv("MPIDBG_BUILD"));
	mpidbg_run_program(&run, (char *[]){ sh, c, line, path, NULL });
	ck_assert_msg(strstr(run.out, "the tag differs"), "%s%s", run.out, run.err);
	job_end(&job);
}
END_TEST

/* It looks the same whenever somebody looks, but its messages have numbers. */
START_TEST(test_slow)
{
	struct job job;
	char pid[32], path[SCRATCH_MAX * 2], timeout[] = "timeout", seconds[] = "9", watch[] = "watch",
					     option[] = "--job", after[] = "--after=6", output[] = "-o",
					     then[] = "--then=exit";

	snprintf(path, sizeof(path), "%s/mpidbg", getenv("MPIDBG_BUILD"));
	job_start("slow", NULL, 3, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	mpidbg_run_program(&run,
			   (char *[]){ timeout, seconds, path, watch, option, pid, after, output, folder, then, NULL });
	ck_assert_msg(run.exit_code == 124, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	shell_run("[ -z \"$(ls %s)\" ]", folder);
	job_end(&job);
}
END_TEST

/* It starts a job, and ends it. */
START_TEST(test_ended)
{
	const char *build = getenv("MPIDBG_BUILD");
	char program[SCRATCH_MAX * 2];

	snprintf(program, sizeof(program), "%s/programs/hangs", build);
	launcher_environment();
	launcher_oversubscribe();
	launcher_ranks_sleep();
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	shell_run("mkdir %s/truth", folder);
	snprintf(program, sizeof(program), "%s/truth", folder);
	setenv("TRUTH_DIR", program, 1);
	snprintf(program, sizeof(program), "%s/programs/hangs", build);
	mpidbg_run(&run, "watch", "--after", "2", "--then", "end", "-o", folder, "--", "mpirun.openmpi", "-n", "3",
		   program, "ring_recv", NULL);
	ck_assert_msg(run.exit_code == 4, "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	contains("watch: nothing has moved for ");
	contains("watch: the job is ended");
	ck_assert_msg(!strstr(run.err, "has not ended"), "%s", run.err);
}
END_TEST

/* Its exit status is that of the command. */
START_TEST(test_command)
{
	static const struct {
		const char *line;
		int exit_code;
	} cases[] = { { "exit 7", 7 }, { "kill -TERM $$", 128 + 15 }, { "exec /nowhere/at/all", 127 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mpidbg_run(&run, "watch", "--after", "100", "-o", folder, "--", "sh", "-c", cases[i].line, NULL);
		ck_assert_msg(run.exit_code == cases[i].exit_code, "%s: %d\n%s", cases[i].line, run.exit_code, run.err);
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "watch", "--after", "100", "--", "/nowhere/at/all", NULL);
	ck_assert_int_eq(run.exit_code, 127);
	contains("/nowhere/at/all: No such file or directory");
}
END_TEST

START_TEST(test_usage)
{
	static const struct {
		const char *words[5];
		const char *said;
	} cases[] = { { { "--after", "1" }, "no job given" },
		      { { "--job", "1" }, "--after SECONDS" },
		      { { "--job", "1", "--", "true" }, "either --job or a command" },
		      { { "--after", "1", "--" }, "no command after --" },
		      { { "--after", "1", "--then=stop" }, "--then is continue, exit or end" },
		      { { "--after", "1", "--then=exit", "--", "true" }, "a command is waited for" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const *w = cases[i].words;
		mpidbg_run(&run, "watch", w[0], w[1], w[2], w[3], w[4], NULL);
		ck_assert_msg(run.exit_code == 2, "%s: %d\n%s", cases[i].said, run.exit_code, run.err);
		contains(cases[i].said);
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "watch", "--job", "2147483600", "--after", "1", NULL);
	ck_assert_int_eq(run.exit_code, 1);
	contains("process 2147483600: no such process");
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("watch");
	TCase *tc = tcase_create("watch");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_hang, HANG_OMPI, HANG_MPICH + 1);
	tcase_add_test(tc, test_slow);
	tcase_add_test(tc, test_ended);
	tcase_add_test(tc, test_command);
	tcase_add_test(tc, test_usage);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
