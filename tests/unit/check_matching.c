/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict/matching.c: messages and sends one of whose ranks is unknown. */
#include "../support/made_job.h"
#include "../support/suite.h"

#include "../../verdict/matching.h"

#include <check.h>

enum { TAG = 5 };

static struct vd_job job;

/* Is the operation of rank 0 matched? */
static bool is_matched(void)
{
	struct vd_matching m;

	ck_assert(vd_matching_init(&m, &job));
	bool ret = vd_is_matched(&m, 0, &job.ops[job.ranks[0].first_op]);
	vd_matching_deinit(&m);
	return ret;
}

/* Rank 0 waits for a message of rank 1 (or of any rank), and one is in its queue. */
static const struct {
	enum vd_op_kind kind;
	int peer, sender;
	int64_t tag;
	bool is_matched;
} arrivals[] = {
	{ VD_RECEIVE, 1, 1, TAG, true },
	{ VD_RECEIVE, 1, 0, TAG, false },
	{ VD_RECEIVE, 1, 1, TAG + 1, false },
	{ VD_RECEIVE, VD_ANY, 0, TAG, true },
	/* it may be from anybody: a deadlock is not certain */
	{ VD_RECEIVE, 1, VD_UNKNOWN, TAG, true },
	{ VD_PROBE, 1, VD_UNKNOWN, TAG, true },
	{ VD_RECEIVE, 1, VD_UNKNOWN, TAG + 1, false },
};

START_TEST(test_arrival)
{
	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Recv");
	made_job_add_wait(&job, arrivals[_i].kind, arrivals[_i].peer, TAG);
	made_job_add_op(&job, VD_MESSAGE, arrivals[_i].sender, arrivals[_i].tag);
	made_job_add_rank(&job, "MPI_Barrier");
	ck_assert_int_eq(is_matched(), arrivals[_i].is_matched);
	vd_job_deinit(&job);
}
END_TEST

/* Rank 0 sends to rank 1, which has posted a receive for something else, and a message is in its queue. */
static const struct {
	int sender;
	int64_t tag;
	bool is_matched; /* not in the queue: on its way, or just received */
} sends[] = {
	{ 0, TAG, false },
	{ VD_UNKNOWN, TAG, false }, /* it may be this one: the send waits for a receive */
	{ 1, TAG, true },
	{ 0, TAG + 1, true },
};

START_TEST(test_send)
{
	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Send");
	made_job_add_wait(&job, VD_SEND, 1, TAG);
	made_job_add_rank(&job, "MPI_Recv");
	made_job_add_wait(&job, VD_RECEIVE, 0, TAG + 2);
	made_job_add_op(&job, VD_MESSAGE, sends[_i].sender, sends[_i].tag);
	ck_assert_int_eq(is_matched(), sends[_i].is_matched);
	vd_job_deinit(&job);
}
END_TEST

/* A receive matches the sends that name its rank, from its source; of a send to an unknown rank nothing follows. */
static const struct {
	int receiver_peer, sender, to;
	bool is_matched;
} pairs[] = {
	{ 1, 1, 0, true },  { 1, 2, 0, false },          { VD_ANY, 2, 0, true },
	{ 1, 1, 2, false }, { 1, 1, VD_UNKNOWN, false }, { VD_ANY, 1, VD_UNKNOWN, false },
};

START_TEST(test_pair)
{
	made_job_begin(&job, 3);
	made_job_add_rank(&job, "MPI_Recv");
	made_job_add_wait(&job, VD_RECEIVE, pairs[_i].receiver_peer, TAG);
	for (int rank = 1; rank < 3; rank++) {
		made_job_add_rank(&job, "MPI_Send");
		if (rank == pairs[_i].sender)
			made_job_add_wait(&job, VD_SEND, pairs[_i].to, TAG);
	}
	ck_assert_int_eq(is_matched(), pairs[_i].is_matched);
	vd_job_deinit(&job);
}
END_TEST

/* An operation whose own peer is unknown is not called matched because another one's is unknown, too. */
START_TEST(test_unknown_peer)
{
	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Recv");
	made_job_add_wait(&job, VD_RECEIVE, VD_UNKNOWN, TAG);
	made_job_add_op(&job, VD_MESSAGE, VD_UNKNOWN, TAG);
	made_job_add_rank(&job, "MPI_Barrier");
	ck_assert(!is_matched());
	vd_job_deinit(&job);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("matching");
	TCase *tc = tcase_create("matching");

	tcase_add_loop_test(tc, test_arrival, 0, sizeof(arrivals) / sizeof(*arrivals));
	tcase_add_loop_test(tc, test_send, 0, sizeof(sends) / sizeof(*sends));
	tcase_add_loop_test(tc, test_pair, 0, sizeof(pairs) / sizeof(*pairs));
	tcase_add_test(tc, test_unknown_peer);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
