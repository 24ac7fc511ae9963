/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a job divided among workers: their answers arrive, they wait for each other, one that dies is
 * no loss of others. */
#include "../../cli/answer.h"
#include "../../cli/priority.h"
#include "../../cli/workers.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 37, NEVER = -1 };

static struct cmd_job job;
static struct cmd_answer answers[N];
static const struct cmd_options options;

/* Reports of the workers to the test. */
struct shared {
	int n_workers, n_before, n_after, n_no;
	pid_t pid[N];
};
static struct shared *shared;

static void setup(void)
{
	job = (struct cmd_job){ .is_job = true };
	memset(answers, 0, sizeof(answers));
	for (int i = 0; i < N; i++) {
		/* some are cores, which workers do not read */
		struct cmd_proc *p = cmd_job_add(&job, i, 1000000000 + i, "here", "program",
						 i % 9 == 8 ? "core" : NULL);
		ck_assert_ptr_nonnull(p);
	}
	for (int i = 0; i < N; i++)
		job.procs[i].answer = &answers[i];
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(shared != MAP_FAILED);
}

static void teardown(void)
{
	for (int i = 0; i < N; i++)
		cmd_answer_deinit(&answers[i]);
	cmd_job_deinit(&job);
	munmap(shared, sizeof(*shared));
}

/* Who dies, and when. */
struct plan {
	int victim; /* number of a worker, or NEVER */
	bool later; /* after the workers have waited for each other */
	bool refuse;
};

static void share(void *ctx, struct cmd_worker *w, size_t k, size_t n)
{
	const struct plan *plan = ctx;
	size_t at = 0;

	__atomic_store_n(&shared->n_workers, (int)n, __ATOMIC_SEQ_CST);
	if ((int)k == plan->victim && !plan->later)
		kill(getpid(), SIGKILL);
	__atomic_add_fetch(&shared->n_before, 1, __ATOMIC_SEQ_CST);
	if (!cmd_worker_wait(w, !(plan->refuse && k == 0)))
		__atomic_add_fetch(&shared->n_no, 1, __ATOMIC_SEQ_CST);
	/* all others must have reached this point before one continues */
	int others = (int)n - (plan->victim != NEVER && !plan->later);
	if (__atomic_load_n(&shared->n_before, __ATOMIC_SEQ_CST) == others)
		__atomic_add_fetch(&shared->n_after, 1, __ATOMIC_SEQ_CST);
	if ((int)k == plan->victim)
		kill(getpid(), SIGKILL);
	for (size_t i = 0; i < job.n; i++) {
		struct cmd_proc *p = &job.procs[i];
		if (p->core || at++ % n != k)
			continue;
		shared->pid[i] = getpid();
		*p->answer = (struct cmd_answer){ .state = "sleeping",
						  .rc = i % 2 ? CMD_PARTIAL : CMD_DONE,
						  .n_reads = i };
		cmd_spool_printf(&p->answer->text, "text of %zu", i);
		for (int j = 0; i == 3 && j < 3 * CMD_SPOOL_BYTES / 4; j++)
			cmd_spool_add(&p->answer->snapshot, "abcd", 4);
		for (size_t j = 0; j < i % 3; j++)
			cmd_lines_add(&p->answer->problems, "problem %zu of %zu", j, i);
		p->world_size = 4711;
		cmd_proc_set(&p->executable, i == 5 ? "" : "/bin/another");
		cmd_worker_step(w);
	}
}

static void check_answer(size_t i)
{
	struct cmd_answer *a = &answers[i];
	char text[64];

	snprintf(text, sizeof(text), "text of %zu", i);
	ck_assert_str_eq(a->text.text, text);
	ck_assert_uint_eq(a->text.n, strlen(text));
	ck_assert_str_eq(a->state, "sleeping");
	ck_assert_int_eq(a->rc, i % 2 ? CMD_PARTIAL : CMD_DONE);
	ck_assert_uint_eq(a->n_reads, i);
	ck_assert_uint_eq(a->problems.n, i % 3);
	ck_assert(a->problems.n < 2 || !strncmp(a->problems.line[1], "problem 1 of ", 13));
	ck_assert_int_eq(cmd_spool_size(&a->snapshot), i == 3 ? 3 * CMD_SPOOL_BYTES : 0);
	ck_assert_int_eq(job.procs[i].world_size, 4711);
	ck_assert_str_eq(job.procs[i].executable, i == 5 ? "" : "/bin/another");
}

static size_t n_expected(void)
{
	size_t n = cmd_n_processors();

	return n < 8 ? n : 8; /* of 33 live ones each worker has at least four */
}

START_TEST(test_answers)
{
	struct plan plan = { .victim = NEVER, .refuse = _i != 0 };

	cmd_workers_run(&options, &job, share, &plan);
	ck_assert_int_eq(shared->n_workers, (int)n_expected());
	ck_assert_int_eq(shared->n_after, shared->n_workers);
	ck_assert_int_eq(shared->n_no, _i ? shared->n_workers : 0);
	for (size_t i = 0; i < N; i++) {
		if (job.procs[i].core) {
			ck_assert_ptr_null(answers[i].text.text);
			ck_assert_str_eq(job.procs[i].executable, "program");
			continue;
		}
		check_answer(i);
		ck_assert_int_eq(shared->pid[i] == getpid(), n_expected() == 1);
	}
}
END_TEST

/* The processes of a worker that dies have no answer, but a reason; all others have theirs. */
START_TEST(test_a_worker_dies)
{
	struct plan plan = { .victim = 1, .later = _i != 0 };
	size_t n_lost = 0;

	if (n_expected() < 2)
		return;
	cmd_workers_run(&options, &job, share, &plan);
	ck_assert_int_eq(shared->n_after, shared->n_workers - !_i);
	for (size_t i = 0; i < N; i++) {
		if (job.procs[i].core)
			continue;
		if (shared->pid[i]) {
			check_answer(i);
			continue;
		}
		n_lost++;
		ck_assert_int_eq(answers[i].rc, CMD_PARTIAL);
		ck_assert_ptr_null(answers[i].text.text);
		ck_assert_uint_eq(answers[i].problems.n, 1);
		ck_assert_msg(strstr(answers[i].problems.line[0], "has ended unexpectedly") != NULL, "%s",
			      answers[i].problems.line[0]);
	}
	ck_assert_uint_ge(n_lost, 4);
}
END_TEST

START_TEST(test_few_are_read_here)
{
	struct plan plan = { .victim = NEVER };

	for (size_t i = 7; i < N; i++)
		cmd_proc_set(&job.procs[i].core, "core");
	cmd_workers_run(&options, &job, share, &plan);
	ck_assert_int_eq(shared->n_workers, 1);
	ck_assert_int_eq(shared->pid[0], getpid());
	check_answer(6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workers");
	TCase *tc = tcase_create("workers");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_answers, 0, 2);
	tcase_add_loop_test(tc, test_a_worker_dies, 0, 2);
	tcase_add_test(tc, test_few_are_read_here);
	suite_add_tcase(suite, tc);

	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
