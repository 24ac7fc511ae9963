/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of communicators that are not those of the world, and communicators without name. */
#include "../../verdict/job.h"
#include "../../verdict/report.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

/* A communicator with these ranks. @return its index */
static int32_t add_comm(const char *name, const int32_t *members, int32_t n, int64_t context)
{
	struct vd_comm *c = vd_add_comm(&job);

	ck_assert_ptr_nonnull(c);
	c->name = name;
	c->n = c->n_local = n;
	c->context = context;
	c->members = malloc((size_t)n * sizeof(*c->members));
	ck_assert_ptr_nonnull(c->members);
	memcpy(c->members, members, (size_t)n * sizeof(*members));
	return (int32_t)job.n_comms - 1;
}

static void add_receive(int32_t comm, int32_t peer)
{
	made_job_add_rank(&job, "MPI_Recv");
	made_job_add_wait(&job, VD_RECEIVE, peer, 5);
	job.ops[job.n_ops - 1].comm = comm;
}

static void says(const char *expected)
{
	struct vd_text t = { .n = 0 };

	vd_conclusion(&t, &job, &verdict);
	ck_assert_msg(strstr(t.bytes, expected), "%s", t.bytes);
}

static void does(int32_t rank, bool relative, const char *expected)
{
	struct vd_text t = { .n = 0 };

	vd_append_activity(&t, &job, &verdict, rank, relative);
	ck_assert_str_eq(t.bytes, expected);
}

static const int32_t odd[] = { 1, 3, 5 };

START_TEST(test_local)
{
	made_job_begin(&job, 6);
	int32_t comm = add_comm("odd", odd, 3, 7);
	for (int32_t i = 0; i < 6; i++)
		add_receive(i % 2 ? comm : 0, (i + 2) % 6);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	does(0, false, "MPI_Recv from rank 2, tag 5 on MPI_COMM_WORLD");
	does(1, false, "MPI_Recv from rank 1 (world rank 3), tag 5 on odd");
	does(5, false, "MPI_Recv from rank 0 (world rank 1), tag 5 on odd");
	does(0, true, "MPI_Recv from rank+2, tag 5 on MPI_COMM_WORLD");
	does(1, true, "MPI_Recv from rank+1, tag 5 on odd");
	does(5, true, "MPI_Recv from rank+1, tag 5 on odd");
	job.threads[3].call = VD_CALL_COLLECTIVE;
	job.threads[3].function = "MPI_Bcast";
	job.threads[3].comm = comm;
	job.threads[3].root = 5;
	does(3, false, "MPI_Bcast on odd, root rank 2 (world rank 5)");
	made_job_end(&job, &verdict);
}
END_TEST

/* Each group of an intercommunicator has its own numbers. */
START_TEST(test_groups)
{
	static const int32_t members[] = { 0, 2, 1, 3 };

	made_job_begin(&job, 4);
	int32_t comm = add_comm("inter", members, 4, 7);
	job.comms[comm].inter = true;
	job.comms[comm].n_local = 2;
	for (int32_t i = 0; i < 4; i++)
		add_receive(comm, 3 - i);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	does(0, true, "MPI_Recv from rank 1 (world rank 3), tag 5 on inter");
	does(3, true, "MPI_Recv from rank 0, tag 5 on inter");
	does(1, false, "MPI_Recv from rank 1 (world rank 2), tag 5 on inter");
	made_job_end(&job, &verdict);
}
END_TEST

/* The source is the sender's rank in the world. */
START_TEST(test_confused_source)
{
	static const int32_t members[] = { 4, 1, 5, 3 };

	made_job_begin(&job, 6);
	int32_t comm = add_comm("rows", members, 4, 7);
	for (int32_t i = 0; i < 6; i++) {
		add_receive(i == 5 ? comm : 0, i == 5 ? members[1] : 5);
		if (i != 5)
			continue;
		made_job_add_op(&job, VD_MESSAGE, 1, 6)->comm = comm;
		made_job_add_op(&job, VD_MESSAGE, 3, 5)->comm = comm;
	}
	/* rank 5 waits for number 3, its number 3 is rank 3 as well: nothing is confused */
	job.ops[5].peer = 4;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISMATCH);
	says("rank 5 waits for a message from rank 0 (world rank 4), tag 5 on rows; rank 3 has sent one with tag 5 on "
	     "rows: "
	     "the source differs");
	vd_verdict_deinit(&verdict);
	/* it waits for number 1, and the rank of this number in the world is number 0 */
	job.comms[comm].members[0] = 1;
	job.comms[comm].members[1] = 4;
	job.ops[5].peer = 4;
	job.ops[7].peer = 1;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISMATCH);
	says("rank 5 waits for a message from rank 1 (world rank 4), tag 5 on rows; rank 1 has sent one with tag 5 on "
	     "rows: "
	     "the source differs: 1 is the rank of the sender in the world, 0 the one in this communicator");
	made_job_end(&job, &verdict);
}
END_TEST

