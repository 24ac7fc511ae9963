/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that poll while all others wait. */
#include "../../verdict/polls.h"
#include "../../verdict/report.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

/* Rank 0 polls, rank 1 waits for it, rank 2 for rank 1. */
static void begin(const char *polls)
{
	made_job_begin(&job, 3);
	made_job_add_rank(&job, polls);
	for (int i = 1; i < 3; i++) {
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, i - 1, 5);
	}
}

static void ends(enum vd_result result, const char *conclusion)
{
	struct vd_text text = { .n = 0 };

	ck_assert_int_eq(made_job_judge(&job, &verdict), result);
	ck_assert(!verdict.stands_still);
	ck_assert_uint_eq(verdict.n_dead, 0);
	vd_conclusion(&text, &job, &verdict);
	ck_assert_str_eq(text.bytes, conclusion);
	made_job_end(&job, &verdict);
}

START_TEST(test_one)
{
	begin("MPI_Iprobe");
	ends(VD_SPINS,
	     "spinning: rank 0 polls (MPI_Iprobe), and all others wait: nothing is sent unless it leaves its loop");
	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Test");
	made_job_add_rank(&job, "MPI_Testsome");
	ends(VD_SPINS, "spinning: ranks [0-1] poll (MPI_Test): nothing is sent unless one of them leaves its loop");
}
END_TEST

/* A rank that does something else may send: one that computes, has made progress, was not read, or is stopped. */
START_TEST(test_others)
{
	static const char polls[] = "no deadlock: rank 0 polls, and may make progress";

	begin("MPI_Test");
	made_job_add_rank(&job, NULL);
	job.comms[0].n = 4;
	ends(VD_NO_DEADLOCK, "no deadlock: rank 0 polls, and may make progress; rank 3 is in no MPI function");
	begin("MPI_Test");
	job.ranks[2].went_on = true;
	ends(VD_NO_DEADLOCK, "no deadlock: rank 2 goes on; rank 0 polls, and may make progress");
	begin("MPI_Test");
	job.ranks[1].one_moment = true;
	ends(VD_NO_DEADLOCK, polls);
}
END_TEST

