/* SPDX-License-Identifier: BSD-3-Clause */
/* What is not known of a wait: it is said, and nothing is concluded from it. */
#include "../../verdict/leaders.h"
#include "../../verdict/report.h"
#include "../../verdict/verdict.h"
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

/* What waits for another job is said, and nothing is concluded from it. */
START_TEST(test_other_job)
{
	static const struct {
		const char *function, *words;
	} rows[] = {
		{ "MPI_Comm_accept", "(MPI_Comm_accept waits for a job that calls MPI_Comm_connect" },
		{ "MPI_Comm_connect", "(MPI_Comm_connect waits for a job that calls MPI_Comm_accept" },
		{ "MPI_Comm_spawn", "(MPI_Comm_spawn waits for the processes that it starts to call MPI_Init)" },
		{ "MPI_Intercomm_create", "(MPI_Intercomm_create waits for the other group;" },
		{ "MPI_Comm_join", "(MPI_Comm_join waits for the process at the other end of a socket" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vd_text text = { 0 };
		made_job_begin(&job, 2);
		made_job_add_rank(&job, rows[i].function);
		job.threads[0].comm = VD_UNKNOWN;
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
		ck_assert(vd_remark(&text, &job, &verdict, 2));
		ck_assert_msg(strstr(text.bytes, rows[i].words), "%s", text.bytes);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Of several operations a thread waits for one at least, and
 * perhaps not for each: only if none can complete it is stuck. */
START_TEST(test_possible)
{
	for (int can = 0; can < 2; can++) {
		made_job_begin(&job, 3);
		made_job_add_rank(&job, "MPI_Waitall");
		made_job_add_wait(&job, VD_RECEIVE, 1, 5);
		made_job_add_wait(&job, VD_RECEIVE, can ? 2 : 1, 6);
		job.threads[job.n_threads - 1].possible = true;
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		made_job_add_rank(&job, NULL);
		ck_assert_int_eq(made_job_judge(&job, &verdict), can ? VD_MISSING_RANK : VD_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, can ? 0 : 2);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/*
 * The messages of the leaders are unknown. If all stay in the call, none has been sent that it needs. A rank that has
 * not come is named if it is the only one.
 */
START_TEST(test_leaders_stay)
{
	for (int n_absent = 0; n_absent < 3; n_absent++) {
		made_job_begin(&job, 4);
		for (int i = 0; i < 4; i++) {
			made_job_add_rank(&job, i < n_absent ? NULL : "MPI_Intercomm_create");
			job.threads[i].comm = VD_UNKNOWN;
			job.threads[i].stays = i >= n_absent;
		}
		ck_assert_int_eq(made_job_judge(&job, &verdict), n_absent == 0   ? VD_DEADLOCK
								 : n_absent == 1 ? VD_MISSING_RANK
										 : VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, n_absent ? 0 : 4);
		ck_assert_uint_eq(verdict.n_suspects, n_absent == 1);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* A message of a leader, whose tag is the program's, is not what another rank waits for instead. */
START_TEST(test_message_of_leader)
{
	for (int leader = 0; leader < 2; leader++) {
		made_job_begin(&job, 2);
		made_job_add_rank(&job, leader ? "MPI_Intercomm_create" : "MPI_Recv");
		if (leader)
			job.threads[0].comm = VD_UNKNOWN;
		else
			made_job_add_wait(&job, VD_RECEIVE, 1, 5);
		job.threads[0].stays = true;
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		made_job_add_op(&job, VD_MESSAGE, 0, 99)->bytes = 4;
		vd_mark_leaders(&job);
		ck_assert_int_eq(made_job_judge(&job, &verdict), leader ? VD_DEADLOCK : VD_MISMATCH);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/*
 * All are in one collective. The messages by which the library implements it are in
 * a communicator that it has made for that: if none can come, the ranks wait for
 * ever; a send that can be received, and messages of something else, prove nothing.
 */
START_TEST(test_parts_of_collective)
{
	enum { CROSSED, ARRIVED, NO_PART, SEND_RECEIVED, NONBLOCKING_BESIDE, N_WAYS };

	for (int way = 0; way < N_WAYS; way++) {
		made_job_begin(&job, 2);
		struct vd_comm *part = vd_add_comm(&job);
		*part = job.comms[0];
		part->shares_members = part->internal = true;
		part->part_of = way == NO_PART ? VD_UNKNOWN : 0;
		for (int i = 0; i < 2; i++) {
			made_job_add_rank(&job, "MPI_Reduce");
			for (int send = 0; send < 1 + (way == SEND_RECEIVED && i); send++) {
				struct vd_op *op = made_job_add_op(&job, send ? VD_SEND : VD_RECEIVE, 1 - i, 11);
				op->internal = true;
				op->comm = 1;
			}
			if (i && way == ARRIVED) {
				struct vd_op *op = made_job_add_op(&job, VD_MESSAGE, 0, 11);
				op->internal = true;
				op->comm = 1;
			}
			if (way == NONBLOCKING_BESIDE)
				made_job_add_op(&job, VD_COLLECTIVE, VD_UNKNOWN, VD_ANY_TAG);
		}
		ck_assert_msg(made_job_judge(&job, &verdict) == (way == CROSSED ? VD_DEADLOCK : VD_NO_DEADLOCK),
			      "way %d", way);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Which messages have arrived at a rank without communicators, in
 * the last part of MPI_Finalize, is unknown: it receives none. */
START_TEST(test_send_to_finalizing)
{
	for (int gone = 0; gone < 2; gone++) {
		made_job_begin(&job, 2);
		made_job_add_rank(&job, "MPI_Ssend");
		made_job_add_wait(&job, VD_SEND, 1, 5);
		made_job_add_rank(&job, "MPI_Finalize");
		job.ranks[1].no_comms = gone;
		ck_assert_int_eq(made_job_judge(&job, &verdict), gone ? VD_MISSING_RANK : VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, gone);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* MPI_Abort does not return: the ranks that wait for its caller wait for ever. The line of MPI_Finalize
 * is said, too. */
START_TEST(test_no_return)
{
	static const char *const functions[] = { "MPI_Abort", "MPI_Finalize" };
	static const char *const adds[] = { ", which has not ended the job", "" };

	for (int i = 0; i < 2; i++) {
		struct vd_text text = { 0 };
		char said[120];
		made_job_begin(&job, 2);
		made_job_add_rank(&job, functions[i]);
		job.threads[0].place = "main at a.c:7";
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
		ck_assert_uint_eq(verdict.n_unknown, 0);
		vd_conclusion(&text, &job, &verdict);
		snprintf(said, sizeof(said), "missing rank: look at rank 0, in %s%s, a.c:7", functions[i], adds[i]);
		ck_assert_str_eq(text.bytes, said);
		made_job_end(&job, &verdict);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unknown");
	TCase *tcase = tcase_create("constructed");

	tcase_add_test(tcase, test_other_job);
	tcase_add_test(tcase, test_possible);
	tcase_add_test(tcase, test_no_return);
	tcase_add_test(tcase, test_leaders_stay);
	tcase_add_test(tcase, test_send_to_finalizing);
	tcase_add_test(tcase, test_message_of_leader);
	tcase_add_test(tcase, test_parts_of_collective);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
