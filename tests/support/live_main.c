/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_main.h"

#include "job.h"
#include "packs.h"
#include "truth.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct live_case *table;

START_TEST(test_case)
{
	struct job job;

	if (table[_i].crashes_in && !strcmp(table[_i].crashes_in, pack_installed_release())) {
		printf("%s %s: not run: Open MPI %s itself crashes (docs/limits.md)\n", table[_i].command,
		       table[_i].mca, table[_i].crashes_in);
		return;
	}
	if (table[_i].component && !job_has_component(table[_i].component)) {
		printf("%s %s: not run: this Open MPI has no component %s\n", table[_i].command,
		       table[_i].mca ? table[_i].mca : "", table[_i].component);
		return;
	}
	job_start(table[_i].command, table[_i].mca, table[_i].n, table[_i].n_truths, &job);
	truth_check_job(&job);
	job_end(&job);
}
END_TEST

void live_require(const char *why, char *folder)
{
	job_require();
	if (!why && mkdtemp(folder))
		return;
	printf("skipped: %s\n", why ? why : "no folder can be made in /tmp");
	exit(77);
}

int live_main(const char *suite_name, const struct live_case *cases, size_t n_cases, TCase *more)
{
	job_require();
	table = cases;

	Suite *suite = suite_create(suite_name);
	if (n_cases) {
		TCase *tc = tcase_create("truth");
		tcase_set_timeout(tc, LIVE_TIMEOUT_S);
		tcase_add_loop_test(tc, test_case, 0, (int)n_cases);
		suite_add_tcase(suite, tc);
	}
	if (more) {
		tcase_set_timeout(more, LIVE_TIMEOUT_S);
		suite_add_tcase(suite, more);
	}
	return suite_run(suite);
}