/* The destination is the receiver's rank in the world: another rank has the message, or there is a pending
 * send to it. */
START_TEST(test_confused_destination)
{
	static const int32_t members[] = { 2, 3, 1, 0 };

	for (int sent = 0; sent < 3; sent++) {
		made_job_begin(&job, 4);
		int32_t comm = add_comm("turned", members, 4, 7);
		for (int32_t i = 0; i < 4; i++) {
			add_receive(i ? 0 : comm, i ? i % 3 + 1 : 3); /* rank 0, number 3, waits for rank 3 */
			job.ops[job.n_ops - 1].tag = i ? 8 : 5;
			if (i == (sent ? 3 : 2)) {
				made_job_add_op(&job, sent ? VD_SEND : VD_MESSAGE, sent ? 2 : 3, sent == 2 ? 9 : 5);
				job.ops[job.n_ops - 1].comm = comm;
			}
			if (sent && i == 2) /* it has arrived there */
				made_job_add_op(&job, VD_MESSAGE, 3, sent == 2 ? 9 : 5)->comm = comm;
		}
		enum vd_result result = made_job_judge(&job, &verdict);
		ck_assert_int_eq(result, sent == 2 ? VD_DEADLOCK : VD_MISMATCH);
		if (sent < 2)
			says("rank 0 waits for a message from rank 1 (world rank 3), tag 5 on turned; rank 3 has sent "
			     "one to rank 0 (world rank 2) with tag 5 on turned: the destination differs: 0 is the "
			     "rank of "
			     "the receiver in the world, 3 the one in this communicator");
		made_job_end(&job, &verdict);
	}
}
END_TEST

START_TEST(test_nameless)
{
	static const int32_t all[] = { 0, 1, 2, 3, 4, 5 };

	made_job_begin(&job, 6);
	for (int i = 0; i < 6; i++)
		made_job_add_rank(&job, NULL);
	int32_t a = add_comm(VD_NAMELESS, odd, 3, 7);
	vd_name_comms(&job);
	ck_assert_str_eq(vd_comm_name(&job, a), VD_NAMELESS);
	int32_t b = add_comm(VD_NAMELESS, odd, 2, 9), c = add_comm(VD_NAMELESS, odd, 3, 11),
		d = add_comm(VD_NAMELESS, all, 6, 12), e = add_comm("grid", all, 6, 13);
	vd_name_comms(&job);
	ck_assert_str_eq(vd_comm_name(&job, a), "a communicator without name of ranks [1,3,5] (context 7)");
	ck_assert_str_eq(vd_comm_name(&job, b), "a communicator without name of ranks [1,3]");
	ck_assert_str_eq(vd_comm_name(&job, c), "a communicator without name of ranks [1,3,5] (context 11)");
	ck_assert_str_eq(vd_comm_name(&job, d), "a communicator without name of all 6 ranks");
	ck_assert_str_eq(vd_comm_name(&job, e), "grid");
	vd_job_deinit(&job);
}
END_TEST

/* Complete operations are not waited for, and do not hide the one that is. */
START_TEST(test_complete)
{
	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Waitall");
	for (int i = 0; i < 5; i++) {
		made_job_add_wait(&job, i == 4 ? VD_RECEIVE : VD_SEND, 1, i);
		job.ops[i].matched = i != 4;
	}
	made_job_add_rank(&job, "MPI_Recv");
	made_job_add_wait(&job, VD_RECEIVE, 0, 9);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	does(0, false, "MPI_Waitall: receive from rank 1, tag 4 on MPI_COMM_WORLD");
	made_job_end(&job, &verdict);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("comm ranks");
	TCase *tcase = tcase_create("constructed");

	tcase_add_test(tcase, test_local);
	tcase_add_test(tcase, test_groups);
	tcase_add_test(tcase, test_confused_source);
	tcase_add_test(tcase, test_confused_destination);
	tcase_add_test(tcase, test_nameless);
	tcase_add_test(tcase, test_complete);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
