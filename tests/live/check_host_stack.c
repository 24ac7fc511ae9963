/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of live processes: which MPI function, how far its frames reach, and stacks that make no sense. */
#include "../../host/host.h"
#include "../support/host_child.h"
#include "../support/suite.h"

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct host_child child;

static void teardown(void)
{
	host_child_end(&child);
}

static struct host_target *open_child(void)
{
	struct host_target *t;
	struct host_error err;

	ck_assert_msg(host_open_live(child.pid, &t, &err) == HOST_OK, "%s", err.text);
	return t;
}

static void start(void (*run)(struct host_child_shared *))
{
	child = host_child_start(run);
	host_child_wait(&child.shared->ready);
}

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void run_threads(struct host_child_shared *s)
{
	pthread_t th;

	for (int i = 0; i < 3; i++)
		pthread_create(&th, NULL, sleeper, NULL);
	atomic_store(&s->ready, 1);
}

/* Functions of these names, so that the search for MPI's has something to find. */
__attribute__((noinline)) int PMPI_Win_flush(struct host_child_shared *s);
__attribute__((noinline)) int MPI_Win_fence(struct host_child_shared *s);

int PMPI_Win_flush(struct host_child_shared *s)
{
	volatile int here = 1;

	atomic_store(&s->value[0], (long)(uintptr_t)&here);
	atomic_store(&s->ready, 1);
	for (;;)
		pause();
	return here;
}

int MPI_Win_fence(struct host_child_shared *s)
{
	volatile int here = 1;

	atomic_store(&s->value[1], (long)(uintptr_t)&here);
	int rc = PMPI_Win_flush(s);
	return rc + here;
}

static __attribute__((noinline)) int user_function(struct host_child_shared *s)
{
	volatile int here = 1;

	atomic_store(&s->value[2], (long)(uintptr_t)&here);
	int rc = MPI_Win_fence(s);
	return rc + here;
}

static void run_blocked(struct host_child_shared *s)
{
	int rc = user_function(s);

	atomic_store(&s->value[3], rc);
}

/* Inlined into each other: frames all the same. */
static inline __attribute__((always_inline)) int inlined_inner(struct host_child_shared *s)
{
	return MPI_Win_fence(s) + 1;
}

static inline __attribute__((always_inline)) int inlined_outer(struct host_child_shared *s)
{
	return inlined_inner(s) + 1; /* line of the call: INLINED_LINE */
}
enum { INLINED_LINE = __LINE__ - 2 };

static __attribute__((noinline)) void run_inlined(struct host_child_shared *s)
{
	int rc = inlined_outer(s);

	atomic_store(&s->value[3], rc);
}

static struct host_child_shared *of_handler;

static void stay(int signal)
{
	(void)signal;
	atomic_store(&of_handler->done, 1);
	for (;;)
		pause();
}

static void run_interrupted(struct host_child_shared *s)
{
	of_handler = s;
	signal(SIGUSR1, stay);
	run_blocked(s);
}

static void check_blocked(struct host_target *t, struct host_child_shared *s)
{
	size_t n;
	const struct mpidbg_thread *th = host_threads(t, &n);
	bool user = false, line = false;
	char all[1024] = "";

	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(th[0].id, child.pid);
	ck_assert_ptr_nonnull(th[0].function);
	ck_assert_str_eq(th[0].function, "MPI_Win_fence");
	ck_assert_uint_lt(th[0].stack_lo, (uint64_t)atomic_load(&s->value[0]));
	ck_assert_uint_gt(th[0].stack_hi, (uint64_t)atomic_load(&s->value[1]));
	/* Frames under AddressSanitizer may live elsewhere. */
#ifndef __SANITIZE_ADDRESS__
	ck_assert_uint_le(th[0].stack_hi, (uint64_t)atomic_load(&s->value[2]));
#endif
	for (size_t i = 0; i < th[0].n_backtrace; i++) {
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s; ", th[0].backtrace[i]);
		user |= strncmp(th[0].backtrace[i], "user_function", 13) == 0;
		line |= strstr(th[0].backtrace[i], "user_function at check_host_stack.c:") != NULL;
	}
	ck_assert_msg(user && line, "%s", all);
}

START_TEST(test_mpi_function)
{
	start(run_blocked);
	struct host_target *t = open_child();
	check_blocked(t, child.shared);
	host_close(t);
}
END_TEST

/* An inlined function is a separate frame: it has its own name
 * and line, and the outer function has the line of the call. */
