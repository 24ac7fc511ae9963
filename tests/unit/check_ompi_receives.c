/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/openmpi/receives.c, request.c: posted receives, and those that are matched, complete or inactive. */
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

/* The receives of a communicator. @return how many; the walk must end with @p expected. */
static size_t receives(struct rd_process *p, uint64_t comm_addr, bool all, enum acc_rc expected, uint64_t *n_bad)
{
	ck_assert_int_eq(fake_ompi_walk(p, comm_addr, MDL_RECEIVES, all, &walked), expected);
	if (n_bad)
		*n_bad = walked.n_bad;
	return walked.n;
}

START_TEST(test_order)
{
	struct fake_ompi *m = make(_i);
	struct rd_process *p = fake_ompi_open(m);

	/* posted in the order of their tags, over wild and specific lists */
	for (int tag = 0; tag < 200; tag++)
		fake_ompi_post(m, m->world, tag % 7 == 3 ? -1 : tag % 5, tag, tag);
	fake_ompi_post(m, m->self, 0, 1000, 1);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 200);
	for (int tag = 0; tag < 200; tag++) {
		ck_assert_int_eq(ops[tag].tag.value, tag);
		ck_assert_int_eq(ops[tag].peer.known, tag % 7 == 3 ? MDL_ANY : MDL_KNOWN);
		ck_assert_int_eq(ops[tag].peer_world.known, ops[tag].peer.known);
		if (tag % 7 != 3)
			ck_assert_int_eq(ops[tag].peer.value, tag % 5);
		ck_assert_int_eq(ops[tag].sequence.value, tag);
		ck_assert_int_eq(ops[tag].count.value, tag);
		ck_assert_int_eq(ops[tag].bytes.value, 4 * tag);
	}
	ck_assert_uint_eq(receives(p, m->self, false, ACC_NONE, NULL), 1);
	ck_assert_int_eq(ops[0].peer_world.value, 1); /* rank 0 of MPI_COMM_SELF is rank 1 of the world */
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_facts)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t req = fake_ompi_post(m, m->world, 3, -1, 9);

	fake_put_u(f, req, F_mca_pml_base_request_t_req_datatype, m->dt_user);
	fake_put_i(f, req, F_ompi_request_t_req_f_to_c_index, 17);
	fake_put_u(f, req, F_mca_pml_base_request_t_req_free_called, 1);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 1);
	ck_assert_int_eq(ops[0].kind, MDL_RECEIVE);
	ck_assert_int_eq(ops[0].status, MDL_PENDING);
	ck_assert(ops[0].active && ops[0].freed && !ops[0].persistent && !ops[0].internal && !ops[0].cancelled);
	ck_assert_int_eq(ops[0].tag.known, MDL_ANY);
	ck_assert_int_eq(ops[0].peer_world.value, 3);
	ck_assert_str_eq(ops[0].datatype, "");
	ck_assert_int_eq(ops[0].datatype_handle.value, m->dt_user);
	ck_assert_int_eq(ops[0].bytes.value, 9 * 24);
	ck_assert_int_eq(ops[0].buffer.value, 0x7000);
	ck_assert_int_eq(ops[0].request.value, req);
	ck_assert_uint_eq(ops[0].addr, req);
	ck_assert_int_eq(ops[0].fortran.value, 17);
	ck_assert_int_eq(ops[0].actual_peer.known, MDL_NOT_APPLICABLE);
	ck_assert_int_eq(ops[0].sender_request.known, MDL_NOT_APPLICABLE);
	ck_assert_str_eq(ops[0].origin, "ob1");
	fake_put_u(f, req, F_mca_pml_base_request_t_req_datatype, m->dt_int);
	fake_put_i(f, req, F_ompi_request_t_req_f_to_c_index, -32766);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 1);
	ck_assert_str_eq(ops[0].datatype, "MPI_INT");
	ck_assert_int_eq(ops[0].fortran.known, MDL_UNAVAILABLE);
	ck_assert_str_eq(ops[0].fortran.why, "no Fortran handle was made");

	/* a datatype that cannot be read, and a size that overflows: unavailable, never 0 */
	fake_put_u(f, req, F_mca_pml_base_request_t_req_datatype, m->world);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 1);
	ck_assert_int_eq(ops[0].bytes.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(ops[0].datatype_handle.known, MDL_UNAVAILABLE);
	if (f->word_bytes == 8) {
		fake_put_u(f, req, F_mca_pml_base_request_t_req_datatype, m->dt_int);
		fake_put_u(f, req, F_mca_pml_base_request_t_req_count, UINT64_C(1) << 62);
		ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 1);
		ck_assert_int_eq(ops[0].bytes.known, MDL_UNAVAILABLE);
	}
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* req_complete: 0, 1, or the address of a waiter. */
START_TEST(test_complete_forms)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t a = fake_ompi_post(m, m->world, 3, 5, 1), b = fake_ompi_receive(m, m->world, 2, 6, 1);

	fake_put_u(f, a, F_ompi_request_t_req_complete, 0x7fff1230);
	fake_put_u(f, b, F_ompi_request_t_req_complete, 1);
	fake_ompi_match(m, b, 2, 6, 4);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 1);
	ck_assert_int_eq(ops[0].status, MDL_PENDING);
	ck_assert_uint_eq(ops[0].waiter_addr, 0x7fff1230);
	ck_assert_uint_eq(receives(p, m->world, true, ACC_NONE, NULL), 2);
	ck_assert_int_eq(ops[1].status, MDL_COMPLETE);
	ck_assert(!ops[1].active);
	ck_assert_uint_eq(ops[1].waiter_addr, 0);
	ck_assert_int_eq(ops[1].actual_bytes.value, 4);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_free_list)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t matched = fake_ompi_receive(m, m->world, -1, -1, 100),
		 inactive = fake_ompi_receive(m, m->world, 2, 8, 1);
	uint64_t making = fake_ompi_receive(m, m->world, 2, 9, 1), unused = fake_ompi_receive(m, m->world, 2, 10, 1);
	uint64_t cancelled = fake_ompi_receive(m, m->world, 2, 11, 1), restarted;
	uint64_t status = fake_field_addr(f, cancelled, F_ompi_request_t_req_status);

	fake_ompi_match(m, matched, 3, 42, 1000);
	fake_put_u(f, matched, F_mca_pml_ob1_recv_request_t_remote_req_send, 0xcafe0);
	fake_put_u(f, inactive, F_ompi_request_t_req_persistent, 1);
	fake_put_i(f, inactive, F_ompi_request_t_req_state, 1);
	fake_put_u(f, inactive, F_ompi_request_t_req_complete, 1);
	fake_ompi_match(m, inactive, 2, 8, 4); /* of its last use: says nothing now */
	fake_put_i(f, fake_field_addr(f, inactive, F_ompi_request_t_req_status), F_ompi_status_public_t__cancelled, 1);
	fake_put_i(f, making, F_ompi_request_t_req_state, 1);
	fake_put_i(f, unused, F_ompi_request_t_req_state, 0);
	fake_put_u(f, cancelled, F_ompi_request_t_req_complete, 1);
	fake_put_i(f, status, F_ompi_status_public_t__cancelled, 1);
	/* stopped while it was taken from its list: matched, and still posted; it is shown once */
	fake_ompi_match(m, fake_ompi_post(m, m->world, 4, 13, 1), 4, 13, 4);
	restarted = fake_ompi_post(m, m->world, 2, 12, 1);
	fake_put_u(f, restarted, F_ompi_request_t_req_persistent, 1);

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 3);
	ck_assert(ops[0].persistent && ops[0].active && ops[0].tag.value == 12);
	ck_assert_int_eq(ops[2].status, MDL_MATCHED);
	ck_assert_int_eq(ops[2].actual_peer.value, 4);
	ck_assert_int_eq(ops[1].status, MDL_MATCHED);
	ck_assert_int_eq(ops[1].protocol, MDL_RENDEZVOUS);
	ck_assert_int_eq(ops[1].tag.known, MDL_ANY);
	ck_assert_int_eq(ops[1].actual_peer.value, 3);
	ck_assert_int_eq(ops[1].actual_peer_world.value, 3);
	ck_assert_int_eq(ops[1].actual_tag.value, 42);
	ck_assert_int_eq(ops[1].actual_bytes.value, 1000);
	ck_assert_int_eq(ops[1].sender_request.value, 0xcafe0);
	ck_assert_uint_eq(receives(p, m->world, true, ACC_NONE, NULL), 5);
	ck_assert_uint_eq(receives(p, m->self, true, ACC_NONE, NULL), 0);
	ck_assert_uint_eq(receives(p, m->world, true, ACC_NONE, NULL), 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert(ops[i].addr != making && ops[i].addr != unused);
		if (ops[i].addr == inactive) {
			ck_assert(ops[i].persistent && !ops[i].active && !ops[i].cancelled);
			ck_assert_int_eq(ops[i].actual_tag.known, MDL_NOT_APPLICABLE);
		}
		if (ops[i].addr == cancelled)
			ck_assert(ops[i].cancelled && ops[i].status == MDL_COMPLETE);
	}
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* MPI_Probe's request is no item of a free list; MPI_Mprobe's is; a message that it returned waits in its request. */
START_TEST(test_probes)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t probe = fake_alloc(f, 4096, 16), type = F_mca_pml_base_request_t_req_type;
	uint64_t mprobe = fake_ompi_post(m, m->world, 4, 70, 0), held = fake_ompi_receive(m, m->world, -1, -1, 0);
	unsigned char bytes[4096];
	uint64_t wild = fake_field_addr(f, fake_get_u(f, m->world, F_ompi_communicator_t_c_pml_comm),
					F_mca_pml_comm_t_wild_receives);
	uint64_t copied = fake_ompi_receive(m, m->world, 0, 0, 0);

	fake_put_i(f, mprobe, type, 6);
	fake_put_i(f, held, type, 5);
	fake_put_u(f, held, F_ompi_request_t_req_complete, 1);
	fake_ompi_match(m, held, 5, 71, 1 << 20);
	fake_put_u(f, held, F_mca_pml_base_request_t_req_addr,
		   fake_ompi_frag(m, m->world, 5, 71, 1 << 20, MDL_RENDEZVOUS, 1));
	fake_peek(f, copied, bytes, fake_type_bytes(f, T_mca_pml_ob1_recv_request_t));
	fake_write(f, probe, bytes, fake_type_bytes(f, T_mca_pml_ob1_recv_request_t));
	fake_put_i(f, copied, F_ompi_request_t_req_state, 0);
	fake_put_i(f, probe, type, 4);
	fake_put_i(f, probe, F_mca_pml_base_request_t_req_peer, -1);
	fake_put_i(f, probe, F_mca_pml_base_request_t_req_tag, 72);
	fake_put_u(f, probe, F_mca_pml_base_request_t_req_comm, m->world);
	fake_ompi_append(m, wild, probe);

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 3);
	ck_assert(ops[0].kind == MDL_MPROBE && ops[0].status == MDL_PENDING && ops[0].tag.value == 70);
	ck_assert(ops[1].kind == MDL_PROBE && ops[1].status == MDL_PENDING && ops[1].tag.value == 72);
	ck_assert_int_eq(ops[1].request.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(ops[1].bytes.known, MDL_NOT_APPLICABLE);
	ck_assert_uint_eq(ops[1].addr, probe);
	ck_assert(ops[2].kind == MDL_MPROBE && ops[2].status == MDL_MATCHED && ops[2].active);
	ck_assert_int_eq(ops[2].actual_peer.value, 5);
	ck_assert_int_eq(ops[2].actual_tag.value, 71);
	ck_assert_int_eq(ops[2].actual_bytes.value, 1 << 20);
	ck_assert_int_eq(ops[2].buffer.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(ops[2].protocol, MDL_RENDEZVOUS);
	ck_assert_int_eq(ops[2].sender_request.value, 0xabc0);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_internal_traffic)
{
	struct fake_ompi *m = make(_i);

	fake_ompi_post(m, m->world, 3, -13, 1);
	fake_ompi_post(m, m->world, 3, 13, 1);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 1);
	ck_assert_int_eq(ops[0].tag.value, 13);
	ck_assert_uint_eq(receives(p, m->world, true, ACC_NONE, NULL), 2);
	ck_assert(ops[0].internal && ops[0].tag.value == -13);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Ranks of an intercommunicator are the remote group's. */
START_TEST(test_inter)
{
	struct fake_ompi *m = make(_i);
	uint64_t far = fake_ompi_proc(m, FAKE_OMPI_OTHER_JOB, 9);
	uint64_t inter = fake_ompi_comm(m, "", 2, 1, fake_ompi_group(m, (uint64_t[]){ m->procs[6], far }, 2, -32766));

	fake_ompi_post(m, inter, 0, 1, 1);
	fake_ompi_post(m, inter, 1, 2, 1);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, inter, false, ACC_NONE, NULL), 2);
	ck_assert_int_eq(ops[0].peer_world.value, 6);
	ck_assert_int_eq(ops[1].peer.value, 1);
	ck_assert_int_eq(ops[1].peer_world.known, MDL_UNAVAILABLE);
	ck_assert_str_eq(ops[1].peer_world.why, "a process of another job");
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* The number of a receive has 32 bits. */
START_TEST(test_wrap)
{
	struct fake_ompi *m = make(_i);

	m->sequence = UINT32_MAX - 4;
	for (int tag = 0; tag < 10; tag++)
		fake_ompi_post(m, m->world, tag % 2 ? -1 : 2, tag, 1);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), 10);
	for (int tag = 0; tag < 10; tag++)
		ck_assert_int_eq(ops[tag].tag.value, tag);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Damaged lists end, with what could be read before. */
