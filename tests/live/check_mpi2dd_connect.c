/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that connect, accept and join find each other; a process without the library is not waited for. */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/connections.h"
#include "../support/scratch.h"

#include <check.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 4 };

/* Two mpirun need an ompi-server between them. */
static struct {
	pid_t server;
	char dir[SCRATCH_MAX], port[SCRATCH_MAX + 16];
	struct job jobs[JOBS_MAX];
	size_t n;
} stage;

static void set_up(void)
{
	char uri[SCRATCH_MAX + 16];

	memset(&stage, 0, sizeof stage);
	scratch_make(stage.dir, "connect");
	/* Open MPI's jobs share a session directory there: the end of a job that is not ours must not take it away */
	setenv("TMPDIR", stage.dir, 1);
	snprintf(uri, sizeof uri, "%s/uri", stage.dir);
	snprintf(stage.port, sizeof stage.port, "%s/port", stage.dir);
	stage.server = fork();
	ck_assert_int_ge(stage.server, 0);
	if (stage.server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		setpgid(0, 0);
		execlp("ompi-server", "ompi-server", "--no-daemonize", "-r", uri, NULL);
		_exit(127);
	}
	double deadline = job_now() + LAUNCHER_WAIT_S;
	while (access(uri, R_OK) != 0) {
		ck_assert_msg(job_now() < deadline, "ompi-server does not come up");
		job_nap();
	}
}

static void tear_down(void)
{
	for (size_t i = 0; i < stage.n; i++)
		for (size_t k = 0; k < stage.jobs[i].n_ranks; k++)
			kill(stage.jobs[i].ranks[k].pid, SIGKILL);
	for (size_t i = 0; i < stage.n; i++)
		job_end(&stage.jobs[i]);
	if (stage.server > 0) {
		kill(stage.server, SIGTERM);
		waitpid(stage.server, NULL, 0);
	}
	scratch_remove(stage.dir);
}

/* One job of the test: "worlds WHAT PORT-FILE MORE". It is ready when all its ranks are. */
struct part {
	const char *what, *more;
	bool with;  /* the library */
	bool later; /* when the one before it is ready */
	int n;
	struct job *job;
	sem_t *ready;
};

/* The launcher gets a signal when the thread that has started it ends: so this one stays. */
static void *start(void *arg)
{
	const struct part *p = arg;
	char command[600], options[1500];

	snprintf(command, sizeof command, "worlds %s %s %s", p->what, stage.port, p->more);
	snprintf(options, sizeof options, "--ompi-server file:%s/uri %s", stage.dir,
		 p->with ? connections_preload() : "");
	job_start(command, options, p->n, 0, p->job);
	sem_post(p->ready);
	for (;;)
		pause();
	return NULL;
}

static size_t wait_for(sem_t *ready)
{
	while (sem_wait(ready) != 0)
		;
	return 1;
}

/* Start the parts together, wait for all, check. @return as connections_check() */
static size_t play(struct part *parts, size_t n)
{
	const struct job *jobs[JOBS_MAX];
	pthread_t thread;
	sem_t ready;

	sem_init(&ready, 0, 0);
	connections_preload();
	size_t n_ready = 0;
	for (size_t i = 0; i < n; i++) {
		if (parts[i].later)
			n_ready += wait_for(&ready);
		jobs[i] = parts[i].job = &stage.jobs[i];
		parts[i].ready = &ready;
		ck_assert_int_eq(pthread_create(&thread, NULL, start, &parts[i]), 0);
	}
	while (n_ready < n)
		n_ready += wait_for(&ready);
	stage.n = n;
	return connections_check(jobs, n);
}

static const struct {
	const char *server, *client;
	bool server_with, client_with;
	int n_server, n_client;
	size_t n_linked;
} cases[] = {
	{ "accept", "connect", true, true, 1, 1, 2 },  { "accept", "connect", true, true, 2, 3, 2 },
	{ "accept", "connect", true, false, 2, 1, 0 }, { "accept", "connect", false, true, 1, 2, 0 },
	{ "join", "joining", true, true, 1, 1, 2 },    { "join", "joining", true, false, 1, 1, 0 },
	{ "join", "joining", false, true, 1, 1, 0 },
};

START_TEST(test_req_18_33_two)
{
	struct part parts[] = {
		{ .what = cases[_i].server, .more = "1", .with = cases[_i].server_with, .n = cases[_i].n_server },
		{ .what = cases[_i].client, .more = "", .with = cases[_i].client_with, .n = cases[_i].n_client },
	};

	ck_assert_uint_eq(play(parts, 2), cases[_i].n_linked);
}
END_TEST

/* Three connect to one port, one after the other; the second one does not carry the library. */
START_TEST(test_req_18_several)
{
	struct part parts[] = {
		{ .what = "accept", .more = "3", .with = true, .n = 2 },
		{ .what = "connect", .more = "", .with = true, .n = 1 },
		{ .what = "connect", .more = "", .with = false, .n = 2, .later = true },
		{ .what = "connect", .more = "", .with = true, .n = 2, .later = true },
	};

	ck_assert_uint_eq(play(parts, 4), 4);
}
END_TEST

/* Somebody else waits at the port too: not taken for the partner, when that is there or another size tells. */
static const struct {
	const char *more;
	bool with;
	size_t n_linked;
} waiting[] = {
	{ "1 1", true, 2 },
	{ "1 2", true, 2 },
	{ "1 2", false, 0 },
};

START_TEST(test_waiting)
{
	struct part parts[] = {
		{ .what = "accept", .more = waiting[_i].more, .with = true, .n = 1 },
		{ .what = "connect", .more = "", .with = waiting[_i].with, .n = 1 },
	};

	ck_assert_uint_eq(play(parts, 2), waiting[_i].n_linked);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("connect");

	if (system("command -v ompi-server >/dev/null 2>&1") != 0) {
		puts("ompi-server is not installed");
		return 77;
	}
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, test_req_18_33_two, 0, sizeof cases / sizeof *cases);
	tcase_add_test(tc, test_req_18_several);
	tcase_add_loop_test(tc, test_waiting, 0, sizeof waiting / sizeof *waiting);
	return live_main("mpi2dd_connect", NULL, 0, tc);
}
