/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Current calls in the registry: tests/programs/track_calls.c compares them with what its threads do, track_clock.c
 * looks since when they last.
 */
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_S = 240 };

static const char *const modes[] = { "blocked", "callbacks", "threads" };
static const char *const launchers[] = {
	"mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi @build/programs/track_calls",
	"mpirun.mpich -n 2 -genv LD_PRELOAD @mpich @build/programs-mpich/track_calls",
};

START_TEST(test_calls)
{
	struct mpidbg_run r;
	char command[256];

	snprintf(command, sizeof command, "%s %s", launchers[_i % 2], modes[_i / 2]);
	world_run(&r, command);
	ck_assert_msg(r.exit_code == 0, "%s: exit %d\n%s%s", command, r.exit_code, r.out, r.err);
	const char *first = strstr(r.out, "ok ");
	ck_assert_msg(first && strstr(first + 1, "ok "), "%s", r.out);
	mpidbg_run_free(&r);
}
END_TEST

enum { NOT_PERMITTED = 77 };

#define CLOCK_OPENMPI "LD_PRELOAD=@openmpi @build/programs/track_clock "
#define CLOCK_MPICH   "LD_PRELOAD=@mpich @build/programs-mpich/track_clock "
static const char *const clocks[] = {
	"env " CLOCK_OPENMPI "program", "env " CLOCK_MPICH "program",    "env " CLOCK_OPENMPI "child",
	"env " CLOCK_MPICH "child",     "env " CLOCK_OPENMPI "realtime", "env " CLOCK_MPICH "realtime",
	"env " CLOCK_MPICH "session", /* Open MPI 4.1 has none */
};
enum { N_CLOCKS = sizeof clocks / sizeof clocks[0] };

START_TEST(test_clock)
{
	struct mpidbg_run r;

	world_run(&r, clocks[_i]);
	if (r.exit_code == NOT_PERMITTED)
		fprintf(stderr, "%s: not looked at: %s", clocks[_i], r.err);
	else
		ck_assert_msg(r.exit_code == 0 && strstr(r.out, "ok "), "%s: exit %d\n%s%s", clocks[_i], r.exit_code,
			      r.out, r.err);
	mpidbg_run_free(&r);
}
END_TEST

int main(void)
{
	world_require();
	Suite *s = suite_create("check_track_calls");
	TCase *tc = tcase_create("calls");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_calls, 0, 6);
	tcase_add_loop_test(tc, test_clock, 0, N_CLOCKS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
