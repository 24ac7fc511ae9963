/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that have not arrived, in constructed snapshots: what is reported, and what never is. */
#include "../../verdict/flows.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* A rank of two in MPI_COMM_WORLD. @param rest more members of the communicator, after a comma, or "" */
static json_t *rank(int number, const char *function, const char *state, const char *rest)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "{\"rank\": %d, \"world\": 2, \"pid\": %d, \"state\": \"%s\", \"world_number\": 0, \"mpi\": "
		 "{\"state\": "
		 "\"initialized\"}, \"calls\": [{\"thread\": %d, \"function\": \"%s\", \"communicator\": "
		 "\"MPI_COMM_WORLD\"}], "
		 "\"communicators\": [{\"handle\": \"0x10\", \"name\": \"MPI_COMM_WORLD\", \"rank\": %d, \"size\": 2, "
		 "\"context\": 0, \"members\": [0, 1], \"pending_sends\": [], \"pending_receives\": [], "
		 "\"unexpected\": []%s}]}",
		 number, 100 + number, state, 100 + number, function, number, rest);
	json_t *json = json_loads(text, 0, NULL);
	ck_assert_msg(json != NULL, "%s", text);
	return json;
}

/* Takes the two over. */
static struct vd_job load(json_t *zero, json_t *one)
{
	struct vd_job job = { .n_ranks = 0 };

	ck_assert(vd_load_rank(&job, zero) && vd_load_rank(&job, one));
	vd_load_process(&job, 0, zero);
	vd_load_process(&job, 1, one);
	vd_find_transits(&job);
	ck_assert(!job.no_memory);
	json_decref(zero);
	json_decref(one);
	return job;
}

/* How many messages from rank 0 to rank 1 are on their way; nothing else is. */
static unsigned missing(const char *zero, const char *one)
{
	struct vd_job job = load(rank(0, "MPI_Recv", "running", zero), rank(1, "MPI_Recv", "running", one));
	unsigned n = 0;

	ck_assert_uint_le(job.n_transits, 1);
	if (job.n_transits) {
		ck_assert(job.transits[0].from == 0 && job.transits[0].to == 1);
		n = job.transits[0].n;
	}
	vd_job_deinit(&job);
	return n;
}

#define FLOWS(numbers) ", \"flows\": [" numbers "]"
#define EARLY(n)       "{\"kind\": \"message\", \"peer\": 0, \"tag\": 1, \"out_of_order\": " n "}"

/* The numbers of two parts of a merged snapshot are not of one moment. */
START_TEST(test_parts)
{
	for (int part = 0; part < 2; part++) {
		json_t *zero = rank(0, "MPI_Recv", "running", FLOWS("1, 5, 1")),
		       *one = rank(1, "MPI_Recv", "running", FLOWS("0, 0, 4"));
		json_object_set_new(zero, "part", json_integer(1));
		json_object_set_new(one, "part", json_integer(1 + part));
		struct vd_job job = load(zero, one);
		ck_assert_uint_eq(job.n_transits, 1);
		ck_assert_uint_eq(job.transits[0].n, part ? 0 : 2);
		vd_job_deinit(&job);
	}
}
END_TEST

START_TEST(test_numbers)
{
	ck_assert_uint_eq(missing(FLOWS(""), FLOWS("")), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0, 6")), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0, 4")), 2);
	/* not all arrived messages were read: some may have arrived early */
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0, 4") ", \"unexpected_more\": 1"), 0);
	/* nothing at all has come: the receiver has nothing of the sender yet */
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("")), 5);
	/* over the end of 16 bits */
	ck_assert_uint_eq(missing(FLOWS("1, 65535, 1"), FLOWS("0, 0, 0")), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 2, 1"), FLOWS("0, 0, 65534")), 5);
	/* more has come than was sent: they are not of one moment */
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0, 9")), 0);
}
END_TEST

