/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that gets real-time signals without pause while readers stop it and are killed: each signal that was queued
 * is handled. While a process is held no thread is in a signal-delivery-stop, the only one in which a signal is lost
 * when its tracer dies.
 */
#include "../../host/host.h"
#include "../support/host_child.h"
#include "../support/suite.h"

#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READERS = 100, THREADS = 2, NAPS = 1000, TIMEOUT_S = 240 };

static struct host_child child;
static struct host_child_shared *handler_shared;
static atomic_bool is_over;
static atomic_ulong n_sent;

static void on_signal(int sig)
{
	(void)sig;
	atomic_fetch_add(&handler_shared->signals, 1);
}

static void *spin(void *arg)
{
	struct host_child_shared *s = arg;

	for (;;)
		atomic_fetch_add(&s->beats, 1);
	return NULL;
}

static void run(struct host_child_shared *s)
{
	pthread_t thread;

	handler_shared = s;
	signal(SIGRTMIN, on_signal);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, spin, s);
	atomic_store(&s->ready, 1);
	spin(s);
}

/* As fast as they are handled: without space in the queue a signal is refused, and not counted. */
static void *send(void *arg)
{
	(void)arg;
	while (!atomic_load(&is_over))
		if (sigqueue(child.pid, SIGRTMIN, (union sigval){ 0 }) == 0)
			atomic_fetch_add(&n_sent, 1);
		else
			sched_yield();
	return NULL;
}

/* Start a reader, and kill it when it holds the process. */
static void hold_and_die(void)
{
	atomic_int *held = &child.shared->done;

	atomic_store(held, 0);
	pid_t reader = fork();
	if (reader == 0) {
		struct host_target *t;
		struct host_error err;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		atomic_store(held, host_open_live(child.pid, &t, &err) == HOST_OK ? 1 : 2);
		for (;;)
			pause();
	}
	host_child_wait(held);
	ck_assert_int_eq(atomic_load(held), 1);
	kill(reader, SIGKILL);
	ck_assert_int_eq(waitpid(reader, NULL, 0), reader);
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

static bool has_pending(pid_t pid)
{
	char path[64], line[128];
	unsigned long long pending = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "ShdPnd: %llx", &pending) != 1)
		;
	if (f)
		fclose(f);
	return pending != 0;
}

START_TEST(test_none_lost)
{
	pthread_t sender;

	child = host_child_start(run);
	host_child_wait(&child.shared->ready);
	ck_assert_int_eq(pthread_create(&sender, NULL, send, NULL), 0);
	for (int i = 0; i < READERS; i++)
		hold_and_die();
	atomic_store(&is_over, true);
	pthread_join(sender, NULL);
	unsigned long sent = atomic_load(&n_sent), handled;
	while (has_pending(child.pid))
		nap();
	/* the last ones may have been taken from the queue and not handled yet */
	for (int i = 0; (handled = atomic_load(&child.shared->signals)) != sent && i < NAPS; i++)
		nap();
	ck_assert_msg(handled == sent, "%lu of %lu signals were handled", handled, sent);
	host_child_end(&child);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("signals");
	TCase *tc = tcase_create("killed readers");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_test(tc, test_none_lost);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
