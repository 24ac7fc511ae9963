/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks in collectives: which have left one, what differs, and what may differ. */
#include "../../verdict/report.h"
#include "../../verdict/verdict.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

static void judge(enum vd_result result, const char *headline, const char *conclusion)
{
	struct vd_text head = { .n = 0 }, end = { .n = 0 };

	enum vd_result seen = made_job_judge(&job, &verdict);
	vd_headline(&head, &job, &verdict);
	vd_conclusion(&end, &job, &verdict);
	ck_assert_msg(seen == result, "%s %s", head.bytes, end.bytes);
	ck_assert_msg(!headline || !strcmp(head.bytes, headline), "%s", head.bytes);
	ck_assert_msg(!strcmp(end.bytes, conclusion), "%s", end.bytes);
	made_job_end(&job, &verdict);
}

static void add(const char *function, int64_t ordinal)
{
	made_job_add_rank(&job, function);
	job.threads[job.n_threads - 1].ordinal = ordinal;
}

/*
 * Rank 0 has left the first collective, whose data it does not need, and waits in MPI_Barrier. Rank 2 has not entered
 * it: it waits for a message that rank 0 would send later.
 */
START_TEST(test_leaves_early)
{
	static const struct {
		const char *function;
		bool inter;
	} rows[] = { { "MPI_Alltoallv", false }, { "MPI_Alltoall", true }, { "MPI_Comm_split", false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		made_job_begin(&job, 3);
		job.comms[0].inter = rows[i].inter;
		job.comms[0].n_local = rows[i].inter ? 1 : 3;
		add("MPI_Barrier", -1);
		add(rows[i].function, -1);
		add("MPI_Recv", -1);
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		judge(VD_DEADLOCK, NULL,
		      rows[i].inter ? "deadlock: ranks [0-2] wait for each other, and no other rank can wake them"
				    : "deadlock: rank 0 waits for rank 2, which waits for rank 0");
	}
}
END_TEST

/* All members wait in one of two functions: one has not entered what
 * the other ones wait in, or has left it because of its counts. */
START_TEST(test_two_functions)
{
	made_job_begin(&job, 3);
	add("MPI_Allgather", -1);
	add("MPI_Allreduce", -1);
	add("MPI_Allreduce", -1);
	judge(VD_MISMATCH, "2 of 3 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; rank 0 is not in it.",
	      "mismatch: rank 0 is in MPI_Allgather on MPI_COMM_WORLD, ranks [1-2] in MPI_Allreduce: the function "
	      "differs, or counts or datatypes do");
	made_job_begin(&job, 3);
	add("MPI_Gatherv", -1);
	add("MPI_Gatherv", -1);
	add("MPI_Barrier", -1);
	judge(VD_MISMATCH, NULL,
	      "mismatch: ranks [0-1] are in MPI_Gatherv on MPI_COMM_WORLD, rank 2 in MPI_Barrier: the function "
	      "differs, or roots, counts or datatypes do");
	made_job_begin(&job, 3);
	add("MPI_Barrier", -1);
	add("MPI_Comm_dup", -1);
	add("MPI_Barrier", -1);
	judge(VD_MISMATCH, "2 of 3 ranks wait in MPI_Barrier on MPI_COMM_WORLD; rank 1 has not entered it.",
	      "mismatch: ranks [0,2] are in MPI_Barrier on MPI_COMM_WORLD, rank 1 in MPI_Comm_dup: the function "
	      "differs");
	made_job_begin(&job, 2);
	add("MPI_Reduce", 4);
	add("MPI_Bcast", 4);
	judge(VD_MISMATCH, NULL,
	      "mismatch: rank 0 is in MPI_Reduce on MPI_COMM_WORLD, rank 1 in MPI_Bcast: the function differs");
	/* rank 2 may be the one that has not come: nothing is known of rank 1 */
	made_job_begin(&job, 3);
	add("MPI_Reduce", -1);
	add("MPI_Barrier", -1);
	add("MPI_Bcast", -1);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	made_job_end(&job, &verdict);
}
END_TEST

/* A rank waits in a collective for messages of the others. */
static void wait_for(int peer)
{
	made_job_add_wait(&job, VD_RECEIVE, peer, 5);
	job.ops[job.n_ops - 1].internal = true;
}

/* The numbers of the collectives are known: a rank has left, although another one still waits for its message. */
START_TEST(test_numbers)
{
	made_job_begin(&job, 4);
	for (int i = 0; i < 4; i++) {
		add(i % 2 ? "MPI_Allreduce" : "MPI_Allgather", 7 + i % 2);
		wait_for(i ^ 1);
	}
	judge(VD_MISMATCH, "2 of 4 ranks wait in MPI_Allgather on MPI_COMM_WORLD; ranks [1,3] have left it.",
	      "mismatch: ranks [0,2] are in MPI_Allgather on MPI_COMM_WORLD, which ranks [1,3] have left: counts or "
	      "datatypes differ");
	/* in a loop it is the same function */
	made_job_begin(&job, 2);
	for (int i = 0; i < 2; i++) {
		add("MPI_Bcast", 7 + i);
		job.threads[i].root = i;
		wait_for(1 - i);
	}
	judge(VD_MISMATCH, "1 of 2 ranks wait in MPI_Bcast on MPI_COMM_WORLD; rank 1 has left it.",
	      "mismatch: rank 0 is in MPI_Bcast on MPI_COMM_WORLD, which rank 1 has left: roots, counts or datatypes "
	      "differ");
	/* rank 2 has not come, and waits for rank 0 */
	made_job_begin(&job, 3);
	add("MPI_Reduce", 7);
	add("MPI_Barrier", 8);
	add("MPI_Recv", -1);
	made_job_add_wait(&job, VD_RECEIVE, 0, 5);
	judge(VD_DEADLOCK, NULL, "deadlock: rank 0 waits for rank 2, which waits for rank 0");
}
END_TEST

/* What a rank has left the others can complete, unless it is known that their messages cannot arrive. */
START_TEST(test_may_complete)
{
	static const char *const functions[] = { "MPI_Gather", "MPI_Allgather", "MPI_Barrier" };

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		made_job_begin(&job, 3);
		add(functions[i], 7);
		add("MPI_Barrier", 8);
		add(functions[i], 7);
		judge(VD_NO_DEADLOCK, NULL, "no deadlock: what each waits for is on its way or can still come");
	}
}
END_TEST

