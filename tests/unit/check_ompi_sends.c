/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/openmpi/freelist.c, index.c, request.c, ops.c: sends and non-blocking collectives, which no queue holds. */
#include "../support/fake_ompi.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { SYNCHRONOUS = 0, BUFFERED = 2, READY = 3, STANDARD = 4 };

static struct fake_ompi *make(int i)
{
	return fake_ompi_create(i & 1 ? 4 : 8, i & 2, 8, 1);
}

static struct fake_ompi_ops walked;
static const struct mdl_op *const ops = walked.v;

static size_t walk(struct rd_process *p, uint64_t comm_addr, enum mdl_op_class op_class, bool all, uint64_t *n_bad)
{
	ck_assert_int_eq(fake_ompi_walk(p, comm_addr, op_class, all, &walked), ACC_NONE);
	if (n_bad)
		*n_bad = walked.n_bad;
	return walked.n;
}

START_TEST(test_modes)
{
	static const struct {
		int mode;
		enum mdl_send_mode expected;
	} rows[] = { { STANDARD, MDL_STANDARD },
		     { SYNCHRONOUS, MDL_SYNCHRONOUS },
		     { BUFFERED, MDL_BUFFERED },
		     { READY, MDL_READY },
		     { 1, MDL_STANDARD } };
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;

	for (int i = 0; i < 5; i++) {
		uint64_t req = fake_ompi_send(m, m->world, i, 10 + i, 100 + i, rows[i].mode);
		if (i == 1)
			fake_put_i(f, req, F_mca_pml_ob1_send_request_t_req_state, 2);
		if (i == 2)
			fake_put_u(f, req, F_mca_pml_base_send_request_t_req_addr, 0x123450);
		if (i == 3) {
			fake_put_u(f, req, F_mca_pml_base_request_t_req_free_called, 1);
			fake_put_u(f, req, F_mca_pml_ob1_send_request_t_req_recv, 0xbeef0);
		}
		if (i == 4)
			fake_put_u(f, req, F_ompi_request_t_req_complete, 0x7ffc000);
	}
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, NULL), 5);
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(ops[i].kind, MDL_SEND);
		ck_assert_int_eq(ops[i].mode, rows[i].expected);
		ck_assert_int_eq(ops[i].peer.value, i);
		ck_assert_int_eq(ops[i].peer_world.value, i);
		ck_assert_int_eq(ops[i].tag.value, 10 + i);
		ck_assert_int_eq(ops[i].count.value, 100 + i);
		ck_assert_int_eq(ops[i].bytes.value, 4 * (100 + i));
		ck_assert_str_eq(ops[i].datatype, "MPI_INT");
		ck_assert_int_eq(ops[i].status, i == 3 ? MDL_MATCHED : MDL_PENDING);
		ck_assert_int_eq(ops[i].protocol, i == 1 || i == 3 ? MDL_RENDEZVOUS : MDL_PROTOCOL_UNKNOWN);
		ck_assert_int_eq(ops[i].system_buffer, i == 2);
		ck_assert_int_eq(ops[i].buffer.value, i == 2 ? 0x123450 : 0x7000);
		ck_assert_int_eq(ops[i].freed, i == 3);
		ck_assert_uint_eq(ops[i].waiter_addr, i == 4 ? 0x7ffc000 : 0);
		ck_assert(ops[i].active);
		ck_assert_int_eq(ops[i].actual_peer.known, MDL_NOT_APPLICABLE);
	}
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* The library keeps a length that follows from count and datatype: when they differ, memory is damaged. */
START_TEST(test_contradiction)
{
	struct fake_ompi *m = make(_i);
	uint64_t req = fake_ompi_send(m, m->world, 1, 7, 34, STANDARD);

	fake_put_u(m->f, req, F_mca_pml_base_send_request_t_req_bytes_packed, 1048576);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, NULL), 1);
	ck_assert_int_eq(ops[0].count.value, 34);
	ck_assert_int_eq(ops[0].bytes.known, MDL_UNAVAILABLE);
	ck_assert_msg(ops[0].contradiction && strstr(ops[0].contradiction, "differ"), "%s", ops[0].contradiction);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Complete, inactive, freed, buffered and still going, internal. */