/* What is not known of both is nothing. */
START_TEST(test_unknown)
{
	ck_assert_uint_eq(missing("", FLOWS("0, 0, 4")), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), ""), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("") ", \"flows_why\": \"cannot be read\""), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), ", \"flows\": 7"), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0")), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0, \"4\"")), 0);
	ck_assert_uint_eq(missing(FLOWS("1, 5, 1"), FLOWS("0, 0, 70000")), 0);
	ck_assert_uint_eq(missing(FLOWS("9, 5, 1, -1, 5, 1"), FLOWS("0, 0, 1")), 0);
}
END_TEST

/* Messages that came before an earlier one did have arrived. */
START_TEST(test_early)
{
	json_t *one = rank(1, "MPI_Recv", "running", FLOWS("0, 0, 4"));
	json_t *comm = json_array_get(json_object_get(one, "communicators"), 0);
	json_object_set_new(comm, "unexpected", json_loads("[" EARLY("true") "," EARLY("false") "]", 0, NULL));
	struct vd_job job = load(rank(0, "MPI_Recv", "running", FLOWS("1, 5, 1")), one);

	ck_assert_uint_eq(job.n_transits, 1);
	ck_assert_uint_eq(job.transits[0].n, 1);
	vd_job_deinit(&job);
}
END_TEST

static bool stays(const char *zero_in, const char *zero_state, const char *one_in, const char *one_state,
		  const char *one_before, bool no_processor)
{
	struct vd_job before = load(rank(0, zero_in, zero_state, FLOWS("1, 5, 1")),
				    rank(1, one_in, one_state, one_before));
	struct vd_job job = load(rank(0, zero_in, zero_state, FLOWS("1, 5, 1")),
				 rank(1, one_in, one_state, FLOWS("0, 0, 4")));

	job.ranks[1].had_no_processor = no_processor;
	vd_compare_transits(&before, &job);
	ck_assert_uint_eq(job.n_transits, 1);
	bool ret = job.transits[0].stayed;
	vd_job_deinit(&before);
	vd_job_deinit(&job);
	return ret;
}

/* Lost is what two moments and two ranks that poll say. */
START_TEST(test_two_moments)
{
	static const char same[] = FLOWS("0, 0, 4"), other[] = FLOWS("0, 0, 3"), none[] = FLOWS("0, 0, 6");

	ck_assert(stays("MPI_Recv", "running", "MPI_Waitall", "running", same, false));
	ck_assert(stays("MPI_Barrier", "running", "MPI_Recv", "running", same, false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Recv", "running", other, false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Recv", "running", none, false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Recv", "running", "", false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Recv", "running", same, true));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Recv", "sleeping", same, false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Recv", "stopped", same, false));
	ck_assert(!stays("MPI_Recv", "sleeping", "MPI_Recv", "running", same, false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Test", "running", same, false));
	ck_assert(!stays("", "running", "MPI_Recv", "running", same, false));
	ck_assert(!stays("MPI_Recv", "running", "MPI_Comm_rank", "running", same, false));
}
END_TEST

START_TEST(test_words)
{
	struct vd_job job = load(rank(0, "MPI_Recv", "running", FLOWS("1, 5, 1")),
				 rank(1, "MPI_Recv", "sleeping", FLOWS("0, 0, 4")));
	struct vd_text t = { .n = 0 };

	vd_append_transit(&t, &job, &job.transits[0]);
	ck_assert_str_eq(t.bytes,
			 "on its way: 2 messages from rank 0 to rank 1 on MPI_COMM_WORLD have not arrived (number "
			 "5 was sent, 4 is expected next): rank 1 is not polling");
	vd_job_deinit(&job);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flows");
	TCase *tc = tcase_create("flows");

	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_parts);
	tcase_add_test(tc, test_numbers);
	tcase_add_test(tc, test_unknown);
	tcase_add_test(tc, test_early);
	tcase_add_test(tc, test_two_moments);
	tcase_add_test(tc, test_words);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