/* At one moment a rank that has been released is still in the collective that the next one has left. */
START_TEST(test_numbers_at_one_moment)
{
	made_job_begin(&job, 2);
	for (int i = 0; i < 2; i++) {
		add("MPI_Allreduce", 7 + i);
		job.ranks[i].one_moment = true;
	}
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
}
END_TEST

/* Ranks in one collective wait for messages from each other. */
START_TEST(test_within)
{
	for (int k = 0; k < 3; k++) {
		made_job_begin(&job, 2);
		for (int i = 0; i < 2; i++) {
			add(k == 2 ? "MPI_Comm_dup" : "MPI_Bcast", k == 1 ? 3 : -1);
			wait_for(1 - i);
		}
		judge(VD_DEADLOCK, NULL,
		      k == 0   ? "deadlock: rank 0 waits for rank 1, which waits for rank 0, all in MPI_Bcast on "
				 "MPI_COMM_WORLD: roots, counts or datatypes may differ (mpi2dd-run would show it)"
		      : k == 1 ? "deadlock: rank 0 waits for rank 1, which waits for rank 0, all in MPI_Bcast on "
				 "MPI_COMM_WORLD: the reason is not visible; their counts and datatypes may differ"
			       : "deadlock: rank 0 waits for rank 1, which waits for rank 0, all in MPI_Comm_dup on "
				 "MPI_COMM_WORLD: the reason is not visible");
	}
}
END_TEST

/* Ranks in a collective are counted, not their threads; and another
 * one is missing although there are as many threads as members. */