START_TEST(test_states)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t req;

	req = fake_ompi_send(m, m->world, 1, 1, 1, STANDARD); /* complete, not waited for */
	fake_put_u(f, req, F_ompi_request_t_req_complete, 1);
	req = fake_ompi_send(m, m->world, 1, 2, 1, BUFFERED); /* complete, its message is not gone */
	fake_put_u(f, req, F_ompi_request_t_req_complete, 1);
	req = fake_ompi_send(m, m->world, 1, 3, 1, BUFFERED); /* gone */
	fake_put_u(f, req, F_ompi_request_t_req_complete, 1);
	fake_put_i(f, req, F_mca_pml_base_request_t_req_pml_complete, 1);
	req = fake_ompi_send(m, m->world, 1, 4, 1, SYNCHRONOUS); /* inactive */
	fake_put_i(f, req, F_ompi_request_t_req_state, 1);
	fake_put_u(f, req, F_ompi_request_t_req_persistent, 1);
	req = fake_ompi_send(m, m->world, 1, 5, 1, SYNCHRONOUS); /* active persistent, acknowledged in its last use */
	fake_put_u(f, req, F_ompi_request_t_req_persistent, 1);
	fake_put_u(f, req, F_mca_pml_ob1_send_request_t_req_recv, 0xbeef0);
	fake_ompi_send(m, m->world, 1, -12, 1, STANDARD);
	req = fake_ompi_send(m, m->world, 1, 7, 1, STANDARD); /* unused */
	fake_put_i(f, req, F_ompi_request_t_req_state, 0);
	fake_ompi_send(m, m->self, 0, 8, 1, STANDARD);

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, NULL), 2);
	ck_assert_int_eq(ops[0].tag.value, 2);
	ck_assert_int_eq(ops[0].status, MDL_PENDING);
	ck_assert_int_eq(ops[1].tag.value, 5);
	ck_assert(ops[1].persistent && ops[1].status == MDL_PENDING);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, true, NULL), 6);
	ck_assert(ops[0].status == MDL_COMPLETE && !ops[0].active);
	ck_assert(ops[3].persistent && !ops[3].active && ops[3].tag.value == 4);
	ck_assert(ops[5].internal && ops[5].tag.value == -12);
	ck_assert_uint_eq(walk(p, m->self, MDL_SENDS, false, NULL), 1);
	ck_assert_int_eq(ops[0].peer_world.value, 1);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Many communicators, many sends: each is shown where it belongs, in the order of the numbers. */