START_TEST(test_damaged)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	unsigned next = F_opal_list_item_t_opal_list_next;
	uint64_t req[10], n_bad, wild = 0;

	for (int i = 0; i < 10; i++)
		req[i] = fake_ompi_post(m, m->world, i < 5 ? 2 : -1, i, 1);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, &n_bad), 10);
	ck_assert_uint_eq(n_bad, 0);
	for (int damage = 0; damage < 5; damage++) {
		static const uint64_t nowhere[] = { 0, 0x6, 0x44444440 };
		uint64_t good = fake_get_u(f, req[3], next);

		acc_note_clear(&m->sp.note);
		fake_put_u(f, req[3], next, damage == 0 ? req[1] : damage == 1 ? req[3] : nowhere[damage - 2]);
		size_t n = receives(p, m->world, false, ACC_NONE, &n_bad);
		ck_assert_uint_eq(n, 9);
		ck_assert_uint_eq(n_bad, 1);
		ck_assert_int_ne(m->sp.note.rc, ACC_OK);
		fake_put_u(f, req[3], next, good);
	}
	/* the list of peer 2 ends early, skips one, has another number of receives: the answer is partial */
	uint64_t list = fake_field_addr(f, fake_ompi_peer(m, m->world, 2), F_mca_pml_ob1_comm_proc_t_specific_receives);
	uint64_t sentinel = fake_field_addr(f, list, F_opal_list_t_opal_list_sentinel);
	const struct {
		uint64_t from, to, length;
		unsigned n, n_bad;
	} links[] = { { req[1], sentinel, 5, 7, 1 },  { req[1], req[3], 5, 9, 1 },  { req[1], req[2], 3, 10, 1 },
		      { req[1], req[2], 4, 10, 0 },   { req[1], req[2], 6, 10, 0 }, { req[1], req[2], 7, 10, 1 },
		      { sentinel, sentinel, 5, 5, 1 } };
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		uint64_t good = fake_get_u(f, links[i].from, next);

		acc_note_clear(&m->sp.note);
		fake_put_u(f, links[i].from, next, links[i].to);
		fake_put_u(f, list, F_opal_list_t_opal_list_length, links[i].length);
		ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, &n_bad), links[i].n);
		ck_assert_uint_eq(n_bad, links[i].n_bad);
		ck_assert_int_eq(m->sp.note.rc != ACC_OK, links[i].n_bad != 0);
		fake_put_u(f, links[i].from, next, good);
		fake_put_u(f, list, F_opal_list_t_opal_list_length, 5);
	}
	/* another class; another communicator's; a peer that does not exist; another kind */
	fake_put_u(f, req[2], F_opal_object_t_obj_class, fake_ompi_class(m, "ompi_group_t"));
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, &n_bad), 7);
	ck_assert_uint_eq(n_bad, 2); /* once in its list, once where the free list seems to end */
	fake_put_u(f, req[2], F_opal_object_t_obj_class, m->receives.class_addr);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	fake_put_u(f, req[2], F_mca_pml_base_request_t_req_comm, m->self);
	fake_put_i(f, req[4], F_mca_pml_base_request_t_req_peer, 8);
	fake_put_i(f, req[5], F_mca_pml_base_request_t_req_peer, -3);
	fake_put_i(f, req[6], F_mca_pml_base_request_t_req_type, 9);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, &n_bad), 6);
	ck_assert_uint_eq(n_bad, 4);
	/* the lists' own heads */
	wild = fake_field_addr(f, fake_get_u(f, m->world, F_ompi_communicator_t_c_pml_comm),
			       F_mca_pml_comm_t_wild_receives);
	fake_put_u(f, fake_field_addr(f, wild, F_opal_list_t_opal_list_sentinel), next, 0x44444440);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, &n_bad), 3);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

