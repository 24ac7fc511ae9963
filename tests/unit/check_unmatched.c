/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages without a partner, in made-up jobs: each is listed once, and none that has a partner or may have one. */
#include "../../verdict/unmatched.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_unmatched found;

static void begin(int n)
{
	made_job_begin(&job, n);
}

static void add_rank(const char *function)
{
	made_job_add_rank(&job, function);
}

static struct vd_op *add(enum vd_op_kind kind, int peer, int64_t tag)
{
	return made_job_add_op(&job, kind, peer, tag);
}

static size_t find(void)
{
	ck_assert(vd_find_unmatched(&job, &found));
	return found.n;
}

static void end(void)
{
	vd_unmatched_deinit(&found);
	vd_job_deinit(&job);
}

/* Wildcards take available messages, whichever side is listed first. */
START_TEST(test_wildcards)
{
	static const struct {
		int peer;
		int64_t tag;
		size_t n;
	} receives[] = { { 1, 5, 0 }, { VD_ANY, 5, 0 },     { 1, VD_ANY_TAG, 0 }, { VD_ANY, VD_ANY_TAG, 0 },
			 { 1, 6, 2 }, { 2, VD_ANY_TAG, 2 }, { VD_ANY, 6, 2 },     { 2, 5, 2 } };

	for (size_t i = 0; i < sizeof(receives) / sizeof(receives[0]); i++) {
		for (int first = 0; first < 2; first++) {
			begin(3);
			add_rank("MPI_Recv");
			if (first)
				add(VD_MESSAGE, 1, 5);
			add(VD_RECEIVE, receives[i].peer, receives[i].tag);
			if (!first)
				add(VD_MESSAGE, 1, 5);
			add_rank("MPI_Recv");
			add_rank("MPI_Recv");
			ck_assert_uint_eq(find(), receives[i].n);
			ck_assert_uint_eq(found.n_unknown, 0);
			end();
		}
	}
}
END_TEST

/* A wildcard receive matches one message, a specific receive another one, in either order. */
START_TEST(test_one_each)
{
	begin(2);
	add_rank("MPI_Recv");
	add(VD_RECEIVE, VD_ANY, VD_ANY_TAG);
	add(VD_RECEIVE, 1, 5);
	add(VD_MESSAGE, 1, 5);
	add_rank("MPI_Send");
	ck_assert_uint_eq(find(), 1);
	ck_assert(found.v[0].kind == VD_LONE_RECEIVE && found.v[0].from == VD_ANY);
	end();
}
END_TEST

/* A pending send whose message is in the queue of its receiver counts once; three of them are one line with three. */
START_TEST(test_seen_twice)
{
	begin(2);
	add_rank("MPI_Recv");
	for (int i = 0; i < 4; i++)
		add(VD_MESSAGE, 1, 5);
	add_rank("MPI_Recv");
	for (int i = 0; i < 3; i++)
		add(VD_SEND, 0, 5);
	ck_assert_uint_eq(find(), 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(found.v[i].from == 1 && found.v[i].to == 0 && found.v[i].arrival == VD_ARRIVED);
		ck_assert_uint_eq(found.v[i].n, found.v[i].kind == VD_LONE_SEND ? 3 : 1);
	}
	end();
}
END_TEST

/* Which of two messages it is that the pending send has, their sizes say. */
START_TEST(test_sizes)
{
	for (int first = 0; first < 2; first++) {
		begin(2);
		add_rank("MPI_Recv");
		add(VD_MESSAGE, 1, 5)->bytes = first ? 1000 : 16;
		add(VD_MESSAGE, 1, 5)->bytes = first ? 16 : 1000;
		add_rank("MPI_Recv");
		add(VD_SEND, 0, 5)->bytes = 1000;
		ck_assert_uint_eq(find(), 2);
		for (size_t i = 0; i < 2; i++)
			ck_assert_int_eq(found.v[i].bytes, found.v[i].kind == VD_LONE_SEND ? 1000 : 16);
		end();
	}
}
END_TEST