START_TEST(test_inlined)
{
	static const char *const names[] = {
		"MPI_Win_fence at check_host_stack.c:", "inlined_inner at check_host_stack.c:",
		"inlined_outer at check_host_stack.c:", "run_inlined at check_host_stack.c:"
	};
	size_t n, found = 0;

	start(run_inlined);
	struct host_target *t = open_child();
	const struct mpidbg_thread *th = host_threads(t, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(th[0].function, "MPI_Win_fence");
	for (size_t i = 0; i < th[0].n_backtrace && found < 4; i++) {
		if (strncmp(th[0].backtrace[i], names[found], strlen(names[found]))) {
			ck_assert_msg(found == 0, "%s, expected %s", th[0].backtrace[i], names[found]);
			continue;
		}
		if (found == 2)
			ck_assert_int_eq(atoi(th[0].backtrace[i] + strlen(names[2])), INLINED_LINE);
		found++;
	}
	ck_assert_uint_eq(found, 4);
	host_close(t);
}
END_TEST

/* Through the frame of a signal, which no call has made: the function that was interrupted, and its callers. */
START_TEST(test_mpi_function_interrupted)
{
	start(run_interrupted);
	ck_assert_int_eq(kill(child.pid, SIGUSR1), 0);
	host_child_wait(&child.shared->done);
	struct host_target *t = open_child();
	check_blocked(t, child.shared);
	host_close(t);
}
END_TEST

/* The stacks were copied when it was let go: the same answer afterwards, whatever it does now. */
START_TEST(test_mpi_function_after_resume)
{
	start(run_blocked);
	struct host_target *t = open_child();
	host_resume(t);
	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, WEXITED | WNOWAIT);
	check_blocked(t, child.shared);
	host_close(t);
}
END_TEST

START_TEST(test_threads_in_no_mpi_function)
{
	size_t n;

	start(run_threads);
	struct host_target *t = open_child();
	const struct mpidbg_thread *th = host_threads(t, &n);
	ck_assert_uint_eq(n, 4);
	for (size_t i = 0; i < n; i++) {
		ck_assert_ptr_null(th[i].function);
		ck_assert_uint_eq(th[i].stack_lo, 0);
		ck_assert_uint_eq(th[i].stack_hi, 0);
		ck_assert_uint_gt(th[i].n_backtrace, 1);
	}
	ck_assert_ptr_eq(host_threads(t, &n), th);
	host_close(t);
}
END_TEST

static void run_corrupt(struct host_child_shared *s)
{
	atomic_store(&s->ready, 1);
	/* A stack full of the same senseless return address, and no way back. */
#ifdef __aarch64__
	__asm__ volatile("sub sp, sp, #16, lsl #12\n"
			 "mov x1, sp\n"
			 "mov x2, #8192\n"
			 "1: str %0, [x1], #8\n"
			 "subs x2, x2, #1\n"
			 "b.ne 1b\n"
			 "mov x30, %0\n"
			 "mov x29, sp\n"
			 "2: yield\n"
			 "b 2b\n"
			 :
			 : "r"((uint64_t)(uintptr_t)run_corrupt + 8)
			 : "x1", "x2", "x30", "memory");
#else
	__asm__ volatile("sub $65536, %%rsp\n"
			 "mov %%rsp, %%rdi\n"
			 "mov $8192, %%rcx\n"
			 "mov %0, %%rax\n"
			 "rep stosq\n"
			 "mov %%rsp, %%rbp\n"
			 "1: pause\n"
			 "jmp 1b\n"
			 :
			 : "r"((uint64_t)(uintptr_t)run_corrupt + 8)
			 : "rax", "rcx", "rdi", "memory");
#endif
}

START_TEST(test_corrupt_stack)
{
	size_t n;

	start(run_corrupt);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	struct host_target *t = open_child();
	const struct mpidbg_thread *th = host_threads(t, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_ge(th[0].n_backtrace, 1);
	ck_assert_uint_le(th[0].n_backtrace, 256);
	host_close(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host_stack");
	TCase *tc = tcase_create("stack");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, NULL, teardown);
#if defined(__x86_64__) || defined(__aarch64__)
	tcase_add_test(tc, test_mpi_function);
	tcase_add_test(tc, test_inlined);
	tcase_add_test(tc, test_mpi_function_interrupted);
	tcase_add_test(tc, test_mpi_function_after_resume);
	tcase_add_test(tc, test_threads_in_no_mpi_function);
	tcase_add_test(tc, test_corrupt_stack);
#endif
	suite_add_tcase(s, tc);
	return suite_run(s);
}
