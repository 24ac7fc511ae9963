/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs in which no rank is stuck, however slow they are: it must not report that a rank waits for
 * ever, and its exit status must not be 4. The cases are in tests/programs/hangs_going.h.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/suite.h"

#include <check.h>

START_TEST(test_goes_on)
{
	hang_try_index(_i);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("no_deadlock");
	TCase *tc = tcase_create("goes on");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	hang_add(tc, test_goes_on, true, 2);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
