/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs in which no rank is stuck, however slow they are: it must not report that a rank waits for
 * ever, and its exit status must not be 4. The cases are in tests/programs/hangs_going.h.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/process.h"
#include "../support/suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

START_TEST(test_goes_on)
{
	hang_try_index(_i);
}
END_TEST

/* From now on, perf_event_open() fails as where kernel.perf_event_paranoid forbids it. */
static void forbid_counting(void)
{
	process_forbid(SYS_perf_event_open, EACCES);
	ck_assert(!hang_can_count());
}

/*
 * Two calls of MPI_Waitany look alike in MPICH's memory, and two at a window in Open MPI's. Where returns cannot be
 * counted, a rank in it is not said to wait for ever, and the answer says why.
 */
START_TEST(test_uncounted)
{
	static const struct {
		struct hang hang;
		enum hang_config config;
		const char *said;
	} all[] = { { { .name = "waitany_all", .n = 3 }, HANG_MPICH, "MPI_Waitany may have returned" },
		    { { .name = "pscw_start", .n = 2 }, HANG_OMPI, "MPI_Win_start may have returned" } };
	struct mpidbg_run run;
	struct job job;
	char launcher[32];

	if (all[_i].config == HANG_MPICH && !job_mpich_is_read())
		return;
	forbid_counting();
	hang_start(&all[_i].hang, all[_i].config, &job);
	snprintf(launcher, sizeof(launcher), "%d", (int)job.launcher);
	bool said = false;
	for (double end = job_now() + 60; !said && job_now() < end; mpidbg_run_free(&run)) {
		mpidbg_run(&run, "deadlock", "--job", launcher, NULL);
		ck_assert_int_ne(run.exit_code, 4);
		said = strstr(run.out, all[_i].said) && strstr(run.out, "perf_event_paranoid");
		if (!said)
			fprintf(stderr, "%s", run.out);
	}
	ck_assert(said);
	job_end(&job);
}
END_TEST

/*
 * Ranks that pass a message on by polling do not spin, though each is in its polling function at each moment, and the
 * message is not seen on its way. Where sends cannot be counted, the answer says so.
 */
START_TEST(test_polling_ring)
{
	enum { QUESTIONS = 6 };
	const struct hang ring = { .name = "iprobe_ring", .n = 3 };
	bool counts = _i<2, mpich = _i> 0, said = counts;
	struct mpidbg_run run;
	struct job job;
	char launcher[32];

	if (mpich && !job_mpich_is_read())
		return;
	if (!counts)
		forbid_counting();
	hang_start(&ring, mpich ? HANG_MPICH : HANG_OMPI, &job);
	snprintf(launcher, sizeof(launcher), "%d", (int)job.launcher);
	for (int i = 0; i < QUESTIONS; i++, mpidbg_run_free(&run)) {
		mpidbg_run(&run, "deadlock", "--job", launcher, NULL);
		ck_assert_msg(run.exit_code == 0, "%s%s", run.out, run.err);
		said |= strstr(run.out, "it is unknown whether any rank sends a message to ") &&
			strstr(run.out, "perf_event_paranoid");
	}
	ck_assert(said || hang_can_count());
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("no_deadlock");
	TCase *tc = tcase_create("goes on"), *counted = tcase_create("counted");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	hang_add(tc, test_goes_on, true, 2);
	tcase_set_timeout(counted, LIVE_TIMEOUT_S);
	tcase_add_loop_test(counted, test_uncounted, 0, 2);
	tcase_add_loop_test(counted, test_polling_ring, 0, 3);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, counted);
	return suite_run(s);
}
