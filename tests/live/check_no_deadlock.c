/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs in which nobody is stuck, slow as they may be: no rank may be said to wait for ever, and the exit
 * status may not be 4. tests/programs/hangs_going.h has the cases.
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
