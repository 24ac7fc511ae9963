/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructed snapshots of which some operations were only counted: nothing is concluded from what is not listed. */
#include "../../verdict/report.h"
#include "../../verdict/unmatched.h"
#include "../../verdict/verdict.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

/* An operation of the last rank. */
static void add(enum vd_op_kind kind, int peer, int64_t tag, bool waits)
{
	if (waits)
		made_job_add_wait(&job, kind, peer, tag);
	else
		made_job_add_op(&job, kind, peer, tag);
}

/* Two ranks that each wait for the other with an operation of
 * this kind. @param arrived the message of a send is in the queue */
static void begin(const char *function, enum vd_op_kind kind, bool any, bool arrived)
{
	made_job_begin(&job, 2);
	for (int i = 0; i < 2; i++) {
		made_job_add_rank(&job, function);
		add(kind, any ? VD_ANY : 1 - i, 5, true);
		if (arrived)
			add(VD_MESSAGE, 1 - i, 5, false);
	}
}

/* What the report says about operations that were only counted. @return the number of remarks */
static size_t remarks(char ret[512])
{
	char *text = NULL, *line = ret;
	size_t n = 0, n_remarks = 0;
	FILE *out = open_memstream(&text, &n);

	vd_report(&job, &verdict, false, out);
	fclose(out);
	*ret = '\0';
	for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
		if (!strstr(at, "only counted"))
			continue;
		line += snprintf(line, (size_t)(ret + 512 - line), "%s", at);
		n_remarks++;
	}
	free(text);
	return n_remarks;
}

static const struct {
	const char *function;
	enum vd_op_kind kind;
	bool any;
	int sends, receives, messages; /* of rank 1, only counted */
	const char *said;
} waits[] = {
	/* the send may be pending */
	{ "MPI_Recv", VD_RECEIVE, false, 2000, 0, 0,
	  "not all pending sends were read of rank 1: 2000 more were only counted" },
	{ "MPI_Recv", VD_RECEIVE, true, 1, 0, 0, "not all pending sends were read of rank 1: 1 more was only counted" },
	/* the receive may be there */
	{ "MPI_Send", VD_SEND, false, 0, 7, 0,
	  "not all pending receives were read of rank 1: 7 more were only counted" },
	/* the message may be in the queue */
	{ "MPI_Send", VD_SEND, false, 0, 0, 7,
	  "not all messages that have arrived were read of rank 1: 7 more were only counted" },
	{ "MPI_Probe", VD_PROBE, false, 0, 0, 7,
	  "not all messages that have arrived were read of rank 1: 7 more were only counted" },
};

