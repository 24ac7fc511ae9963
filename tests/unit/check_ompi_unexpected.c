/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/openmpi/unexpected.c: messages that nobody asked for. */
#include "../support/fake_ompi.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct fake_ompi *make(int i)
{
	return fake_ompi_create(i & 1 ? 4 : 8, i & 2, 8, 1);
}

static struct fake_ompi_ops walked;
static const struct mdl_op *const ops = walked.v;

/* The messages of a communicator, or (0) of none. */
static size_t messages(struct rd_process *p, uint64_t comm_addr, bool all, uint64_t *n_bad)
{
	ck_assert_int_eq(fake_ompi_walk(p, comm_addr, MDL_UNEXPECTED, all, &walked), ACC_NONE);
	if (n_bad)
		*n_bad = walked.n_bad;
	return walked.n;
}

START_TEST(test_facts)
{
	struct fake_ompi *m = make(_i);

	for (int i = 0; i <= 300; i += 10)
		fake_ompi_message(m, m->world, 3, i, (uint64_t)i, MDL_EAGER);
	uint64_t frag = fake_ompi_message(m, m->world, 5, 7, UINT64_C(1) << 33, MDL_RENDEZVOUS);
	fake_ompi_message(m, m->world, 5, -14, 1, MDL_EAGER);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(messages(p, m->world, false, NULL), 32);
	for (int i = 0; i <= 30; i++) {
		ck_assert_int_eq(ops[i].kind, MDL_MESSAGE);
		ck_assert_int_eq(ops[i].protocol, MDL_EAGER);
		ck_assert_int_eq(ops[i].peer.value, 3);
		ck_assert_int_eq(ops[i].peer_world.value, 3);
		ck_assert_int_eq(ops[i].tag.value, 10 * i);
		ck_assert_int_eq(ops[i].bytes.value, 10 * i);
		ck_assert_int_eq(ops[i].sequence.value, i + 1);
		ck_assert_int_eq(ops[i].request.known, MDL_UNAVAILABLE);
		ck_assert_int_eq(ops[i].count.known, MDL_UNAVAILABLE);
		ck_assert(ops[i].system_buffer && !ops[i].out_of_order && !ops[i].internal);
		ck_assert_int_gt(ops[i].buffer.value, 0x9000);
	}
	ck_assert_int_eq(ops[31].protocol, MDL_RENDEZVOUS);
	ck_assert_uint_eq(ops[31].addr, frag);
	ck_assert_int_eq(ops[31].bytes.value, INT64_C(1) << 33);
	ck_assert_int_eq(ops[31].sender_request.value, 0xabc0);
	ck_assert_int_eq(ops[31].buffer.known, MDL_UNAVAILABLE);
	ck_assert_uint_eq(messages(p, m->world, true, NULL), 33);
	ck_assert(ops[32].internal);
	ck_assert_uint_eq(messages(p, m->self, true, NULL), 0);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

static void ring(struct fake_ompi *m, const uint64_t *items, int n)
{
	for (int i = 0; i < n; i++)
		fake_put_u(m->f, items[i], F_opal_list_item_t_opal_list_next, items[(i + 1) % n]);
}

/* Messages that overtook another one: a ring of runs. */
START_TEST(test_out_of_order)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t proc = fake_ompi_peer(m, m->world, 2), item[7], n_bad;

	fake_ompi_message(m, m->world, 2, 100, 1, MDL_EAGER);
	for (int i = 0; i < 7; i++)
		item[i] = fake_ompi_frag(m, m->world, 2, i, 1, MDL_EAGER, 10 + i);
	/* 0 heads the run 1, 2, 3; 4 alone; 5 heads the run 6 */
	ring(m, (uint64_t[]){ item[0], item[4], item[5] }, 3);
	ring(m, &item[1], 3);
	ring(m, &item[6], 1);
	fake_put_u(f, item[0], F_mca_pml_ob1_recv_frag_t_range, item[1]);
	fake_put_u(f, item[5], F_mca_pml_ob1_recv_frag_t_range, item[6]);
	fake_put_u(f, proc, F_mca_pml_ob1_comm_proc_t_frags_cant_match, item[0]);
	fake_ompi_message(m, m->world, 3, 200, 1, MDL_EAGER);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(messages(p, m->world, false, &n_bad), 9);
	ck_assert_uint_eq(n_bad, 0);
	ck_assert(!ops[0].out_of_order && ops[0].tag.value == 100);
	for (int i = 0; i < 7; i++) {
		ck_assert(ops[1 + i].out_of_order);
		ck_assert_int_eq(ops[1 + i].tag.value, i);
		ck_assert_int_eq(ops[1 + i].sequence.value, 10 + i);
	}
	ck_assert(!ops[8].out_of_order && ops[8].tag.value == 200);

	/* rings that do not come round, or into another one, or lead nowhere: they end, the next source is read */
	for (int damage = 0; damage < 6; damage++) {
		ring(m, (uint64_t[]){ item[0], item[4], item[5] }, 3);
		ring(m, &item[1], 3);
		switch (damage) {
		case 0:
			fake_put_u(f, item[4], F_opal_list_item_t_opal_list_next, item[4]);
			break;
		case 1:
			fake_put_u(f, item[5], F_opal_list_item_t_opal_list_next, item[4]);
			break;
		case 2:
			fake_put_u(f, item[3], F_opal_list_item_t_opal_list_next, item[2]);
			break;
		case 3:
			fake_put_u(f, item[3], F_opal_list_item_t_opal_list_next, 0x44444440);
			break;
		case 4:
			fake_put_u(f, item[0], F_mca_pml_ob1_recv_frag_t_range, 0x44444440);
			break;
		default:
			fake_put_u(f, proc, F_mca_pml_ob1_comm_proc_t_frags_cant_match, 0x44444440);
			break;
		}
		size_t n = messages(p, m->world, false, &n_bad);
		ck_assert_uint_gt(n_bad, 0);
		ck_assert_uint_lt(n, 30);
		ck_assert_int_eq(ops[n - 1].tag.value, 200);
	}
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Rings that share a run: no more messages than there are numbers for. */
START_TEST(test_shared_run)
{
	enum { N = 300 };
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t outer[N], inner[N], n_bad;

	for (int i = 0; i < N; i++) {
		outer[i] = fake_ompi_frag(m, m->world, 2, i, 1, MDL_EAGER, i);
		inner[i] = fake_ompi_frag(m, m->world, 2, i, 1, MDL_EAGER, i);
	}
	ring(m, outer, N);
	ring(m, inner, N);
	for (int i = 0; i < N; i++)
		fake_put_u(f, outer[i], F_mca_pml_ob1_recv_frag_t_range, inner[0]);
	fake_put_u(f, fake_ompi_peer(m, m->world, 2), F_mca_pml_ob1_comm_proc_t_frags_cant_match, outer[0]);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(messages(p, m->world, false, &n_bad), 1 << 16);
	ck_assert_uint_gt(n_bad, 0);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_orphans)
{
	struct fake_ompi *m = make(_i);
	uint64_t list = fake_field_addr(m->f, m->ob1, F_mca_pml_ob1_t_non_existing_communicator_pending);
	struct rd_process *p = fake_ompi_open(m);

	ck_assert_uint_eq(messages(p, 0, false, NULL), 0);
	fake_ompi_append(m, list, fake_ompi_frag(m, 0, 3, 5, 70, MDL_EAGER, 1));
	fake_ompi_append(m, list, fake_ompi_frag(m, 0, 99, 6, 1 << 20, MDL_RENDEZVOUS, 1));
	ck_assert_uint_eq(messages(p, 0, false, NULL), 2);
	ck_assert_int_eq(ops[0].peer.value, 3);
	ck_assert_int_eq(ops[0].bytes.value, 70);
	ck_assert_int_eq(ops[0].peer_world.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(ops[1].peer.value, 99);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_extended_header)
{
	struct fake_ompi *m = fake_ompi_create_50(_i & 1 ? 4 : 8, _i & 2, 8, 1);
	struct fake *f = m->f;
	uint64_t pending = fake_field_addr(f, m->ob1, F_mca_pml_ob1_t_non_existing_communicator_pending), n_bad;

	/* An extended context id precedes the match header, in the copy and in the length. */
	uint64_t frag = fake_ompi_frag(m, 0, 2, 7, 100, MDL_EAGER, 1);
	uint64_t hdr = fake_field_addr(f, frag, F_mca_pml_ob1_recv_frag_t_hdr);
	uint64_t segment = fake_field_addr(f, frag, F_mca_pml_ob1_recv_frag_t_segments);
	uint64_t before = fake_field_offset(f, F_mca_pml_ob1_ext_match_hdr_t_hdr_match);
	fake_put_u(f, hdr, F_mca_pml_ob1_common_hdr_t_hdr_type, 0x4a);
	fake_put_u(f, hdr + before, F_mca_pml_ob1_common_hdr_t_hdr_type, 0x41);
	fake_put_i(f, hdr + before, F_mca_pml_ob1_match_hdr_t_hdr_src, 5);
	fake_put_i(f, hdr + before, F_mca_pml_ob1_match_hdr_t_hdr_tag, 9);
	fake_put_u(f, segment, F_mca_btl_base_segment_t_seg_len,
		   fake_get_u(f, segment, F_mca_btl_base_segment_t_seg_len) + before);
	fake_ompi_append(m, pending, frag);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(messages(p, 0, false, &n_bad), 1);
	ck_assert_uint_eq(n_bad, 0);
	ck_assert_int_eq(ops[0].peer.value, 5);
	ck_assert_int_eq(ops[0].tag.value, 9);
	ck_assert_int_eq(ops[0].bytes.value, 100);
	ck_assert_int_eq(ops[0].buffer.known, MDL_UNAVAILABLE);

	fake_put_u(f, segment, F_mca_btl_base_segment_t_seg_len, before); /* too short for both headers */
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_uint_eq(messages(p, 0, false, &n_bad), 0);
	ck_assert_uint_eq(n_bad, 1);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_damaged)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	unsigned next = F_opal_list_item_t_opal_list_next;
	uint64_t frag[10], n_bad;

	for (int i = 0; i < 10; i++)
		frag[i] = fake_ompi_message(m, m->world, 2, i, 1, MDL_EAGER);
	fake_ompi_message(m, m->world, 4, 200, 1, MDL_EAGER);
	struct rd_process *p = fake_ompi_open(m);
	for (int damage = 0; damage < 5; damage++) {
		static const uint64_t nowhere[] = { 0, 0x6, 0x44444440 };
		uint64_t good = fake_get_u(f, frag[4], next);

		acc_note_clear(&m->sp.note);
		fake_put_u(f, frag[4], next, damage == 0 ? frag[1] : damage == 1 ? frag[4] : nowhere[damage - 2]);
		size_t n = messages(p, m->world, false, &n_bad);
		ck_assert_uint_ge(n, 6);
		ck_assert_uint_lt(n, 30);
		ck_assert_uint_ge(n_bad, 1);
		ck_assert_int_eq(ops[n - 1].tag.value, 200);
		ck_assert_int_ne(m->sp.note.rc, ACC_OK);
		fake_put_u(f, frag[4], next, good);
	}
	/* ends early, skips one, a number that differs: what is there is returned, and the answer is partial */
	uint64_t list = fake_field_addr(f, fake_ompi_peer(m, m->world, 2), F_mca_pml_ob1_comm_proc_t_unexpected_frags);
	uint64_t sentinel = fake_field_addr(f, list, F_opal_list_t_opal_list_sentinel);
	static const struct {
		int to, n; /* to: number of the next item, 10: the sentinel */
		uint64_t length;
		bool is_bad;
	} links[] = { { 10, 5, 10, true }, { 6, 9, 10, true },  { 6, 9, 9, true },    { 5, 10, 8, true },
		      { 5, 10, 12, true }, { 5, 10, 9, false }, { 5, 10, 11, false }, { 5, 10, 10, false } };
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		acc_note_clear(&m->sp.note);
		fake_put_u(f, frag[4], next, links[i].to < 10 ? frag[links[i].to] : sentinel);
		fake_put_u(f, list, F_opal_list_t_opal_list_length, links[i].length);
		ck_assert_uint_eq(messages(p, m->world, false, &n_bad), links[i].n + 1);
		ck_assert_int_eq(n_bad, links[i].is_bad);
		ck_assert_int_eq(m->sp.note.rc != ACC_OK, links[i].is_bad);
	}
	/* fragments that are invalid, without a peer, too short, or of another kind */
	uint64_t segment = fake_field_addr(f, frag[2], F_mca_pml_ob1_recv_frag_t_segments);
	fake_put_u(f, frag[0], F_opal_object_t_obj_class, fake_ompi_class(m, "ompi_group_t"));
	fake_put_i(f, fake_field_addr(f, frag[1], F_mca_pml_ob1_recv_frag_t_hdr), F_mca_pml_ob1_match_hdr_t_hdr_src, 8);
	fake_put_u(f, segment, F_mca_btl_base_segment_t_seg_len, 3);
	fake_put_u(f, fake_field_addr(f, frag[3], F_mca_pml_ob1_recv_frag_t_hdr), F_mca_pml_ob1_common_hdr_t_hdr_type,
		   0x44);
	ck_assert_uint_eq(messages(p, m->world, false, &n_bad), 7);
	ck_assert_uint_eq(n_bad, 4);
	/* a length that is no number of bytes */
	static const struct {
		uint64_t bytes;
		bool is_bad;
	} lengths[] = { { INT64_MAX, false }, { UINT64_C(1) << 63, true }, { UINT64_MAX, true } };
	uint64_t hdr = fake_field_addr(f, fake_ompi_message(m, m->world, 4, 201, 1, MDL_RENDEZVOUS),
				       F_mca_pml_ob1_recv_frag_t_hdr);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fake_put_u(f, hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_msg_length, lengths[i].bytes);
		ck_assert_uint_eq(messages(p, m->world, false, &n_bad), 8 - lengths[i].is_bad);
		ck_assert_uint_eq(n_bad, 4 + lengths[i].is_bad);
	}
	fake_put_u(f, hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_msg_length, 1);
	/* the peer is none */
	fake_put_u(f, fake_ompi_peer(m, m->world, 2), F_opal_object_t_obj_class, 0);
	ck_assert_uint_eq(messages(p, m->world, false, &n_bad), 2);
	ck_assert_uint_eq(n_bad, 1);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* A thousand bad ones end the walk. */
START_TEST(test_all_bad)
{
	struct fake_ompi *m = make(_i);
	struct rd_op_iter it;
	struct mdl_comm comm;
	struct mdl_op op;
	enum acc_rc rc;

	for (int i = 0; i < 2000; i++)
		fake_put_u(m->f, fake_ompi_message(m, m->world, 2, i, 1, MDL_EAGER), F_opal_object_t_obj_class, 0);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_OK);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_UNEXPECTED, false, &it), ACC_OK);
	while ((rc = rd_op_next(&it, &op)) == ACC_OK)
		;
	ck_assert_int_eq(rc, ACC_ECORRUPT);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_unexpected");
	TCase *tc = tcase_create("unexpected");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_facts, 0, 4);
	tcase_add_loop_test(tc, test_out_of_order, 0, 4);
	tcase_add_loop_test(tc, test_shared_run, 0, 4);
	tcase_add_loop_test(tc, test_orphans, 0, 4);
	tcase_add_loop_test(tc, test_extended_header, 0, 4);
	tcase_add_loop_test(tc, test_damaged, 0, 4);
	tcase_add_loop_test(tc, test_all_bad, 0, 4);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
