/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that have ended, by the processes that are left: of made-up lists of processes. */
#include "../../host/ended.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROXY = 100, OTHER_PROXY = 101, FIRST = 200, MAX = 16, LEFT = 99 };

static struct host_process processes[MAX];
static struct host_process *members[MAX];
static struct host_proclist list;
static size_t n_members;

static struct host_process *process(pid_t pid, pid_t parent, const char *name)
{
	struct host_process *p = &processes[list.n++];

	*p = (struct host_process){ .pid = pid,
				    .parent = parent,
				    .state = 'S',
				    .looked = true,
				    .rank = -1,
				    .size = -1,
				    .local_rank = -1,
				    .local_size = -1,
				    .mpi = HOST_MPI_NONE };
	strcpy(p->name, name);
	return p;
}

static void rank(int64_t world_rank, int64_t size, int64_t local_rank, int64_t local_size, pid_t parent)
{
	struct host_process *p = process(FIRST + (pid_t)local_rank, parent, "a.out");

	p->launch = HOST_LAUNCH_PMI;
	p->rank = world_rank;
	p->size = size;
	p->local_rank = local_rank;
	p->local_size = local_size;
	p->mpi = HOST_MPI_MAPPED;
	members[n_members++] = p;
}

static void setup(void)
{
	list = (struct host_proclist){ .v = processes };
	n_members = 0;
	process(PROXY, 1, "hydra_pmi_proxy");
	process(OTHER_PROXY, 1, "hydra_pmi_proxy");
}

/* Are these the ranks that have ended? LEFT ends the list. */
static void expect(const int64_t *ranks)
{
	struct host_job job = { 0 };
	size_t n = 0;

	while (ranks[n] != LEFT)
		n++;
	ck_assert(host_ended_find(&list, members, n_members, &job));
	ck_assert_uint_eq(job.n_ended, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(job.ended[i].rank, ranks[i]);
		ck_assert_int_eq(job.ended[i].starter, PROXY);
		ck_assert_str_eq(job.ended[i].starter_name, "hydra_pmi_proxy");
	}
	host_job_deinit(&job);
}

#define EXPECT(...) expect((const int64_t[]){ __VA_ARGS__ })

START_TEST(test_all_here)
{
	rank(1, 5, 1, 5, PROXY);
	rank(3, 5, 3, 5, PROXY);
	EXPECT(0, 2, 4, LEFT);
	rank(4, 5, 4, 5, PROXY);
	EXPECT(0, 2, LEFT);
	process(FIRST + 10, PROXY, "a.out")->state = 'Z'; /* what is left of one */
	EXPECT(0, 2, LEFT);
	process(FIRST + 11, PROXY, "ssh");
	EXPECT(0, 2, LEFT);
}
END_TEST

START_TEST(test_none_ended)
{
	rank(0, 2, 0, 2, PROXY);
	rank(1, 2, 1, 2, PROXY);
	EXPECT(LEFT);
}
END_TEST

/* On one of several hosts the number is known between two ranks that are in sequence. */
START_TEST(test_some_here)
{
	rank(4, 12, 0, 4, PROXY);
	rank(6, 12, 2, 4, PROXY);
	EXPECT(5, LEFT);
	rank(9, 12, 3, 4, PROXY);
	EXPECT(5, LEFT);
	members[1]->rank = 7; /* 5 or 6 */
	EXPECT(LEFT);
}
END_TEST

/* Open MPI 6.0 numbers ranks by the processor that they are mapped to. All are here, so the missing ranks are known. */
START_TEST(test_other_order)
{
	rank(0, 4, 0, 4, PROXY);
	rank(1, 4, 2, 4, PROXY);
	rank(3, 4, 3, 4, PROXY);
	EXPECT(2, LEFT);
	n_members--;
	EXPECT(2, 3, LEFT);
	members[0]->size = members[1]->size = 5; /* one is elsewhere: 1 or 3 is the one of number 1 */
	EXPECT(LEFT);
}
END_TEST

/* A child of which nothing is known may be the missing rank. */
START_TEST(test_unknown_child)
{
	rank(0, 3, 0, 3, PROXY);
	rank(1, 3, 1, 3, PROXY);
	process(FIRST + 10, PROXY, "python3")->mpi = HOST_MPI_MAPPED; /* it has overwritten its environment */
	EXPECT(LEFT);
	processes[list.n - 1].parent = OTHER_PROXY;
	EXPECT(2, LEFT);
}
END_TEST

START_TEST(test_not_certain)
{
	rank(0, 3, 0, 3, PROXY);
	rank(1, 3, 1, 3, OTHER_PROXY);
	EXPECT(LEFT);
	members[1]->parent = 1; /* nobody's */
	EXPECT(LEFT);
	members[1]->parent = PROXY;
	members[1]->local_size = 2;
	EXPECT(LEFT);
	members[1]->local_size = 3;
	members[1]->local_rank = 0;
	EXPECT(LEFT);
	members[1]->local_rank = 7;
	EXPECT(LEFT);
	members[1]->rank = 3; /* of 3 */
	members[1]->local_rank = 1;
	EXPECT(LEFT);
	members[1]->rank = 0;
	EXPECT(LEFT);
	members[1]->rank = 1;
	EXPECT(2, LEFT);
	members[0]->local_size = -1;
	EXPECT(LEFT);
	members[0]->local_size = INT32_MAX;
	EXPECT(LEFT);
}
END_TEST

/* This program contains the name MPI_Init; its children are
 * checked, too; a process that does not exist is no MPI process. */
START_TEST(test_no_mpi_program)
{
	ck_assert(!host_is_no_mpi_program(getpid()));
	ck_assert(!host_is_no_mpi_program(INT32_MAX));
	pid_t child = fork();
	if (child == 0)
		execlp("sleep", "sleep", "100", (char *)NULL);
	ck_assert_int_gt(child, 0);
	bool none = false;
	for (int i = 0; i < 1000 && !none; i++) {
		none = host_is_no_mpi_program(child);
		usleep(5000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert(none);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("host_ended");
	TCase *tcase = tcase_create("processes");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_all_here);
	tcase_add_test(tcase, test_none_ended);
	tcase_add_test(tcase, test_other_order);
	tcase_add_test(tcase, test_some_here);
	tcase_add_test(tcase, test_unknown_child);
	tcase_add_test(tcase, test_not_certain);
	tcase_add_test(tcase, test_no_mpi_program);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