START_TEST(test_waits)
{
	char said[512];

	for (int counted = 0; counted < 2; counted++) {
		begin(waits[_i].function, waits[_i].kind, waits[_i].any,
		      waits[_i].kind == VD_SEND && waits[_i].messages);
		job.ranks[1].n_more_sends = counted * waits[_i].sends;
		job.ranks[1].n_more_receives = counted * waits[_i].receives;
		job.ranks[1].n_more = counted * waits[_i].messages;
		/* without messages in the queue a send to a rank in MPI is on its way */
		for (size_t i = 0; waits[_i].kind == VD_SEND && waits[_i].receives && i < 2; i++)
			job.ranks[i].no_unexpected = true;
		ck_assert(vd_judge(&job, &verdict));
		ck_assert_int_eq(verdict.result, counted ? VD_NO_DEADLOCK : VD_DEADLOCK);
		ck_assert_uint_eq(remarks(said), counted);
		ck_assert_str_eq(said, counted ? waits[_i].said : "");
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Not all messages that have arrived were read: the send may be among them, or matched already. */
START_TEST(test_arrived)
{
	char said[512];

	for (int counted = 0; counted < 2; counted++) {
		made_job_begin(&job, 2);
		for (int i = 0; i < 2; i++) {
			made_job_add_rank(&job, "MPI_Send");
			add(VD_SEND, 1 - i, 5, true);
			add(VD_MESSAGE, 1 - i, 5, false);
		}
		job.ops[3].tag = 6; /* at rank 1 the message of rank 0 is not seen */
		job.ranks[1].n_more = counted;
		ck_assert(vd_judge(&job, &verdict));
		ck_assert_int_eq(verdict.result, VD_NO_DEADLOCK);
		ck_assert_uint_eq(remarks(said), counted);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* What may have its partner among those that were only counted is not called unmatched. */
START_TEST(test_unmatched)
{
	static const struct {
		enum vd_op_kind kind;
		int at, sends, receives, messages; /* the operation is of rank `at`; the others are counted of rank 1 */
		size_t n;                          /* unmatched */
	} cases[] = {
		{ VD_RECEIVE, 0, 0, 0, 0, 1 }, { VD_RECEIVE, 0, 1, 0, 0, 0 }, { VD_RECEIVE, 0, 0, 1, 1, 1 },
		{ VD_SEND, 0, 0, 0, 0, 1 },    { VD_SEND, 0, 0, 1, 0, 0 },    { VD_SEND, 0, 0, 0, 1, 0 },
		{ VD_SEND, 0, 1, 0, 0, 1 },    { VD_MESSAGE, 0, 0, 0, 0, 1 }, { VD_MESSAGE, 0, 1, 0, 0, 0 },
		{ VD_MESSAGE, 0, 0, 1, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vd_unmatched found;
		made_job_begin(&job, 2);
		made_job_add_rank(&job, NULL);
		add(cases[i].kind, 1, 5, false);
		made_job_add_rank(&job, NULL);
		job.ranks[1].n_more_sends = cases[i].sends;
		job.ranks[1].n_more_receives = cases[i].receives;
		job.ranks[1].n_more = cases[i].messages;
		ck_assert(vd_find_unmatched(&job, &found));
		ck_assert_msg(found.n == cases[i].n && found.n_unknown == 1 - cases[i].n, "case %zu: %zu, %zu", i,
			      found.n, found.n_unknown);
		vd_unmatched_deinit(&found);
		vd_job_deinit(&job);
	}
}
END_TEST

/* A rank that waits for itself, in the JSON of a snapshot; @p more: members of its communicator, after a comma */
static void load(const char *call, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"rank\": 0, \"pid\": 9, \"world_number\": 0, \"mpi\": {\"state\": \"initialized\"}, \"calls\": "
		 "[%s], "
		 "\"communicators\": [{\"name\": \"MPI_COMM_WORLD\", \"size\": 1, \"context\": 0, \"members\": [0], "
		 "\"pending_sends\": [], \"unexpected\": [], \"pending_receives\": [{\"id\": \"0x10\", \"kind\": "
		 "\"receive\", "
		 "\"status\": \"pending\", \"peer\": 0, \"tag\": 5, \"thread\": 9}]%s}]}",
		 call, more);
	json_t *process = json_loads(text, 0, NULL);
	ck_assert_msg(process != NULL, "%s", text);
	memset(&job, 0, sizeof(job));
	ck_assert(vd_load_rank(&job, process));
	vd_load_process(&job, 0, process);
	json_decref(process);
}

/* A world of two ranks whose MPI_COMM_WORLD has one member: who else is in it is unknown, and no rank
 * waits for itself. */
START_TEST(test_small_world)
{
	for (int n = 1; n <= 2; n++) {
		char text[1024];
		memset(&job, 0, sizeof(job));
		for (int rank = 0; rank < n; rank++)
			ck_assert(vd_name_rank(&job, 0, rank, -1));
		for (int rank = 0; rank < n; rank++) {
			snprintf(text, sizeof(text),
				 "{\"rank\": %d, \"pid\": 9, \"world_number\": 0, \"mpi\": {\"state\": "
				 "\"initialized\"}, "
				 "\"calls\": [{\"thread\": 9, \"function\": \"MPI_Recv\"}], \"communicators\": "
				 "[{\"name\": "
				 "\"MPI_COMM_WORLD\", \"size\": 1, \"context\": 0, \"members\": [0], "
				 "\"pending_sends\": [], "
				 "\"unexpected\": [], \"pending_receives\": [{\"id\": \"0x10\", \"kind\": \"receive\", "
				 "\"status\": \"pending\", \"peer\": null, \"peer_why\": \"any\", \"tag\": 5, "
				 "\"thread\": "
				 "9}]}]}",
				 rank);
			json_t *process = json_loads(text, 0, NULL);
			ck_assert_ptr_nonnull(process);
			vd_load_process(&job, (size_t)rank, process);
			json_decref(process);
		}
		ck_assert(vd_judge(&job, &verdict));
		ck_assert_int_eq(verdict.result, n == 1 ? VD_DEADLOCK : VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_unknown, n == 1 ? 0 : 2);
		made_job_end(&job, &verdict);
	}
}
END_TEST

#define CALL(function, rest) "{\"thread\": 9, \"function\": \"" function "\"" rest "}"

/* The numbers are read, and a change of them is progress; nonsense counts as none. */
START_TEST(test_loaded)
{
	static const struct {
		const char *more;
		int64_t sends, receives, messages;
	} cases[] = {
		{ "", 0, 0, 0 },
		{ ", \"pending_sends_more\": 3", 3, 0, 0 },
		{ ", \"pending_receives_more\": 3", 0, 3, 0 },
		{ ", \"unexpected_more\": 3", 0, 0, 3 },
		{ ", \"pending_sends_more\": 4, \"pending_receives_more\": 5, \"unexpected_more\": 6", 4, 5, 6 },
		{ ", \"pending_sends_more\": 9223372036854775807", INT32_MAX, 0, 0 },
		{ ", \"pending_sends_more\": -1, \"pending_receives_more\": \"5\", \"unexpected_more\": []", 0, 0, 0 },
	};
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	uint64_t prints[N];

	for (size_t i = 0; i < N; i++) {
		load(CALL("MPI_Recv", ""), cases[i].more);
		ck_assert_int_eq(job.ranks[0].n_more_sends, cases[i].sends);
		ck_assert_int_eq(job.ranks[0].n_more_receives, cases[i].receives);
		ck_assert_int_eq(job.ranks[0].n_more, cases[i].messages);
		prints[i] = job.ranks[0].fingerprint;
		ck_assert_int_eq(prints[i] != prints[0], cases[i].sends || cases[i].receives || cases[i].messages);
		vd_job_deinit(&job);
	}
}
END_TEST

/* A thread waits for one of several operations, of which one is not listed: it may be that one. */
START_TEST(test_wait_for_one_not_listed)
{
	static const struct {
		const char *call;
		bool known;
	} cases[] = {
		{ CALL("MPI_Waitall", ", \"operations_possible\": [\"0x10\"]"), true },
		{ CALL("MPI_Waitall", ", \"operations_possible\": [\"0x10\", \"0x20\"]"), false },
		{ CALL("MPI_Waitany", ", \"operations\": [\"0x10\"]"), true },
		{ CALL("MPI_Waitany", ", \"operations\": [\"0x10\", \"0x20\"]"), false },
		/* of all for which it waits one is enough */
		{ CALL("MPI_Waitall", ", \"operations\": [\"0x10\", \"0x20\"]"), true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load(cases[i].call, ", \"pending_receives_more\": 1");
		ck_assert(vd_judge(&job, &verdict));
		ck_assert_uint_eq(verdict.n_waiting, cases[i].known);
		ck_assert_uint_eq(verdict.n_unknown, !cases[i].known);
		ck_assert_int_eq(verdict.result, cases[i].known ? VD_DEADLOCK : VD_NO_DEADLOCK);
		made_job_end(&job, &verdict);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("counted");
	TCase *t = tcase_create("operations that were only counted");

	tcase_add_loop_test(t, test_waits, 0, (int)(sizeof(waits) / sizeof(waits[0])));
	tcase_add_test(t, test_arrived);
	tcase_add_test(t, test_unmatched);
	tcase_add_test(t, test_small_world);
	tcase_add_test(t, test_loaded);
	tcase_add_test(t, test_wait_for_one_not_listed);
	suite_add_tcase(s, t);
	return suite_run(s);
}
