/* SPDX-License-Identifier: BSD-3-Clause */
/* The words for what a rank does, and the remarks about why two ranks do not meet. */
#include "../../verdict/report.h"
#include "../../verdict/verdict.h"
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

static void add_thread(const char *function)
{
	struct vd_thread *t = vd_add_thread(&job);

	ck_assert_ptr_nonnull(t);
	t->function = function;
	t->call = (uint8_t)vd_call_of(function);
	if (t->call == VD_CALL_COLLECTIVE)
		t->comm = 0;
}

/* All threads that wait are shown, the first ones with what they wait for. */
START_TEST(test_threads)
{
	struct vd_text text = { 0 }, many = { 0 };

	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Barrier");
	add_thread(NULL);
	add_thread("MPI_Recv");
	made_job_add_wait(&job, VD_RECEIVE, 1, 5);
	made_job_add_rank(&job, "MPI_Barrier");
	for (int i = 0; i < 6; i++)
		add_thread("MPI_Allreduce");
	made_job_judge(&job, &verdict);
	verdict.classes[0] = verdict.classes[1] = VD_WAITING;
	vd_append_activity(&text, &job, &verdict, 0, false);
	ck_assert_str_eq(text.bytes, "MPI_Barrier on MPI_COMM_WORLD; another thread: MPI_Recv from rank 1, tag 5 on "
				     "MPI_COMM_WORLD");
	vd_append_activity(&many, &job, &verdict, 1, false);
	ck_assert_msg(strstr(many.bytes, "; another thread: MPI_Allreduce on MPI_COMM_WORLD; and 3 more threads"), "%s",
		      many.bytes);
	made_job_end(&job, &verdict);
}
END_TEST

static bool has_remark(const char *words)
{
	bool ret = false;

	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text text = { 0 };
		ret |= vd_remark(&text, &job, &verdict, i) && strcmp(text.bytes, words) == 0;
	}
	return ret;
}

/* Ranks in a blocking collective and ranks that wait for a non-blocking one wait for each other, and are told why. */
START_TEST(test_blocking)
{
	static const char
		words[] = "rank 0 is in MPI_Barrier on MPI_COMM_WORLD, and ranks [1-2] wait for a non-blocking "
			  "collective on it: these never match";

	made_job_begin(&job, 3);
	made_job_add_rank(&job, "MPI_Barrier");
	for (int i = 0; i < 2; i++) {
		made_job_add_rank(&job, "MPI_Wait");
		made_job_add_wait(&job, VD_COLLECTIVE, VD_UNKNOWN, VD_ANY_TAG);
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert(has_remark(words));
	made_job_end(&job, &verdict);

	/* nothing of the kind if a rank is missing */
	made_job_begin(&job, 3);
	made_job_add_rank(&job, "MPI_Barrier");
	made_job_add_rank(&job, "MPI_Wait");
	made_job_add_wait(&job, VD_COLLECTIVE, VD_UNKNOWN, VD_ANY_TAG);
	made_job_add_rank(&job, NULL);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text text = { 0 };
		ck_assert(!vd_remark(&text, &job, &verdict, i) || !strstr(text.bytes, "never match"));
	}
	made_job_end(&job, &verdict);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("activity");
	TCase *tcase = tcase_create("activity");

	tcase_add_test(tcase, test_threads);
	tcase_add_test(tcase, test_blocking);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