/* A send that is in no queue of a receiver inside MPI may be received already. One that computes has not looked. */
START_TEST(test_not_arrived)
{
	for (int in_mpi = 0; in_mpi < 2; in_mpi++) {
		begin(2);
		add_rank(in_mpi ? "MPI_Recv" : NULL);
		add_rank("MPI_Send");
		add(VD_SEND, 0, 5);
		ck_assert_uint_eq(find(), in_mpi ? 0 : 1);
		ck_assert_uint_eq(found.n_unknown, in_mpi ? 1 : 0);
		if (!in_mpi)
			ck_assert_int_eq(found.v[0].arrival, VD_NOT_ARRIVED);
		end();
	}
}
END_TEST

/* What was not read may have the partner: the side that is known is not listed. */
START_TEST(test_unread)
{
	for (int any = 0; any < 2; any++) {
		begin(2);
		add_rank("MPI_Recv");
		add(VD_RECEIVE, any ? VD_ANY : 1, 5);
		add(VD_SEND, 1, 6);
		add_rank(NULL);
		job.ranks[1].state = VD_UNREAD;
		ck_assert_uint_eq(find(), 0);
		ck_assert_uint_eq(found.n_unknown, 2);
		end();
	}
	/* one that has ended sends and receives nothing more */
	begin(2);
	add_rank("MPI_Recv");
	add(VD_RECEIVE, 1, 5);
	add_rank(NULL);
	job.ranks[1].state = VD_ENDED;
	ck_assert_uint_eq(find(), 1);
	end();
}
END_TEST

/* A message is on its way, so the receive for it may have it soon. */
START_TEST(test_on_its_way)
{
	struct vd_transit transit = { .comm = 0, .from = 1, .to = 0, .n = 1 };

	for (int any = 0; any < 2; any++) {
		begin(3);
		add_rank("MPI_Recv");
		add(VD_RECEIVE, any ? VD_ANY : 1, 5);
		add_rank("MPI_Recv");
		add_rank("MPI_Recv");
		add(VD_RECEIVE, 0, 5);
		job.transits = &transit;
		job.n_transits = 1;
		ck_assert_uint_eq(find(), 1);
		ck_assert_int_eq(found.v[0].to, 2);
		ck_assert_uint_eq(found.n_unknown, 1);
		job.transits = NULL;
		job.n_transits = 0;
		end();
	}
}
END_TEST

/* Operations of the library, inactive and completed ones are no messages of the program's. */
START_TEST(test_left_out)
{
	begin(2);
	add_rank("MPI_Barrier");
	add(VD_RECEIVE, 1, 5)->internal = true;
	add(VD_RECEIVE, 1, 5)->inactive = true;
	add(VD_RECEIVE, 1, 5)->matched = true;
	add(VD_PROBE, 1, 5);
	add(VD_COLLECTIVE, VD_UNKNOWN, 5);
	add_rank("MPI_Barrier");
	ck_assert_uint_eq(find(), 0);
	ck_assert_uint_eq(found.n_unknown, 0);
	end();
}
END_TEST

/* The section of MPI_COMM_WORLD as text; the caller frees it. */
static char *printed(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	vd_print_unmatched(&job, out);
	fclose(out);
	return text;
}

/* Lines of ranks that do the same; the crowd is one line. */
START_TEST(test_words)
{
	enum { RANKS = 64 };
	begin(RANKS);
	for (int i = 0; i < RANKS; i++) {
		add_rank("MPI_Recv");
		struct vd_op *op = add(VD_RECEIVE, (i + RANKS - 1) % RANKS, 7);
		op->function = "MPI_Recv";
		ck_assert(vd_add_await(&job, (int32_t)job.n_ops - 1));
		add(VD_MESSAGE, (i + RANKS - 1) % RANKS, 5);
	}
	char *text = printed();
	ck_assert_str_eq(text, "\nNot matched on MPI_COMM_WORLD:\n"
			       "  ranks [0-63]  receive from rank-1, tag 7, up to 8 bytes   MPI_Recv\n"
			       "  ranks [0-63]  message to rank+1, tag 5, 8 bytes, arrived  the send is complete\n");
	free(text);
	vd_job_deinit(&job);
}
END_TEST

