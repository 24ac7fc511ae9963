/* SPDX-License-Identifier: BSD-3-Clause */
/* Many processes stopped at one moment: more of them compute than there are processors, and some cannot be stopped. */
#include "../../host/host.h"
#include "../support/host_child.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Processes that compute, that are in an uninterruptible sleep, and one that is killed before the stop. */
enum { SPINNING = 12, STUCK = 6, KILLED = SPINNING + STUCK, N };

/* One stuck process may hold the others for 0.2 s, in each of the two looks for new threads: not for each of them. */
enum { HELD_MS = STUCK * 200 };

uint64_t together_marker = 1;

static struct host_child children[N];

static void teardown(void)
{
	for (int i = 0; i < N; i++)
		host_child_end(&children[i]);
}

static void run_spinning(struct host_child_shared *s)
{
	together_marker = (uint64_t)getpid();
	atomic_store(&s->ready, 1);
	for (;;)
		atomic_fetch_add(&s->beats, 1);
}

static void run_stuck(struct host_child_shared *s)
{
	pid_t parent = getpid();

	together_marker = (uint64_t)getpid();
	if (vfork() == 0) {
		while (host_child_state(parent) != 'D')
			usleep(1000);
		atomic_store(&s->ready, 1);
		while (!atomic_load(&s->done))
			usleep(1000);
		_exit(0);
	}
}

static void run_asleep(struct host_child_shared *s)
{
	atomic_store(&s->ready, 1);
}

/* Runs in a separate process, because processes that did not stop remain traced until it exits. @return for _exit() */
static int look(void)
{
	struct host_target *t[N + 1] = { NULL };
	struct host_error err[N + 1], one = { 0 };
	enum host_errc rc[N + 1];
	unsigned long beats[SPINNING];

	for (int i = 0; i < N; i++)
		if (host_open_bare(children[i].pid, &t[i], &one) != HOST_OK)
			return 1;
	kill(children[KILLED].pid, SIGKILL);
	while (host_child_state(children[KILLED].pid) != 'Z')
		usleep(1000);
	host_stop_together(t, N + 1, rc, err); /* the last is NULL */
	for (int i = 0; i < SPINNING; i++)
		beats[i] = atomic_load(&children[i].shared->beats);
	for (int i = 0; i < N; i++) {
		uint64_t marker = 0;
		size_t n;
		if (i == KILLED) {
			if (rc[i] == HOST_OK || !err[i].text[0])
				return 2;
			continue;
		}
		if (rc[i] != HOST_OK || host_prepare(t[i], true, &one) != HOST_OK)
			return 3;
		/* all files of the process are those of the one before */
		uint64_t addr;
		if (!host_symbol(t[i], "together_marker", &addr) || addr != (uintptr_t)&together_marker ||
		    !host_read(t[i], addr, sizeof(marker), &marker) || marker != (uint64_t)children[i].pid)
			return 4;
		const struct mpidbg_thread *th = host_threads(t[i], &n);
		if (i < SPINNING && (n != 1 || !th[0].n_backtrace || !strstr(th[0].backtrace[0], "run_spinning")))
			return 5;
		const char *warning = host_warning(t[i], 0);
		if ((i >= SPINNING) != (warning && strstr(warning, "does not stop")))
			return 6;
	}
	for (int i = 0; i < SPINNING; i++)
		if (atomic_load(&children[i].shared->beats) != beats[i])
			return 7;
	for (int i = 0; i < N; i++)
		host_resume(t[i]);
	for (int i = 0; i < SPINNING; i++) {
		if (host_stopped_ms(t[i]) <= 0)
			return 8;
		if (!host_child_beats(&children[i]))
			return 9;
	}
	for (int i = 0; i < N; i++)
		host_close(t[i]);
	return 0;
}

START_TEST(test_together)
{
	int status;

	for (int i = 0; i < N; i++)
		children[i] = host_child_start(i < SPINNING || i == KILLED ? run_spinning : run_stuck);
	for (int i = 0; i < N; i++)
		host_child_wait(&children[i].shared->ready);
	pid_t reader = fork();
	if (reader == 0)
		_exit(look());
	ck_assert_int_eq(waitpid(reader, &status, 0), reader);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	for (int i = 0; i < SPINNING; i++)
		ck_assert(host_child_beats(&children[i]));
	for (int i = SPINNING; i < KILLED; i++)
		atomic_store(&children[i].shared->done, 1);
}
END_TEST

/* The other processes are held while waiting for those that do not stop; the timeout covers all of them together. */
START_TEST(test_stuck_hold_nobody)
{
	struct host_target *t[N];
	struct host_error err[N];
	enum host_errc rc[N];
	int status;

	children[0] = host_child_start(run_asleep);
	for (int i = 1; i <= STUCK; i++)
		children[i] = host_child_start(run_stuck);
	for (int i = 0; i <= STUCK; i++)
		host_child_wait(&children[i].shared->ready);
	pid_t reader = fork();
	if (reader == 0) {
		for (int i = 0; i <= STUCK; i++)
			if (host_open_running(children[i].pid, &t[i], &err[0]) != HOST_OK)
				_exit(1);
		host_stop_together(t, STUCK + 1, rc, err);
		host_resume(t[0]);
		_exit(rc[0] ? 2 : host_stopped_ms(t[0]) < HELD_MS ? 0 : 3);
	}
	ck_assert_int_eq(waitpid(reader, &status, 0), reader);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	for (int i = 1; i <= STUCK; i++)
		atomic_store(&children[i].shared->done, 1);
}
END_TEST

/* A process that was stopped, resumed because others took too long, prepared, and stopped again: its stacks are
 * from the second stop. */
START_TEST(test_let_go_before_it_is_prepared)
{
	struct host_error err = { 0 };
	struct host_target *t = NULL;
	size_t n = 0;

	children[0] = host_child_start(run_asleep);
	ck_assert_int_eq(host_open_bare(children[0].pid, &t, &err), HOST_OK);
	ck_assert_int_eq(host_stop(t, &err), HOST_OK);
	host_resume(t);
	ck_assert_int_eq(host_prepare(t, true, &err), HOST_OK);
	ck_assert_int_eq(host_stop(t, &err), HOST_OK);
	ck_assert_ptr_nonnull(host_threads(t, &n));
	ck_assert_uint_eq(n, 1);
	host_resume(t);
	ck_assert_ptr_null(host_warning(t, 0));
	host_close(t);
}
END_TEST

/* Prepared for a query that shows no threads: their stacks are not
 * kept when it runs again; while it is stopped they are there. */
START_TEST(test_threads_not_asked_for)
{
	struct host_error err = { 0 };
	struct host_target *t = NULL;
	size_t n = 1;

	children[0] = host_child_start(run_asleep);
	ck_assert_int_eq(host_open_bare(children[0].pid, &t, &err), HOST_OK);
	ck_assert_int_eq(host_prepare(t, false, &err), HOST_OK);
	ck_assert_int_eq(host_stop(t, &err), HOST_OK);
	host_resume(t);
	host_threads(t, &n);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(host_stop(t, &err), HOST_OK);
	ck_assert_ptr_nonnull(host_threads(t, &n));
	ck_assert_uint_eq(n, 1);
	host_resume(t);
	host_close(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host_together");
	TCase *tc = tcase_create("together");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_together);
	tcase_add_test(tc, test_stuck_hold_nobody);
	tcase_add_test(tc, test_let_go_before_it_is_prepared);
	tcase_add_test(tc, test_threads_not_asked_for);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