START_TEST(test_damaged_comm)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t pml = fake_get_u(f, m->world, F_ompi_communicator_t_c_pml_comm), n_bad;
	uint64_t procs = fake_get_u(f, pml, F_mca_pml_comm_t_procs);
	struct rd_op_iter it;
	struct mdl_comm comm;

	for (int i = 0; i < 6; i++)
		fake_ompi_post(m, m->world, i, i, 1);
	struct rd_process *p = fake_ompi_open(m);
	fake_write_ptr(f, procs + 2 * f->word_bytes, 0x44444440);
	fake_write_ptr(f, procs + 3 * f->word_bytes, m->world);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, &n_bad), 4);
	ck_assert_uint_eq(n_bad, 2);
	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_OK);
	fake_put_u(f, pml, F_mca_pml_comm_t_num_procs, 0x7fffffff);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &it), ACC_ECORRUPT);
	fake_put_u(f, pml, F_mca_pml_comm_t_num_procs, 8);
	fake_put_u(f, pml, F_mca_pml_comm_t_procs, 0x44444440);
	ck_assert_uint_eq(receives(p, m->world, false, ACC_EREAD, &n_bad), 0);
	fake_put_u(f, m->world, F_ompi_communicator_t_c_pml_comm, 0x44444440);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &it), ACC_EREAD);
	fake_put_u(f, m->world, F_ompi_communicator_t_c_pml_comm, 0);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &it), ACC_NONE);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* A walk ends when another starts, or when the process has run. */