/* The poll may succeed: a request has its counterpart, or all have started the collective. */
START_TEST(test_succeeds)
{
	static const char polls[] = "no deadlock: rank 0 polls, and may make progress";

	begin("MPI_Test");
	made_job_add_op(&job, VD_SEND, 0, 7); /* of rank 2 */
	job.ranks[0].first_op = job.n_ops;
	struct vd_op *op = vd_add_op(&job);
	ck_assert_ptr_nonnull(op);
	job.ranks[2].n_ops--;
	job.ranks[0].n_ops = 1;
	op->kind = VD_RECEIVE;
	op->comm = 0;
	op->peer = 2;
	op->tag = 7;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	struct vd_text text = { .n = 0 };
	vd_conclusion(&text, &job, &verdict);
	ck_assert_str_eq(text.bytes, polls);
	vd_verdict_deinit(&verdict);
	job.ops[job.n_ops - 1].tag = 8; /* another tag: it cannot */
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_SPINS);
	made_job_end(&job, &verdict);
	for (int all = 0; all < 2; all++) {
		made_job_begin(&job, 2);
		for (int i = 0; i < 2; i++) {
			made_job_add_rank(&job, "MPI_Test");
			if (!i || all)
				made_job_add_op(&job, VD_COLLECTIVE, VD_UNKNOWN, 0)->sequence = 3;
		}
		ck_assert_int_eq(made_job_judge(&job, &verdict), all ? VD_NO_DEADLOCK : VD_SPINS);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Load two ranks: rank 0 as given, rank 1 waits for it. */
static void load(const char *call, const char *recorded, const char *receives)
{
	static const char text[] =
		"[{\"rank\": 0, \"world\": 2, \"pid\": 8, \"world_number\": 0, \"mpi\": {\"state\": \"initialized\"}, "
		"\"calls\": [{\"thread\": 8, %s}], \"recorded_calls\": [{\"thread\": 8, %s}], "
		"\"communicators\": [{\"name\": \"MPI_COMM_WORLD\", \"handle\": \"0x44\", \"size\": 2, \"context\": 0, "
		"\"members\": [0, 1], \"pending_sends\": [], \"pending_receives\": [%s], \"unexpected\": "
		"[{\"kind\": \"message\", \"id\": \"0x9\", \"peer\": 1, \"tag\": 9, \"bytes\": 4}]}]}, "
		"{\"rank\": 1, \"world\": 2, \"pid\": 9, \"world_number\": 0, \"mpi\": {\"state\": \"initialized\"}, "
		"\"calls\": [{\"thread\": 9, \"function\": \"MPI_Recv\"}], \"recorded_calls\": [], \"communicators\": "
		"[{\"name\": \"MPI_COMM_WORLD\", \"size\": 2, \"context\": 0, \"members\": [0, 1], \"pending_sends\": "
		"[], "
		"\"unexpected\": [], \"pending_receives\": [{\"id\": \"0x1\", \"kind\": \"receive\", \"thread\": 9, "
		"\"status\": \"pending\", \"peer\": 0, \"tag\": 5, \"bytes\": 4}]}]}]";
	char bytes[4096];

	snprintf(bytes, sizeof(bytes), text, call, recorded, receives);
	json_t *processes = json_loads(bytes, 0, NULL);
	ck_assert_ptr_nonnull(processes);
	job = (struct vd_job){ .n_ranks = 0 };
	for (size_t i = 0; i < 2; i++)
		ck_assert(vd_load_rank(&job, json_array_get(processes, i)));
	for (size_t i = 0; i < 2; i++)
		vd_load_process(&job, i, json_array_get(processes, i));
	json_decref(processes);
}

/* What rank 0 polls for, from its recorded call or its stack, and the message that is there instead. */
START_TEST(test_polled)
{
#define POLLS(what)                                                                                                    \
	"spinning: rank 0 polls (" what "), and all others wait: nothing is sent "                                     \
	"unless it leaves its loop"
#define ARRIVED "; a message from rank 1, tag 9 on MPI_COMM_WORLD, has arrived at rank 0, and no receive asks for it"
#define DIFFERS "; rank 1 has sent one with tag 9 on MPI_COMM_WORLD: the tag differs"
#define IPROBE  "\"function\": \"MPI_Iprobe\""
#define TEST    "\"function\": \"MPI_Test\""
	static const char receive[] = "{\"id\": \"0x10\", \"request\": \"0x1\", \"kind\": \"receive\", \"status\": "
				      "\"pending\", \"peer\": 1, \"tag\": 5, \"bytes\": 4, \"thread\": 8}";

	load(IPROBE, IPROBE ", \"comm\": \"0x44\", \"peer\": null, \"peer_why\": \"any\", \"tag\": 5", "");
	ends(VD_SPINS, POLLS("MPI_Iprobe from any rank, tag 5 on MPI_COMM_WORLD") DIFFERS);
	load(IPROBE, IPROBE ", \"comm\": \"0x44\", \"peer\": 0, \"tag\": 7", "");
	ends(VD_SPINS, POLLS("MPI_Iprobe from rank 0, tag 7 on MPI_COMM_WORLD"));
	load(IPROBE ", \"communicator\": \"MPI_COMM_WORLD\"", TEST, "");
	ends(VD_SPINS, POLLS("MPI_Iprobe on MPI_COMM_WORLD") ARRIVED);
	load(IPROBE, IPROBE ", \"comm\": \"0x44\", \"tag\": 7", "");
	ends(VD_SPINS, POLLS("MPI_Iprobe on MPI_COMM_WORLD") ARRIVED);
	load(TEST, TEST ", \"request_handles\": [\"0x1\"]", receive);
	ends(VD_SPINS, POLLS("MPI_Test: receive from rank 1, tag 5 on MPI_COMM_WORLD") DIFFERS);
	load(TEST, IPROBE, receive);
	ends(VD_SPINS, POLLS("MPI_Test: receive from rank 1, tag 5 on MPI_COMM_WORLD") DIFFERS);
	load(TEST, TEST ", \"request_handles\": [\"0x2\"]", "");
	ends(VD_SPINS, POLLS("MPI_Test") ARRIVED);
	load(IPROBE, IPROBE ", \"comm\": \"0x44\", \"peer\": 1, \"tag\": 9", ""); /* its message is there */
	ends(VD_NO_DEADLOCK, "no deadlock: rank 0 polls, and may make progress");
}
END_TEST

/* At one of two moments rank 0 is in its polling function, at the other one in the function that calls it. */
START_TEST(test_outside)
{
	static const struct {
		const char *place;
		bool same;
	} outside[] = { { "loop at a.c:7", true },      { "main at b.c:3", true }, { "work at a.c:9", false },
			{ "a.out+0x1200", true },       { "a.out+0x2200", false }, { "b.out+0x1200", false },
			{ "loop_more at a.c:7", false } };

	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		for (int at = 0; at < 2; at++) { /* the moment at which it is in its function */
			struct vd_job moments[2];
			for (int m = 0; m < 2; m++) {
				begin(m == at ? "MPI_Iprobe" : NULL);
				job.ranks[0].pid = 8;
				job.threads[0].tid = 8;
				job.ranks[0].fingerprint = (uint64_t)m;
				job.threads[0].place = m != at                         ? outside[i].place
						       : strchr(outside[i].place, '+') ? "a.out+0x1000"
										       : "loop at a.c:8";
				if (m == at)
					job.threads[0].callers = "MPI_Iprobe\nloop\nmain\n";
				moments[m] = job;
			}
			vd_compare(&moments[0], &moments[1]);
			ck_assert(moments[1].ranks[0].went_on);
			vd_fold_polls(&moments[0], &moments[1]);
			ck_assert_int_eq(moments[1].ranks[0].went_on, !outside[i].same);
			ck_assert_int_eq(vd_any_outside(&moments[1]), outside[i].same);
			ck_assert_int_eq(made_job_judge(&moments[1], &verdict),
					 outside[i].same ? VD_SPINS : VD_NO_DEADLOCK);
			ck_assert(!outside[i].same || !strcmp(moments[1].threads[0].function, "MPI_Iprobe"));
			vd_verdict_deinit(&verdict);
			moments[1].unseen_sends = "";
			ck_assert_int_eq(made_job_judge(&moments[1], &verdict), VD_NO_DEADLOCK);
			ck_assert_uint_eq(vd_limit_polls(&moments[1], 2), 0);
			ck_assert_uint_eq(vd_limit_polls(&moments[1], 1), outside[i].same);
			made_job_end(&moments[1], &verdict);
			vd_job_deinit(&moments[0]);
		}
}
END_TEST

/* Rank 0 is outside its polling function at the first two of three moments. */
START_TEST(test_outside_first)
{
	static const struct {
		const char *first, *second;
		bool may, operations, spins;
	} cases[] = { { "loop at a.c:7", "loop at a.c:9", true, false, true },
		      { "loop at a.c:7", "loop at a.c:9", false, true, false },
		      { "work at a.c:2", "loop at a.c:9", false, false, false },
		      { "work at a.c:2", "work at a.c:3", true, false, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vd_job moments[3];
		for (int m = 0; m < 3; m++) {
			begin(m == 2 ? "MPI_Iprobe" : NULL);
			job.ranks[0].pid = 8;
			job.threads[0].tid = 8;
			job.ranks[0].fingerprint = (uint64_t)m;
			job.ranks[0].ops_print = cases[i].operations && m == 0;
			job.threads[0].place = m == 2 ? "loop at a.c:8" : m ? cases[i].second : cases[i].first;
			if (m == 2)
				job.threads[0].callers = "MPI_Iprobe\nloop\nmain\n";
			moments[m] = job;
		}
		vd_compare(&moments[0], &moments[1]);
		vd_fold_polls(&moments[0], &moments[1]);
		ck_assert_int_eq(moments[1].ranks[0].may_poll, cases[i].may);
		ck_assert_int_eq(moments[1].ranks[0].n_outside, cases[i].may ? 2 : 0);
		ck_assert_int_eq(made_job_judge(&moments[1], &verdict), VD_NO_DEADLOCK);
		vd_verdict_deinit(&verdict);
		if (cases[i].may) {
			vd_compare(&moments[1], &moments[2]);
			vd_fold_polls(&moments[1], &moments[2]);
			ck_assert(!moments[2].ranks[0].may_poll);
			ck_assert_int_eq(moments[2].ranks[0].n_outside, cases[i].spins ? 2 : 0);
			ck_assert_int_eq(made_job_judge(&moments[2], &verdict),
					 cases[i].spins ? VD_SPINS : VD_NO_DEADLOCK);
			ck_assert_uint_eq(vd_limit_polls(&moments[2], 3), 0);
			ck_assert_uint_eq(vd_limit_polls(&moments[2], 2), cases[i].spins);
			vd_verdict_deinit(&verdict);
		}
		for (int m = 0; m < 3; m++)
			vd_job_deinit(&moments[m]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spinning");
	TCase *tcase = tcase_create("constructed");

	tcase_add_test(tcase, test_one);
	tcase_add_test(tcase, test_others);
	tcase_add_test(tcase, test_succeeds);
	tcase_add_test(tcase, test_polled);
	tcase_add_test(tcase, test_outside);
	tcase_add_test(tcase, test_outside_first);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