/* In the order of the ranks that have them, not of those that they wait for. */
START_TEST(test_order)
{
	begin(3);
	for (int i = 0; i < 3; i++) {
		add_rank("MPI_Recv");
		struct vd_op *op = add(VD_RECEIVE, (i * 2 + 1) % 3, 9 - i); /* of rank 1, 0, 2: one is its own */
		op->function = "MPI_Recv";
		ck_assert(vd_add_await(&job, (int32_t)job.n_ops - 1));
	}
	char *text = printed();
	ck_assert_str_eq(text, "\nNot matched on MPI_COMM_WORLD:\n"
			       "  rank 0  receive from rank 1, tag 9, up to 8 bytes  MPI_Recv\n"
			       "  rank 1  receive from rank 0, tag 8, up to 8 bytes  MPI_Recv\n"
			       "  rank 2  receive from rank 2, tag 7, up to 8 bytes  MPI_Recv\n");
	free(text);
	vd_job_deinit(&job);
}
END_TEST

/*
 * A thread may wait for some of a rank's receives, which are equal otherwise: only of the others it is said that no
 * thread waits for them, and of these only if it is known for what all threads of the rank wait.
 */
START_TEST(test_possible)
{
	enum { RECEIVES = 20, WAITED = 16 };
	static const char *const waits[] = { "MPI_Irecv, no thread waits for it", "MPI_Irecv, MPI_Waitall waits for it",
					     "MPI_Irecv, MPI_Waitall may wait for it" };

	for (int more = 0; more < 2; more++) {
		for (int possible = 0; possible < 2; possible++) {
			begin(2);
			add_rank("MPI_Waitall");
			job.threads[0].possible = possible;
			job.threads[0].waits_for_more = more;
			for (int i = 0; i < RECEIVES; i++) {
				add(VD_RECEIVE, 1, 5)->function = "MPI_Irecv";
				if (i % 5 != 2) /* not one after the other */
					ck_assert(vd_add_await(&job, (int32_t)job.n_ops - 1));
			}
			add_rank("MPI_Recv");
			ck_assert_uint_eq(find(), more && possible ? 1 : 2);
			for (size_t i = 0; i < found.n; i++) {
				bool is_waited = found.v[i].n > RECEIVES - WAITED;
				ck_assert_uint_eq(found.v[i].n, found.n == 1 ? RECEIVES
								: is_waited  ? WAITED
									     : RECEIVES - WAITED);
				ck_assert_int_eq(found.v[i].wait,
						 is_waited ? possible ? VD_WAIT_POSSIBLE : VD_WAIT_CERTAIN
						 : more    ? VD_WAIT_POSSIBLE
							   : VD_WAIT_NONE);
			}
			char *text = printed();
			ck_assert_int_eq(strstr(text, waits[0]) != NULL, !more);
			ck_assert_int_eq(strstr(text, waits[1]) != NULL, !possible);
			ck_assert_int_eq(strstr(text, waits[2]) != NULL, more || possible);
			free(text);
			json_t *o = json_object();
			const json_t *lone;
			size_t i;
			vd_unmatched_json(&job, o);
			json_array_foreach(json_object_get(o, "unmatched"), i, lone)
			{
				const json_t *json = json_object_get(lone, "waits");
				bool is_waited = json_integer_value(json_object_get(lone, "n")) > RECEIVES - WAITED;
				ck_assert_int_eq(json_is_null(json), is_waited ? possible : more);
				ck_assert_int_eq(json_is_null(json), json_object_get(lone, "waits_why") != NULL);
				ck_assert(json_is_null(json) || json_is_true(json) == is_waited);
			}
			ck_assert_uint_eq(i, found.n);
			json_decref(o);
			end();
		}
	}
}
END_TEST

/* The snapshot of an MPICH without the in-target library: what MPI_Waitall waits for is known from words
 * on its stack. */