START_TEST(test_index)
{
	struct fake_ompi *m = make(_i);
	uint64_t comms[150];

	for (int i = 0; i < 150; i++)
		comms[i] = fake_ompi_comm(m, "", 4, 1, 0);
	for (int i = 0; i < 6000; i++) {
		uint64_t req = fake_ompi_send(m, comms[i * 7 % 150], 2, i, 1, SYNCHRONOUS);
		/* numbers against the order of the list */
		fake_put_u(m->f, req, F_mca_pml_base_request_t_req_sequence, (uint64_t)(6000 - i));
	}
	struct rd_process *p = fake_ompi_open(m);
	for (int i = 0; i < 150; i++) {
		ck_assert_uint_eq(walk(p, comms[i], MDL_SENDS, false, NULL), 40);
		for (int k = 0; k < 40; k++) {
			ck_assert_uint_eq(comms[ops[k].tag.value * 7 % 150], comms[i]);
			ck_assert(!k || ops[k].sequence.value > ops[k - 1].sequence.value);
		}
	}
	/* operations that have changed since the index was built are updated or omitted */
	fake_put_i(m->f, ops[3].addr, F_ompi_request_t_req_state, 0);
	fake_put_i(m->f, ops[4].addr, F_mca_pml_base_request_t_req_tag, 4711);
	fake_put_u(m->f, ops[5].addr, F_mca_pml_base_request_t_req_comm, m->world);
	ck_assert_uint_eq(walk(p, comms[149], MDL_SENDS, false, NULL), 38);
	ck_assert_int_eq(ops[3].tag.value, 4711);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Only 16 bits of a send's number travel; more of them stand in a persistent request, a sign in others. */
START_TEST(test_sequence)
{
	struct fake_ompi *m = make(_i);
	static const uint64_t numbers[] = { 0x10005, 7, UINT64_C(0xffffffffffff8000) };

	for (int i = 0; i < 3; i++)
		fake_put_u(m->f, fake_ompi_send(m, m->world, 2, i, 1, SYNCHRONOUS),
			   F_mca_pml_base_request_t_req_sequence, numbers[i]);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, NULL), 3);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(ops[i].sequence.value, (int64_t)(numbers[i] & 0xffff));
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Without memory for an index the free list is walked for each communicator. */
START_TEST(test_no_memory_for_index)
{
	struct fake_ompi *m = make(_i & 3);

	for (int i = 0; i < 50; i++)
		fake_ompi_send(m, i % 2 ? m->world : m->self, 0, i, 1, SYNCHRONOUS);
	struct rd_process *p = fake_ompi_open(m);
	fake_fuse(&m->f->allocs, 0, true);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, NULL), 25);
	ck_assert_uint_eq(walk(p, m->self, MDL_SENDS, false, NULL), 25);
	for (int i = 0; i < 25; i++)
		ck_assert_int_eq(ops[i].tag.value % 2, 0);
	fake_fuse_off(&m->f->allocs);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_collectives)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t a = fake_ompi_collective(m, m->world, -28), b = fake_ompi_collective(m, m->world, -29);
	uint64_t c = fake_ompi_collective(m, m->world, -27);

	fake_ompi_collective(m, m->self, -27);
	fake_put_u(f, a, F_ompi_request_t_req_complete, 1);
	fake_put_u(f, b, F_ompi_request_t_req_complete, 0x7ff0);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(walk(p, m->world, MDL_COLLECTIVES, false, NULL), 2);
	ck_assert_uint_eq(ops[0].addr, c);
	ck_assert_uint_eq(ops[1].addr, b);
	ck_assert_uint_eq(ops[1].waiter_addr, 0x7ff0);
	ck_assert_int_eq(ops[1].kind, MDL_COLLECTIVE);
	ck_assert_int_eq(ops[1].tag.value, -29);
	ck_assert_int_eq(ops[1].peer.known, MDL_NOT_APPLICABLE);
	ck_assert_int_eq(ops[1].bytes.known, MDL_UNAVAILABLE);
	ck_assert_uint_eq(walk(p, m->world, MDL_COLLECTIVES, true, NULL), 3);
	ck_assert_uint_eq(walk(p, m->self, MDL_COLLECTIVES, false, NULL), 1);

	const char *why = NULL;
	fake_symbol_remove(f, "mca_coll_libnbc_component");
	rd_close(p);
	p = fake_ompi_open(m);
	ck_assert_int_eq(rd_ops_available(p, MDL_COLLECTIVES, &why), ACC_NONE);
	ck_assert_ptr_nonnull(strstr(why, "libnbc"));
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Damaged free lists: requests found before the damage are returned, and the answer counts as partial. */
START_TEST(test_damaged)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t list = m->sends.addr, req[32], n_bad;
	unsigned next = F_opal_list_item_t_opal_list_next;

	for (int i = 0; i < 32; i++)
		req[i] = fake_ompi_send(m, m->world, 1, i, 1, SYNCHRONOUS);
	struct rd_process *p = fake_ompi_open(m);
