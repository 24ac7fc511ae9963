/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules of MPI_T, tried by programs in themselves, on both MPIs with our library: before MPI_Init, during, after
 * MPI_Finalize, in one process one after the other (which crashes a bare Open MPI 4.1), and events.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const flavours[] = { "openmpi", "mpich" };
static const struct {
	const char *program, *when;
	int n_rules; /* lines that must be there at least: a program that ends early has not tried them */
} runs[] = {
	{ "mpit_rules", "before", 61 }, { "mpit_rules", "during", 62 }, { "mpit_rules", "after", 61 },
	{ "mpit_rules", "all", 184 },   { "mpit_events", "", 45 },
};

enum { N_RUNS = sizeof runs / sizeof runs[0] };

START_TEST(test_rules)
{
	const char *flavour = flavours[_i / N_RUNS], *build = getenv("MPIDBG_BUILD");
	char program[PATH_MAX], preload[PATH_MAX], when[16];
	static char env[] = "env", timeout[] = "timeout", seconds[] = "100";
	struct mpidbg_run run;
	int n = 0;

	snprintf(program, sizeof program, "%s/programs%s/%s", build, strcmp(flavour, "mpich") == 0 ? "-mpich" : "",
		 runs[_i % N_RUNS].program);
	snprintf(preload, sizeof preload, "LD_PRELOAD=%s/libmpi2dd-%s.so", build, flavour);
	snprintf(when, sizeof when, "%s", runs[_i % N_RUNS].when);
	mpidbg_run_program(&run, (char *[]){ timeout, seconds, env, preload, program, when, NULL });
	for (const char *line = run.out; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		ck_assert_msg(strncmp(line, "fail ", 5) != 0, "%s %s: %.200s", flavour, program, line);
		n += strncmp(line, "pass ", 5) == 0;
	}
	ck_assert_msg(run.exit_code == 0 && n >= runs[_i % N_RUNS].n_rules, "%s: exit %d, %d rules\n%s", program,
		      run.exit_code, n, run.err);
	mpidbg_run_free(&run);
}
END_TEST

/* Linked instead of preloaded: the linker may leave the MPI library out, as ours defines all that the program calls. */
START_TEST(test_linked)
{
	char build[PATH_MAX], line[3 * PATH_MAX], program[] = "/tmp/mpidbg-linked-XXXXXX";
	static char timeout[] = "timeout", seconds[] = "100", during[] = "during";
	struct mpidbg_run run;
	int fd = mkstemp(program);

	ck_assert(fd >= 0 && realpath(getenv("MPIDBG_BUILD"), build) != NULL);
	close(fd);
	snprintf(line, sizeof line,
		 "mpicc.%s tests/programs/mpit_rules.c -o %s -L%s -lmpi2dd-%s -Wl,--as-needed -Wl,-rpath,%s",
		 flavours[_i], program, build, flavours[_i], build);
	ck_assert_int_eq(system(line), 0);
	mpidbg_run_program(&run, (char *[]){ timeout, seconds, program, during, NULL });
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "pass P11") != NULL, "exit %d\n%s%s", run.exit_code,
		      run.out, run.err);
	mpidbg_run_free(&run);
	unlink(program);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("check_mpit_rules");
	TCase *tc = tcase_create("rules");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_rules, 0, N_RUNS * (int)(sizeof flavours / sizeof flavours[0]));
	tcase_add_loop_test(tc, test_linked, 0, (int)(sizeof flavours / sizeof flavours[0]));
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