START_TEST(test_two_threads)
{
	made_job_begin(&job, 3);
	for (int i = 0; i < 2; i++) {
		add("MPI_Reduce", -1);
		struct vd_thread *t = vd_add_thread(&job);
		ck_assert_ptr_nonnull(t);
		*t = job.threads[job.n_threads - 2];
	}
	add(NULL, -1);
	judge(VD_MISSING_RANK, "2 of 3 ranks wait in MPI_Reduce on MPI_COMM_WORLD; rank 2 is not in it.",
	      "missing rank: look at rank 2");
}
END_TEST

/* Of a rank that cannot be stopped, or was not read, or whose
 * communicator is unknown, it is not known whether it takes part. */
START_TEST(test_not_known)
{
	for (int k = 0; k < 3; k++) {
		made_job_begin(&job, 4);
		add("MPI_Allreduce", -1);
		add("MPI_Allreduce", -1);
		add(k == 2 ? "MPI_Allreduce" : NULL, -1);
		if (k == 0)
			job.threads[2].held = "fsync of out";
		else if (k == 1)
			job.ranks[2].state = VD_UNREAD;
		else
			job.threads[2].comm = VD_UNKNOWN;
		add(NULL, -1);
		judge(VD_MISSING_RANK,
		      "2 of 4 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; rank 3 is not in it; it is not known "
		      "whether "
		      "rank 2 is in it.",
		      k == 0 ? "missing ranks: look at ranks [2-3]" : "missing rank: look at rank 3");
	}
}
END_TEST

/* MPI_Init needs all ranks of the world, of which one has not called it; not those that are in it, or past it. */
START_TEST(test_init)
{
	for (int k = 0; k < 3; k++) {
		made_job_begin(&job, 3);
		add("MPI_Init", -1);
		add(k == 2 ? "MPI_Init_thread" : NULL, -1);
		add("MPI_Init", -1);
		for (int i = 0; i < 3; i++)
			job.ranks[i].before_init = k != 1 || i != 1;
		judge(k ? VD_NO_DEADLOCK : VD_MISSING_RANK, k ? NULL : "2 of 3 ranks wait.",
		      k == 0   ? "missing rank: look at rank 1, which has not called MPI_Init"
		      : k == 1 ? "no deadlock: rank 1 is in no MPI function"
			       : "no deadlock: what each waits for is on its way or can still come");
	}
}
END_TEST

/* MPI_Finalize needs all ranks; one that is stopped may be continued, and one that is in MPI may still come. */
START_TEST(test_finalize)
{
	static const char *const others[] = { NULL, "MPI_Finalize", "MPI_Session_init", NULL };

	for (int k = 0; k < 4; k++) {
		made_job_begin(&job, 3);
		add("MPI_Finalize", -1);
		add("MPI_Finalize", -1);
		add(others[k], -1);
		job.ranks[2].stopped = k == 3;
		judge(k ? VD_NO_DEADLOCK : VD_MISSING_RANK, k ? NULL : "2 of 3 ranks wait in MPI_Finalize.",
		      k == 0   ? "missing rank: look at rank 2"
		      : k == 1 ? "no deadlock"
		      : k == 2 ? "no deadlock is known: rank 2 waits for something unknown"
			       : "no deadlock is known: rank 2 is stopped by a signal (kill -CONT continues it)");
	}
	made_job_begin(&job, 2);
	add("MPI_Finalize", -1);
	add(NULL, -1);
	job.ranks[1].one_moment = true;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
	ck_assert(!verdict.stands_still);
	made_job_end(&job, &verdict);
}
END_TEST

/* A nonblocking collective that a rank has started, by this function. */
static struct vd_op *start(const char *function, int64_t sequence, bool waits)
{
	struct vd_op *op = made_job_add_op(&job, VD_COLLECTIVE, VD_UNKNOWN, 0);

	op->sequence = sequence;
	op->function = function;
	if (waits)
		ck_assert(vd_add_await(&job, (int32_t)job.n_ops - 1));
	return op;
}

