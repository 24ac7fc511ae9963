/* SPDX-License-Identifier: BSD-3-Clause */
/* A process in a user name space beside that of mpidbg, also if both have the same users: the answer says so. */
#include "../support/mpidbg_run.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program as the user nobody, in a user name space in which that user has this number. */
#define AS_NOBODY "exec setpriv --reuid=65534 --regid=65534 --clear-groups unshare --user --map-user"

static pid_t start(const char *command)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* The numbers that nobody has in both name spaces. 0: mpidbg has all rights in its own. */
static const struct {
	int its, ours;
} users[] = { { 5, 9 }, { 0, 0 } };
enum { N_USERS = sizeof(users) / sizeof(users[0]) };

START_TEST(test_sibling)
{
	char sh[] = "sh", c[] = "-c", line[400];
	struct mpidbg_run run;

	snprintf(line, sizeof(line), AS_NOBODY "=%d %s/mpidbg --version >/dev/null 2>&1", users[_i].ours,
		 getenv("MPIDBG_BUILD"));
	if (system(line) != 0) {
		puts("no user name spaces for other users here, or they may not enter the build: not tested");
		return;
	}
	snprintf(line, sizeof(line), AS_NOBODY "=%d sleep 1000", users[_i].its);
	pid_t other = start(line);
	shell_run(
		"for i in $(seq 600); do grep -q '^ *%d  *65534 ' /proc/%d/uid_map && grep -qx sleep /proc/%d/comm && "
		"exit 0; sleep 0.1; done; exit 1",
		users[_i].its, (int)other, (int)other);
	snprintf(line, sizeof(line), AS_NOBODY "=%d %s/mpidbg queues -p %d", users[_i].ours, getenv("MPIDBG_BUILD"),
		 (int)other);
	mpidbg_run_program(&run, (char *[]){ sh, c, line, NULL });
	ck_assert_msg(run.exit_code == 3, "exit code %d: %s", run.exit_code, run.err);
	ck_assert_msg(strstr(run.err, "it is in another user name space, that of a container: run mpidbg in there"),
		      "%s", run.err);
	mpidbg_run_free(&run);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("other_users");
	TCase *tc = tcase_create("other_users");

	tcase_add_loop_test(tc, test_sibling, 0, N_USERS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