START_TEST(test_stale)
{
	struct fake_ompi *m = make(_i);
	struct rd_op_iter a, b;
	struct mdl_comm comm;
	struct mdl_op op;

	fake_ompi_post(m, m->world, 1, 1, 1);
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_OK);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &a), ACC_OK);
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &b), ACC_OK);
	ck_assert_int_eq(rd_op_next(&a, &op), ACC_EINVAL);
	ck_assert_int_eq(rd_op_next(&b, &op), ACC_OK);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_int_eq(rd_op_next(&b, &op), ACC_EINVAL);
	comm.id += 16;
	ck_assert_int_eq(rd_op_first(p, &comm, MDL_RECEIVES, false, &b), ACC_NONE);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/*
 * If all of many receives are posted, the free list is not read a second time, unless it may contain something
 * else: an item that is neither posted nor unused, a probe whose request is on a stack, a second thread.
 */
START_TEST(test_second_pass)
{
	enum { ALL_POSTED, ONE_MATCHED, THREADS, PROBE_LAST } what = _i >> 2;
	struct fake_ompi *m = make(_i & 3);
	struct fake *f = m->f;
	uint64_t req = 0, threads, matched = 0, n = 2000;
	uint64_t head = fake_field_addr(f, m->receives.addr, F_opal_lifo_t_opal_lifo_ghost);

	for (uint64_t i = 0; i < n; i++)
		req = fake_ompi_post(m, m->world, i % 2 ? 2 : -1, (int)i, 1);
	if (what == ONE_MATCHED) {
		matched = fake_ompi_receive(m, m->world, 2, 7777, 1);
		fake_ompi_match(m, matched, 2, 7777, 4);
	}
	for (fake_ompi_receive(m, m->self, 0, 0, 0); m->receives.left;) {
		uint64_t item = fake_ompi_item(m, &m->receives);

		fake_put_u(f, item, F_opal_list_item_t_opal_list_next, head);
		head = item;
	}
	/* the request for MPI_COMM_SELF is the one that ob1 caches */
	uint64_t cached_addr, cached = 0x1000;
	ck_assert(fake_ops.symbol(f, "mca_pml_ob1_recvreq", &cached_addr));
	fake_write_ptr(f, cached_addr, cached);
	fake_write_ptr(f, fake_field_addr(f, m->receives.addr, F_opal_lifo_t_opal_lifo_head) + 8, head);
	ck_assert(fake_ops.symbol(f, "ompi_mpi_thread_multiple", &threads));
	fake_write_u(f, threads, 1, what == THREADS);
	if (what == PROBE_LAST)
		fake_put_i(f, req, F_mca_pml_base_request_t_req_type, 4);

	struct rd_process *p = fake_ompi_open(m);
	f->read_bytes = 0; /* outside of a bracket every read counts */
	ck_assert_uint_eq(receives(p, m->world, false, ACC_NONE, NULL), n + (what == ONE_MATCHED));
	if (what == ALL_POSTED)
		ck_assert_uint_lt(f->read_bytes, n * m->receives.stride * 5 / 4);
	else
		ck_assert_uint_gt(f->read_bytes, n * m->receives.stride * 5 / 4);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_receives");
	TCase *tc = tcase_create("receives");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_order, 0, 4);
	tcase_add_loop_test(tc, test_facts, 0, 4);
	tcase_add_loop_test(tc, test_complete_forms, 0, 4);
	tcase_add_loop_test(tc, test_free_list, 0, 4);
	tcase_add_loop_test(tc, test_probes, 0, 4);
	tcase_add_loop_test(tc, test_internal_traffic, 0, 4);
	tcase_add_loop_test(tc, test_inter, 0, 4);
	tcase_add_loop_test(tc, test_wrap, 0, 4);
	tcase_add_loop_test(tc, test_damaged, 0, 4);
	tcase_add_loop_test(tc, test_damaged_comm, 0, 4);
	tcase_add_loop_test(tc, test_stale, 0, 4);
	tcase_add_loop_test(tc, test_second_pass, 0, 16);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