#define DAMAGED(statement, n_expected, partial)                                                                        \
	do {                                                                                                           \
		statement;                                                                                             \
		ck_assert_int_eq(rd_update(p), ACC_OK);                                                                \
		acc_note_clear(&m->sp.note);                                                                           \
		ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, &n_bad), n_expected);                            \
		ck_assert_int_eq(n_bad > 0, partial);                                                                  \
		ck_assert_int_eq(m->sp.note.rc != ACC_OK, partial);                                                    \
	} while (0)

	DAMAGED((void)0, 32, false);
	/* a class that is another: the chunk ends there, the next one goes on; the total is short */
	DAMAGED(fake_put_u(f, req[10], F_opal_object_t_obj_class, 0x40), 26, true);
	DAMAGED(fake_put_u(f, req[10], F_opal_object_t_obj_class, m->sends.class_addr), 32, false);
	/* a number that differs from the items: all are returned; senseless numbers */
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 40), 32, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 0x7fffffff), 32, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 5), 32, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 0), 32, true);
	/* the last chunk is being constructed */
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 24), 32, false);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 32), 32, false);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_alignment, 0), 0, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_alignment, 24), 0, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_alignment, 128), 32, false);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_size, 1), 0, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_size, 0x70000000), 0, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_size, fake_type_bytes(f, T_mca_pml_ob1_send_request_t)),
		32, false);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_class, 0x44444440), 0, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_class, m->receives.class_addr), 0, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_frag_class, m->sends.class_addr), 32, false);
	/* the list of chunks: a cycle, nowhere, NULL */
	uint64_t chunks = fake_field_addr(f, list, F_opal_free_list_t_fl_allocations);
	uint64_t head = fake_field_addr(f, chunks, F_opal_list_t_opal_list_sentinel);
	uint64_t first = fake_get_u(f, head, next), second = fake_get_u(f, first, next);
	DAMAGED(fake_put_u(f, second, next, 0x44444440), 16, true);
	DAMAGED(fake_put_u(f, second, next, 0), 16, true);
	DAMAGED(fake_put_u(f, first, next, head), 8, true);
	/* the number fits, the chunks do not */
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 8), 8, true);
	DAMAGED(fake_put_u(f, list, F_opal_free_list_t_fl_num_allocated, 32), 8, true);
	fake_put_u(f, first, next, first);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	walk(p, m->world, MDL_SENDS, false, &n_bad);
	ck_assert_uint_gt(n_bad, 0);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Bad requests are skipped and counted. */
START_TEST(test_bad_requests)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t req[8], n_bad;

	for (int i = 0; i < 8; i++)
		req[i] = fake_ompi_send(m, m->world, 1, i, 1, SYNCHRONOUS);
	fake_put_i(f, req[0], F_mca_pml_base_request_t_req_peer, 8);
	fake_put_i(f, req[1], F_mca_pml_base_request_t_req_peer, -1);
	fake_put_i(f, req[2], F_mca_pml_base_request_t_req_type, 2);
	/* of no communicator: shown nowhere */
	fake_put_u(f, req[3], F_mca_pml_base_request_t_req_comm, 0x44444440);
	fake_put_u(f, req[4], F_mca_pml_base_request_t_req_comm, 0);
	/* complete, not waited for: its communicator may have been freed */
	fake_put_u(f, req[5], F_mca_pml_base_request_t_req_comm, 0x44444440);
	fake_put_u(f, req[5], F_ompi_request_t_req_complete, 1);
	/* unused, and not complete */
	fake_put_i(f, req[6], F_ompi_request_t_req_state, 0);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(walk(p, m->world, MDL_SENDS, false, &n_bad), 1);
	ck_assert_uint_eq(n_bad, 6);
	ck_assert_int_eq(m->sp.note.rc, ACC_ECORRUPT);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_sends");
	TCase *tc = tcase_create("sends");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_modes, 0, 4);
	tcase_add_loop_test(tc, test_states, 0, 4);
	tcase_add_loop_test(tc, test_contradiction, 0, 4);
	tcase_add_loop_test(tc, test_index, 0, 4);
	tcase_add_loop_test(tc, test_sequence, 0, 4);
	tcase_add_loop_test(tc, test_no_memory_for_index, 0, 4);
	tcase_add_loop_test(tc, test_collectives, 0, 4);
	tcase_add_loop_test(tc, test_damaged, 0, 4);
	tcase_add_loop_test(tc, test_bad_requests, 0, 4);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
