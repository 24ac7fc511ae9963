/* SPDX-License-Identifier: BSD-3-Clause */
/* mqs_operation(): an operation as the queue interface has it. Every field of these differs from every other one. */
#include "../../mqs/operation.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

/* A receive of any tag on a communicator whose rank 1 is rank 5 of MPI_COMM_WORLD. */
static struct mdl_op receive(void)
{
	return (struct mdl_op){ .kind = MDL_RECEIVE,
				.status = MDL_PENDING,
				.peer = mdl_known(1),
				.peer_world = mdl_known(5),
				.tag = mdl_any(),
				.bytes = mdl_known(400),
				.count = mdl_known(100),
				.buffer = mdl_known(0x7f0000001000),
				.actual_peer = mdl_none(),
				.actual_peer_world = mdl_none(),
				.actual_tag = mdl_none(),
				.actual_bytes = mdl_none(),
				.request = mdl_known(0x5580) };
}

START_TEST(test_pending)
{
	struct mdl_op op = receive();
	mqs_pending_operation ret;

	mqs_operation(&op, &ret);
	ck_assert_int_eq(ret.status, mqs_st_pending);
	ck_assert_int_eq(ret.desired_local_rank, 1);
	ck_assert_int_eq(ret.desired_global_rank, 5);
	ck_assert_int_eq(ret.tag_wild, 1);
	ck_assert_int_eq(ret.desired_length, 400);
	ck_assert_uint_eq(ret.buffer, 0x7f0000001000);
	ck_assert_int_eq(ret.system_buffer, 0);
}
END_TEST

/* The requested source and tag are kept; the actual ones are the message's. */
START_TEST(test_matched)
{
	struct mdl_op op = receive();
	mqs_pending_operation ret;

	op.status = _i ? MDL_COMPLETE : MDL_MATCHED;
	op.peer = op.peer_world = mdl_any();
	op.tag = mdl_known(17);
	op.actual_peer = mdl_known(2);
	op.actual_peer_world = mdl_known(6);
	op.actual_tag = mdl_known(42);
	op.actual_bytes = mdl_known(20);
	mqs_operation(&op, &ret);
	ck_assert_int_eq(ret.status, _i ? mqs_st_complete : mqs_st_matched);
	ck_assert_int_eq(ret.desired_local_rank, MQS_INVALID_PROCESS);
	ck_assert_int_eq(ret.desired_global_rank, MQS_INVALID_PROCESS);
	ck_assert_int_eq(ret.tag_wild, 0);
	ck_assert_int_eq(ret.desired_tag, 17);
	ck_assert_int_eq(ret.desired_length, 400);
	ck_assert_int_eq(ret.actual_local_rank, 2);
	ck_assert_int_eq(ret.actual_global_rank, 6);
	ck_assert_int_eq(ret.actual_tag, 42);
	ck_assert_int_eq(ret.actual_length, 20);
}
END_TEST

/* A send has no actual values; the desired ones are used. */
START_TEST(test_send)
{
	struct mdl_op op = receive();
	mqs_pending_operation ret;

	op.kind = MDL_SEND;
	op.tag = mdl_known(17);
	op.system_buffer = true;
	mqs_operation(&op, &ret);
	ck_assert_int_eq(ret.actual_local_rank, 1);
	ck_assert_int_eq(ret.actual_global_rank, 5);
	ck_assert_int_eq(ret.actual_tag, 17);
	ck_assert_int_eq(ret.actual_length, 400);
	ck_assert_int_eq(ret.system_buffer, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mqs_operation");
	TCase *tc = tcase_create("facts");

	tcase_add_test(tc, test_pending);
	tcase_add_loop_test(tc, test_matched, 0, 2);
	tcase_add_test(tc, test_send);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