START_TEST(test_started)
{
	static const char *const functions[][2] = { { "MPI_Ibcast", "MPI_Iallreduce" },
						    { "MPI_Ibcast", "MPI_Ibcast" },
						    { "MPI_Ibcast", NULL } };

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		made_job_begin(&job, 3);
		for (int r = 0; r < 3; r++) {
			add("MPI_Wait", -1);
			start(functions[i][r > 0], -1, true);
		}
		judge(i ? VD_NO_DEADLOCK : VD_MISMATCH, NULL,
		      i ? "no deadlock: what each waits for is on its way or can still come"
			: "mismatch: rank 0 waits for MPI_Ibcast on MPI_COMM_WORLD, rank 2 has started MPI_Iallreduce: "
			  "the "
			  "function differs");
	}
	/* two of a rank may complete in any order */
	made_job_begin(&job, 2);
	add("MPI_Wait", -1);
	start("MPI_Ibcast", -1, true);
	start("MPI_Iallreduce", -1, false);
	add("MPI_Wait", -1);
	start("MPI_Iallreduce", -1, true);
	judge(VD_NO_DEADLOCK, NULL, "no deadlock: what each waits for is on its way or can still come");
}
END_TEST

/*
 * All have started a nonblocking collective, which is not recorded, and the library waits for messages that none sends:
 * it is not the same one. If one of the messages has come, or a rank is not in MPI, it may end.
 */
START_TEST(test_started_unknown)
{
	enum { STUCK, ARRIVED, OUTSIDE, NO_MESSAGES, N };

	for (int k = 0; k < N; k++) {
		made_job_begin(&job, 3);
		for (int r = 0; r < 3; r++) {
			add(k == OUTSIDE && r == 2 ? NULL : "MPI_Wait", -1);
			start(NULL, -1, k != OUTSIDE || r != 2);
			if (k == NO_MESSAGES)
				continue;
			made_job_add_op(&job, VD_RECEIVE, (r + 1) % 3, 7)->internal = true;
			if (k == ARRIVED && r == 1)
				made_job_add_op(&job, VD_MESSAGE, 2, 7)->internal = true;
		}
		ck_assert_int_eq(made_job_judge(&job, &verdict), k == STUCK     ? VD_DEADLOCK
								 : k == OUTSIDE ? VD_MISSING_RANK
										: VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, k == STUCK ? 3 : 0);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/*
 * At one moment: rank 1 will pass on the data of MPI_Ibcast from rank 0, which has not come, to rank 2, although it
 * waits for a message from rank 2.
 */
START_TEST(test_passes_on)
{
	made_job_begin(&job, 3);
	add(NULL, -1);
	add("MPI_Recv", -1);
	made_job_add_wait(&job, VD_RECEIVE, 2, 5);
	start("MPI_Ibcast", 1, false);
	made_job_add_op(&job, VD_RECEIVE, 0, -20)->internal = true;
	add("MPI_Wait", -1);
	start("MPI_Ibcast", 1, true);
	made_job_add_op(&job, VD_RECEIVE, 1, -20)->internal = true;
	job.known = calloc(3, sizeof(*job.known));
	ck_assert_ptr_nonnull(job.known);
	for (int32_t i = 0; i < 3; i++) {
		job.ranks[i].one_moment = job.threads[i].settled = true;
		job.known[job.n_known++] = (struct vd_known){ 0, i };
	}
	ck_assert_int_ne(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert(verdict.n_dead == 0 || verdict.uncertain);
	ck_assert(!verdict.stands_still);
	made_job_end(&job, &verdict);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("collective words");
	TCase *tcase = tcase_create("constructed");

	tcase_add_test(tcase, test_leaves_early);
	tcase_add_test(tcase, test_two_functions);
	tcase_add_test(tcase, test_numbers);
	tcase_add_test(tcase, test_may_complete);
	tcase_add_test(tcase, test_numbers_at_one_moment);
	tcase_add_test(tcase, test_within);
	tcase_add_test(tcase, test_two_threads);
	tcase_add_test(tcase, test_not_known);
	tcase_add_test(tcase, test_init);
	tcase_add_test(tcase, test_finalize);
	tcase_add_test(tcase, test_started);
	tcase_add_test(tcase, test_started_unknown);
	tcase_add_test(tcase, test_passes_on);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
