/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores that are kept with their programs and their truth: the same answers from one release to the next, without any
 * MPI job. The files of the distribution that they were made on must be here: the cores leave out what stands in them.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/truth.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "receives", "inter" };
enum { N_NAMES = sizeof names / sizeof names[0] };

static void unpack(const char *name, char path[SCRATCH_MAX])
{
	char command[1024];

	close(scratch_file(path, "core"));
	snprintf(command, sizeof command, "zstd -dqf tests/cores/%s.core.zst -o %s", name, path);
	ck_assert_msg(system(command) == 0, "failed: %s", command);
}

/* Are the library's files those of the core? The command says so itself. */
static const char *why_not(void)
{
	if (access("tests/cores/receives.core.zst", R_OK))
		return "tests/cores is not below the working folder";
	if (system("command -v zstd >/dev/null 2>&1"))
		return "zstd is not installed";
	if (system("mpirun.openmpi --version 2>/dev/null | grep -q ' 4\\.1\\.4$'"))
		return "the kept cores are of Open MPI 4.1.4, which is not installed";
	return NULL;
}

START_TEST(test_kept)
{
	char core[SCRATCH_MAX], exe[256], truth_path[256], *report = NULL;
	struct mpidbg_run run;
	json_error_t error;
	size_t n_report;

	unpack(names[_i], core);
	snprintf(exe, sizeof exe, "tests/cores/%s", names[_i]);
	snprintf(truth_path, sizeof truth_path, "tests/cores/%s.json", names[_i]);
	json_t *truth = json_load_file(truth_path, 0, &error);
	ck_assert_msg(truth != NULL, "%s: %s", truth_path, error.text);
	mpidbg_run(&run, "queues", "--core", core, "-e", exe, "--json", NULL);
	remove(core);
	ck_assert_msg(run.exit_code == 0, "exit %d: %s", run.exit_code, run.err);
	json_t *json = mpidbg_run_json(&run);

	FILE *f = open_memstream(&report, &n_report);
	ck_assert_ptr_nonnull(f);
	int n = truth_compare(truth, json_array_get(json_object_get(json, "processes"), 0), TRUTH_CORE, f);
	fclose(f);
	ck_assert_msg(n == 0, "%d differences:\n%.2000s", n, report);
	free(report);
	json_decref(json);
	json_decref(truth);
	mpidbg_run_free(&run);
}
END_TEST

/* Without the program there are no live copies of the library's variables: that must be said, not guessed. */
START_TEST(test_other_program)
{
	struct mpidbg_run run;
	char core[SCRATCH_MAX];

	unpack(names[0], core);
	mpidbg_run(&run, "queues", "--core", core, "-e", "/bin/true", NULL);
	remove(core);
	ck_assert_msg(run.exit_code == 1 || run.exit_code == 3, "exit %d: %s", run.exit_code, run.out);
	ck_assert_uint_gt(strlen(run.err), 10);
	mpidbg_run_free(&run);
}
END_TEST

int main(void)
{
	const char *why = why_not();

	if (why) {
		printf("%s\n", why);
		return 77;
	}
	Suite *suite = suite_create("check_cores");
	TCase *tc = tcase_create("kept");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_kept, 0, N_NAMES);
	tcase_add_test(tc, test_other_program);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
