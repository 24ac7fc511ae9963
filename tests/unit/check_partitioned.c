/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages in made-up snapshots: the report says how
 * many partitions are ready, and nothing is concluded from it. */
#include "../../verdict/verdict.h"
#include "../../verdict/words.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static struct vd_job job;

/* One of two ranks. @param handles of the requests for which it waits @param messages of "partitioned" */
static json_t *rank(int number, const char *function, const char *handles, const char *messages)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"rank\": %d, \"pid\": %d, \"world_number\": 0, \"mpi\": {\"state\": \"initialized\"}, \"calls\": "
		 "[{\"thread\": 1, \"function\": \"%s\"}], \"recorded_calls\": [{\"thread\": 1, \"function\": \"%s\", "
		 "\"request_handles\": [%s]}], \"partitioned\": [%s], \"communicators\": [{\"handle\": \"0x10\", "
		 "\"name\": "
		 "\"MPI_COMM_WORLD\", \"size\": 2, \"context\": 0, \"members\": [0, 1], \"pending_sends\": [], "
		 "\"pending_receives\": [], \"unexpected\": []}]}",
		 number, 100 + number, function, function, handles, messages);
	json_t *json = json_loads(text, 0, NULL);
	ck_assert_msg(json != NULL, "%s", text);
	return json;
}

#define MESSAGE(request, kind, peer, tag, rest)                                                                        \
	"{\"request\": \"" request "\", \"kind\": \"" kind "\", \"comm\": \"0x10\", \"peer\": " peer ", \"tag\": " tag \
	", \"partitions\": 4" rest "}"
#define SEND(ready) MESSAGE("0x1", "send", "1", "5", ", \"ready\": " ready)
#define RECEIVE     MESSAGE("0x2", "receive", "0", "5", "")

static const struct {
	const char *function, *handles, *messages; /* of rank 0 */
	const char *received;                      /* of rank 1, which waits for request 0x2 */
	const char *said[2];
} cases[] = {
	/* the sender does something else */
	{ "MPI_Barrier",
	  "",
	  SEND("3"),
	  RECEIVE,
	  { "MPI_Barrier on MPI_COMM_WORLD", "in MPI_Wait for a partitioned receive from rank 0, tag 5 on "
					     "MPI_COMM_WORLD: its sender has marked 3 of 4 partitions "
					     "ready" } },
	{ "MPI_Wait",
	  "\"0x1\"",
	  SEND("0"),
	  RECEIVE,
	  { "in MPI_Wait for a partitioned send to rank 1, tag 5 on MPI_COMM_WORLD: 0 of 4 partitions are ready",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD: its sender has marked 0 of 4 "
	    "partitions "
	    "ready" } },
	/* of several the one that is not ready */
	{ "MPI_Waitall",
	  "\"0x1\", \"0x3\"",
	  SEND("4") ", " MESSAGE("0x3", "send", "1", "6", ", \"ready\": 2"),
	  RECEIVE,
	  { "in MPI_Waitall for a partitioned send to rank 1, tag 6 on MPI_COMM_WORLD: 2 of 4 partitions are ready",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD: its sender has marked 4 of 4 "
	    "partitions "
	    "ready" } },
	/* not started, another tag, two that could be meant, numbers that make no sense: nothing is
	 * said of partitions */
	{ "MPI_Barrier",
	  "",
	  "",
	  RECEIVE,
	  { "MPI_Barrier on MPI_COMM_WORLD",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD" } },
	{ "MPI_Barrier",
	  "",
	  MESSAGE("0x1", "send", "1", "7", ", \"ready\": 3"),
	  RECEIVE,
	  { "MPI_Barrier on MPI_COMM_WORLD",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD" } },
	{ "MPI_Barrier",
	  "",
	  SEND("3") ", " SEND("4"),
	  RECEIVE,
	  { "MPI_Barrier on MPI_COMM_WORLD",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD" } },
	{ "MPI_Barrier",
	  "",
	  SEND("3"),
	  RECEIVE ", " MESSAGE("0x4", "receive", "0", "5", ""),
	  { "MPI_Barrier on MPI_COMM_WORLD",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD" } },
	{ "MPI_Barrier",
	  "",
	  SEND("5"),
	  RECEIVE,
	  { "MPI_Barrier on MPI_COMM_WORLD",
	    "in MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD" } },
	{ "MPI_Barrier",
	  "",
	  SEND("\"3\""),
	  MESSAGE("0x2", "receive", "9", "null", ""),
	  { "MPI_Barrier on MPI_COMM_WORLD", "in MPI_Wait for a partitioned receive on MPI_COMM_WORLD" } },
	{ "MPI_Barrier",
	  "",
	  "7, {}, {\"comm\": \"0x10\"}, {\"comm\": \"0x99\", \"kind\": \"send\"}",
	  "[]",
	  { "MPI_Barrier on MPI_COMM_WORLD", "in MPI_Wait" } },
};

START_TEST(test_statements)
{
	json_t *zero = rank(0, cases[_i].function, cases[_i].handles, cases[_i].messages),
	       *one = rank(1, "MPI_Wait", "\"0x2\"", cases[_i].received);
	struct vd_verdict verdict;

	memset(&job, 0, sizeof(job));
	ck_assert(vd_load_rank(&job, zero) && vd_load_rank(&job, one));
	vd_load_process(&job, 0, zero);
	vd_load_process(&job, 1, one);
	ck_assert(vd_judge(&job, &verdict));
	ck_assert_int_eq(verdict.result, VD_NO_DEADLOCK);
	for (int i = 0; i < 2; i++) {
		struct vd_text line = { .n = 0 };
		vd_append_activity(&line, &job, &verdict, i, false);
		ck_assert_str_eq(line.bytes, cases[_i].said[i]);
	}
	vd_verdict_deinit(&verdict);
	vd_job_deinit(&job);
	json_decref(zero);
	json_decref(one);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("partitioned");
	TCase *t = tcase_create("made-up snapshots");

	tcase_add_loop_test(t, test_statements, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(s, t);
	return suite_run(s);
}
