/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel tells about calls of a thread that runs: their arguments, and whether it leaves one. */
#include "../../host/arguments.h"
#include "../../host/returns.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_S = 60 };

static int polled(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	return a + b + c + d + e == 0;
}

static void left(void)
{
	__asm__ volatile("");
}

/* So that the compiler passes all arguments. */
static int (*volatile poll_it)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = polled;
static void (*volatile leave_it)(void) = left;

static pid_t child;

static void begin(void)
{
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint64_t n = 1;; n++)
		if (poll_it(11, UINT64_C(0xfedcba9876543210), UINT64_MAX, 1, n))
			leave_it();
}

static void end(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* @return false: this system does not allow it */
static bool can_count(void)
{
	int fd = host_returns_open(child, (uint64_t)(uintptr_t)left);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

START_TEST(test_arguments)
{
	struct host_arguments a[HOST_CALLS_MAX];
	size_t n = 0;

	if (!can_count())
		return;
	struct host_calls *c = host_calls_open(child, (uint64_t)(uintptr_t)polled);
	ck_assert_ptr_nonnull(c);
	for (time_t until = time(NULL) + WAIT_S; n < HOST_CALLS_MAX && time(NULL) < until; n = host_calls_read(c, a))
		;
	ck_assert_uint_eq(n, HOST_CALLS_MAX);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(a[i].v[0], 11);
		ck_assert_uint_eq(a[i].v[1], UINT64_C(0xfedcba9876543210));
		ck_assert_uint_eq(a[i].v[2], UINT64_MAX);
		ck_assert_uint_eq(a[i].v[3], 1);
		ck_assert_uint_eq(a[i].v[4], a[0].v[4] + i);
	}
	host_calls_close(c);
}
END_TEST

/* A function that it never calls; one that does not exist; no thread. */
START_TEST(test_none)
{
	struct host_arguments a[HOST_CALLS_MAX];
	struct host_calls *c = can_count() ? host_calls_open(child, (uint64_t)(uintptr_t)left) : NULL;
	uint64_t n = 1, ran_ns = 0;

	if (!c)
		return;
	int fd = host_returns_open(child, (uint64_t)(uintptr_t)left);
	ck_assert_int_ge(fd, 0);
	for (time_t until = time(NULL) + WAIT_S; ran_ns < 5000000 && time(NULL) < until;)
		ck_assert(host_returns_read(fd, &n, &ran_ns));
	ck_assert_uint_ge(ran_ns, 5000000);
	ck_assert_uint_eq(n, 0);
	ck_assert_uint_eq(host_calls_read(c, a), 0);
	close(fd);
	host_calls_close(c);
	ck_assert_ptr_null(host_calls_open(child, UINT64_MAX));
	end();
	ck_assert_ptr_null(host_calls_open(child, (uint64_t)(uintptr_t)polled));
	host_calls_close(NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host_calls");
	TCase *tc = tcase_create("calls");

	tcase_set_timeout(tc, 2 * WAIT_S);
	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, test_arguments);
	tcase_add_test(tc, test_none);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
