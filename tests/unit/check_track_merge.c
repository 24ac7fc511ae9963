/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/tracked/merge.c: the facts of a request's record, added to what the library's memory says. */
#include "../../readers/tracked/merge.h"
#include "../support/fake_track.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { COMM = 0x84000001, REQUEST = 0x5000 };

struct target {
	struct fake_track *m;
	struct acc_space sp;
	struct rd_track *t;
	struct rd_track_merge *merge;
	struct mdl_comm comm;
};

/* A send to rank 2 of a communicator, which is rank 7 of MPI_COMM_WORLD. */
static void start(struct target *t)
{
	const int ranks[] = { 3, 5, 7, 9 };

	memset(t, 0, sizeof(*t));
	t->m = fake_track_create(8, false, "MPICH");
	uint64_t world = fake_track_add(t->m, TRK_COMM, 0x44000000), comm = fake_track_add(t->m, TRK_COMM, COMM);
	fake_put_u(t->m->f, world, F_trk_comm_predefined, 1);
	fake_put_chars(t->m->f, world, F_trk_comm_name, "MPI_COMM_WORLD");
	fake_put_i(t->m->f, world, F_trk_comm_size, 10);
	fake_put_i(t->m->f, world, F_trk_comm_remote_size, -1);
	fake_put_i(t->m->f, comm, F_trk_comm_size, 4);
	fake_put_i(t->m->f, comm, F_trk_comm_rank, 1);
	fake_put_i(t->m->f, comm, F_trk_comm_remote_size, -1);
	fake_track_members(t->m, comm, F_trk_comm_members, ranks, 4);

	uint64_t request = fake_track_add(t->m, TRK_REQUEST, REQUEST);
	fake_put_u(t->m->f, request, F_trk_request_flags, TRK_REQ_ACTIVE);
	fake_put_u(t->m->f, request, F_trk_request_call, fake_track_call("MPI_Isend"));
	fake_put_u(t->m->f, request, F_trk_request_has, TRK_HAS_PEER | TRK_HAS_TAG);
	fake_put_i(t->m->f, request, F_trk_request_peer, 2);
	fake_put_i(t->m->f, request, F_trk_request_tag, 5);
	fake_put_u(t->m->f, request, F_trk_request_object_kind, TRK_COMM);
	fake_put_u(t->m->f, request, F_trk_request_comm, COMM);
	ck_assert_int_eq(fake_space(t->m->f, &t->sp), ACC_OK);
	ck_assert_msg(rd_track_open(&t->sp, &t->t) == ACC_OK, "%s", t->sp.note.text);
	ck_assert_int_eq(rd_track_merge_open(t->t, &t->merge), ACC_OK);
	t->comm = (struct mdl_comm){ .handle = COMM, .size = 4, .rank = 1 };
}

static void end(struct target *t)
{
	rd_track_merge_close(t->merge);
	rd_track_close(t->t);
	acc_space_deinit(&t->sp);
	fake_track_destroy(t->m);
}

static struct mdl_op send_of(struct mdl_num peer, struct mdl_num peer_world)
{
	return (struct mdl_op){ .kind = MDL_SEND,
				.active = true,
				.peer = peer,
				.peer_world = peer_world,
				.tag = mdl_known(5),
				.request = mdl_known(REQUEST) };
}

/* The library does not say to whom: both ranks come from the record. */
START_TEST(test_peer_added)
{
	struct target t;
	struct mdl_op op = send_of(mdl_unavailable("not in it"), mdl_unavailable("not in it"));

	start(&t);
	rd_track_merge_op(t.merge, &t.comm, &op);
	ck_assert(op.tracked && op.from_tracker & MDL_FACT_PEER && !op.differences);
	ck_assert(op.peer.known == MDL_KNOWN && op.peer.value == 2);
	ck_assert_msg(op.peer_world.known == MDL_KNOWN && op.peer_world.value == 7, "%d, %d", op.peer_world.known,
		      (int)op.peer_world.value);
	ck_assert_str_eq(op.call, "MPI_Isend");
	end(&t);
}
END_TEST

/* The library's own stay. */
START_TEST(test_peer_kept)
{
	struct target t;
	struct mdl_op op = send_of(mdl_known(2), mdl_unavailable("not in it"));

	start(&t);
	rd_track_merge_op(t.merge, &t.comm, &op);
	ck_assert(op.tracked && !(op.from_tracker & MDL_FACT_PEER) && !op.differences);
	ck_assert_int_eq(op.peer_world.known, MDL_UNAVAILABLE);
	end(&t);
}
END_TEST

/* Another peer: the record belongs to an earlier request with this handle, and nothing of it is used. */
START_TEST(test_peer_differs)
{
	struct target t;
	struct mdl_op op = send_of(mdl_known(3), mdl_known(9));

	start(&t);
	rd_track_merge_op(t.merge, &t.comm, &op);
	ck_assert(!op.tracked && op.call[0] == '\0' && op.from_tracker == 0);
	ck_assert(op.peer.value == 3 && op.peer_world.value == 9);
	ck_assert_ptr_nonnull(op.differences);
	ck_assert_uint_eq(op.differences->n, 1);
	ck_assert_str_eq(op.differences->list[0].fact, "peer");
	end(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("track_merge");
	TCase *tc = tcase_create("peers");

	tcase_add_test(tc, test_peer_added);
	tcase_add_test(tc, test_peer_kept);
	tcase_add_test(tc, test_peer_differs);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