START_TEST(test_possible_loaded)
{
	static const char text[] =
		"{\"rank\": 0, \"world\": 1, \"pid\": 9, \"world_number\": 0, \"mpi\": {\"state\": \"initialized\"}, "
		"\"calls\": [{\"thread\": 9, \"function\": \"MPI_Waitall\", %s}], \"recorded_calls\": [%s], "
		"\"communicators\": [{\"name\": \"MPI_COMM_WORLD\", \"size\": 1, \"context\": 0, \"members\": [0], "
		"\"pending_sends\": [], \"unexpected\": [], \"pending_receives\": [%s, %s, %s]}]}";
#define RECEIVE(n)                                                                                                     \
	"{\"id\": \"0x" n "0\", \"request\": \"0x" n                                                                   \
	"\", \"kind\": \"receive\", \"status\": \"pending\", \"peer\": 0, "                                            \
	"\"tag\": 5, \"bytes\": 4}"
#define NAMELESS                                                                                                       \
	"{\"id\": \"0x30\", \"kind\": \"receive\", \"status\": \"pending\", \"peer\": 0, \"tag\": 5, \"bytes\": 4}"
#define RECORDED(rest) "{\"thread\": 9, \"function\": \"MPI_Waitall\", \"request_handles\": [\"0x1\"" rest "}"
	static const struct {
		const char *call, *recorded;
		unsigned n[3]; /* by enum vd_wait */
		bool nameless; /* the request of the last receive is not known */
	} cases[] = {
		{ "\"operations_possible\": [\"0x10\", \"0x20\"]", "", { 1, 0, 2 } },
		{ "\"operations_possible\": [\"0x10\", \"0x20\"], \"operations_left_out\": 1", "", { 0, 0, 3 } },
		{ "\"backtrace\": []", "", { 0, 0, 3 } },
		{ "\"backtrace\": []", RECORDED("]"), { 2, 1, 0 } },
		{ "\"backtrace\": []", RECORDED("], \"request_handles_more\": 1"), { 0, 1, 2 } },
		{ "\"backtrace\": []", RECORDED(", \"0x7\"]"), { 2, 1, 0 } },       /* it is complete, or no message */
		{ "\"backtrace\": []", RECORDED(", \"0x7\"]"), { 0, 1, 2 }, true }, /* or that of the last one */
		{ "\"backtrace\": []",
		  "{\"thread\": 9, \"function\": \"MPI_Waitall\", \"request_handles\": [\"0x7\"]}",
		  { 3, 0, 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char bytes[4096];
		unsigned n[3] = { 0, 0, 0 };
		snprintf(bytes, sizeof(bytes), text, cases[i].call, cases[i].recorded, RECEIVE("1"), RECEIVE("2"),
			 cases[i].nameless ? NAMELESS : RECEIVE("3"));
		json_t *process = json_loads(bytes, 0, NULL);
		ck_assert_msg(process != NULL, "%s", bytes);
		memset(&job, 0, sizeof(job));
		ck_assert(vd_load_rank(&job, process));
		vd_load_process(&job, 0, process);
		find();
		for (size_t k = 0; k < found.n; k++)
			n[found.v[k].wait] += found.v[k].n;
		for (size_t k = 0; k < 3; k++)
			ck_assert_msg(n[k] == cases[i].n[k], "case %zu, %zu: %u", i, k, n[k]);
		json_decref(process);
		end();
	}
}
END_TEST

/* Wildcard receives that nothing matches are not compared with very many messages each. */
START_TEST(test_many_wild)
{
	enum { MANY = 50000 };

	begin(2);
	add_rank("MPI_Recv");
	for (int i = 0; i < MANY; i++) {
		add(VD_RECEIVE, VD_ANY, 6);
		add(VD_MESSAGE, 1, 5);
	}
	add_rank("MPI_Recv");
	find();
	ck_assert_uint_ge(found.n_unknown, 1);
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("unmatched");
	TCase *tc = tcase_create("messages without a partner");

	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_wildcards);
	tcase_add_test(tc, test_one_each);
	tcase_add_test(tc, test_seen_twice);
	tcase_add_test(tc, test_sizes);
	tcase_add_test(tc, test_not_arrived);
	tcase_add_test(tc, test_unread);
	tcase_add_test(tc, test_on_its_way);
	tcase_add_test(tc, test_left_out);
	tcase_add_test(tc, test_words);
	tcase_add_test(tc, test_order);
	tcase_add_test(tc, test_possible);
	tcase_add_test(tc, test_possible_loaded);
	tcase_add_test(tc, test_many_wild);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
