/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/tracked: the registry opened, true and damaged; records, lists, searches, calls. */
#include "../../readers/tracked/registry.h"
#include "../support/fake_track.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { N_TARGETS = 4 };

struct opened {
	struct fake_track *m;
	struct acc_space sp;
	struct rd_track *t;
};

static struct fake_track *target(int i)
{
	return fake_track_create(i & 1 ? 4 : 8, i & 2, i & 1 ? "MPICH" : "Open MPI");
}

static void open_it(struct opened *o, struct fake_track *m)
{
	o->m = m;
	o->t = NULL;
	ck_assert_int_eq(fake_space(m->f, &o->sp), ACC_OK);
	ck_assert_msg(rd_track_open(&o->sp, &o->t) == ACC_OK, "%s", o->sp.note.text);
}

static void close_it(struct opened *o)
{
	rd_track_close(o->t);
	acc_space_deinit(&o->sp);
	fake_track_destroy(o->m);
}

START_TEST(test_head)
{
	struct opened o;

	open_it(&o, target(_i));
	const struct mdl_library *lib = rd_track_library(o.t);
	ck_assert_str_eq(lib->implementation, _i & 1 ? "MPICH" : "Open MPI");
	ck_assert_str_eq(lib->version, "4.1.4");
	ck_assert_int_eq(lib->state, MDL_INITIALIZED);
	ck_assert_int_eq(lib->world_rank.value, 1);
	ck_assert_int_eq(lib->world_size.value, 4);
	ck_assert(lib->thread_multiple_known && lib->thread_multiple);
	ck_assert_uint_eq(rd_track_handle_bytes(o.t, MDL_COMM), 4u << (_i == 0 || _i == 2));
	ck_assert_uint_eq(rd_track_handle_bytes(o.t, MDL_FILE), o.m->f->word_bytes);
	for (int kind = 0; kind < MDL_N_HANDLE_KINDS; kind++)
		ck_assert(rd_track_count(o.t, kind).known);
	/* every row of the schema was found in the registry's own description */
	for (unsigned i = 0; i < rd_track_schema.n_fields; i++)
		ck_assert_msg(rd_track_has(o.t, i), "%s.%s", rd_track_schema.fields[i].type_name,
			      rd_track_schema.fields[i].name);
	close_it(&o);
}
END_TEST

START_TEST(test_none)
{
	struct fake_track *m = target(0);
	struct acc_space sp;
	struct rd_track *t = NULL;

	fake_symbol_remove(m->f, "MPI2DD_registry");
	ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
	ck_assert_int_eq(rd_track_open(&sp, &t), ACC_NONE);
	ck_assert_int_eq(rd_track_open(NULL, &t), ACC_EINVAL);
	ck_assert_ptr_null(t);
	rd_track_close(NULL);
	acc_space_deinit(&sp);
	fake_track_destroy(m);
}
END_TEST

START_TEST(test_comm)
{
	struct opened o;
	struct mdl_handle h;
	const int64_t dims[] = { 2, 3 }, periods[] = { 0, 1 };
	const int ranks[] = { 3, 1, -1 };
	struct fake_track *m = target(_i);
	uint64_t world = fake_track_add(m, TRK_COMM, 0x44000000);
	uint64_t cart = fake_track_add(m, TRK_COMM, 0x84000001);

	fake_put_u(m->f, world, F_trk_comm_predefined, 1);
	fake_put_i(m->f, world, F_trk_comm_size, 4);
	fake_put_i(m->f, world, F_trk_comm_remote_size, -1);
	fake_put_chars(m->f, world, F_trk_comm_name, "MPI_COMM_WORLD");
	fake_put_i(m->f, cart, F_trk_comm_size, 3);
	fake_put_i(m->f, cart, F_trk_comm_rank, 1);
	fake_put_i(m->f, cart, F_trk_comm_remote_size, -1);
	fake_put_u(m->f, cart, F_trk_comm_topology, TRK_TOPO_CART);
	fake_put_u(m->f, cart, F_trk_comm_parent, fake_track_id(m, TRK_COMM, world));
	fake_put_u(m->f, cart, F_trk_comm_call, fake_track_call("MPI_Cart_create"));
	fake_put_u(m->f, cart, F_trk_comm_has_fortran, 1);
	fake_put_i(m->f, cart, F_trk_comm_fortran, 7);
	fake_track_numbers(m, cart, F_trk_comm_dims, 4, dims, 2);
	fake_track_numbers(m, cart, F_trk_comm_periods, 4, periods, 2);
	fake_track_members(m, cart, F_trk_comm_members, ranks, 3);
	fake_track_attributes(m, cart, F_trk_comm_attributes, 99, -5, 0xabcd);

	open_it(&o, m);
	ck_assert_int_eq(rd_track_find(o.t, MDL_COMM, 0x84000001, &h), ACC_OK);
	ck_assert_str_eq(h.call, "MPI_Cart_create");
	ck_assert_int_eq(h.life, MDL_LIVE);
	ck_assert(!h.predefined && !h.unsettled);
	ck_assert_int_eq(h.comm.topology, MDL_TOPO_CART);
	ck_assert_int_eq(h.comm.rank.value, 1);
	ck_assert_int_eq(h.comm.remote_size.known, MDL_NOT_APPLICABLE);
	ck_assert(!h.comm.members_identity);

	int64_t v[2];
	ck_assert_uint_eq(h.comm.dims.n, 2);
	ck_assert_int_eq(rd_track_numbers(o.t, &h.comm.dims, 4, 0, 2, v), ACC_OK);
	ck_assert(v[0] == 2 && v[1] == 3);
	ck_assert_int_eq(rd_track_numbers(o.t, &h.comm.dims, 4, 1, 2, v), ACC_EINVAL);
	struct mdl_handle_member members[3];
	ck_assert_int_eq(rd_track_members(o.t, &h.comm.members, 0, 3, members), ACC_OK);
	ck_assert(members[0].known && members[0].rank == 3 && members[1].rank == 1 && !members[2].known);
	struct mdl_handle_attribute a;
	ck_assert_int_eq(rd_track_attribute(o.t, &h.comm.attributes, 0, &a), ACC_OK);
	ck_assert(a.keyval == 99 && a.key == -5 && a.value == 0xabcd);

	uint64_t id = h.id;
	ck_assert_int_eq(rd_track_find_id(o.t, MDL_COMM, (uint64_t)h.parent.value, &h), ACC_OK);
	ck_assert_str_eq(h.name, "MPI_COMM_WORLD");
	ck_assert(h.predefined && h.comm.members_identity && h.call[0] == '\0');
	ck_assert_int_eq(rd_track_find_name(o.t, MDL_COMM, "MPI_COMM_WORLD", &h), ACC_OK);
	ck_assert_uint_eq(h.handle, 0x44000000);
	ck_assert_int_eq(rd_track_find_name(o.t, MDL_COMM, "none", &h), ACC_NONE);
	/* MPICH: the Fortran handle is the C handle; elsewhere an index that was recorded */
	ck_assert_int_eq(rd_track_find_fortran(o.t, MDL_COMM, _i & 1 ? (int32_t)0x84000001 : 7, &h), ACC_OK);
	ck_assert_uint_eq(h.id, id);
	ck_assert_int_eq(rd_track_find_fortran(o.t, MDL_COMM, 8, &h), ACC_NONE);
	ck_assert_int_eq(rd_track_find(o.t, MDL_COMM, 0x1, &h), ACC_NONE);
	ck_assert_int_eq(rd_track_find(o.t, (enum mdl_handle_kind)99, 0x1, &h), ACC_EINVAL);
	close_it(&o);
}
END_TEST

/* One handle value, three lives: the live one wins, then the one freed last. */
START_TEST(test_lives)
{
	struct opened o;
	struct mdl_handle h;
	struct rd_track_iter it;
	struct fake_track *m = target(_i);
	uint64_t r[3];

	for (int i = 0; i < 3; i++) {
		r[i] = fake_track_add(m, TRK_OP, 0x1000);
		fake_put_u(m->f, r[i], F_trk_op_generation, i);
	}
	fake_put_u(m->f, r[0], F_trk_op_state, TRK_EARLIER);
	fake_put_u(m->f, r[1], F_trk_op_state, TRK_EARLIER);
	open_it(&o, m);
	ck_assert_int_eq(rd_track_find(o.t, MDL_OP, 0x1000, &h), ACC_OK);
	ck_assert_int_eq(h.generation.value, 2);

	unsigned n = 0;
	ck_assert_int_eq(rd_track_first(o.t, MDL_OP, RD_TRACK_LIVE, &it), ACC_OK);
	while (!rd_track_next(&it, &h))
		n++;
	ck_assert_uint_eq(n, 1);
	n = 0;
	ck_assert_int_eq(rd_track_first(o.t, MDL_OP, RD_TRACK_ALL, &it), ACC_OK);
	while (!rd_track_next(&it, &h))
		n++;
	ck_assert_uint_eq(n, 3);
	fake_put_u(m->f, r[2], F_trk_op_state, TRK_FREED);
	ck_assert_int_eq(rd_track_find(o.t, MDL_OP, 0x1000, &h), ACC_OK);
	ck_assert_int_eq(h.life, MDL_FREED);
	fake_put_u(m->f, r[2], F_trk_op_state, TRK_FREE);
	ck_assert_int_eq(rd_track_find(o.t, MDL_OP, 0x1000, &h), ACC_OK);
	ck_assert_int_eq(h.generation.value, 1);
	close_it(&o);
}
END_TEST

/* Each state of a request, and what none is; of ended ones with one handle value the last record is found. */
START_TEST(test_request_states)
{
	static const struct {
		uint64_t state;
		enum acc_rc rc;
		enum mdl_life life;
	} cases[] = {
		{ TRK_FREE, ACC_NONE, MDL_LIVE },
		{ TRK_LIVE, ACC_OK, MDL_LIVE },
		{ TRK_FREED, ACC_OK, MDL_FREED },
		{ TRK_EARLIER, ACC_OK, MDL_EARLIER },
		{ TRK_EARLIER + 1, ACC_ECORRUPT, MDL_LIVE },
		{ UINT8_MAX, ACC_ECORRUPT, MDL_LIVE },
	};
	struct fake_track *m = target(_i);
	uint64_t records[4];
	struct mdl_handle h;
	struct opened o;

	for (int i = 0; i < 4; i++) {
		records[i] = fake_track_add(m, TRK_REQUEST, 0x5000);
		fake_put_u(m->f, records[i], F_trk_request_state, TRK_FREED);
	}
	open_it(&o, m);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fake_put_u(m->f, records[0], F_trk_request_state, cases[i].state);
		ck_assert_msg(rd_track_record(o.t, MDL_REQUEST, 0, &h) == cases[i].rc, "case %zu", i);
		if (!cases[i].rc)
			ck_assert_msg(h.life == cases[i].life, "case %zu: %d", i, h.life);
	}
	fake_put_u(m->f, records[0], F_trk_request_state, TRK_FREED);
	ck_assert_int_eq(rd_track_find(o.t, MDL_REQUEST, 0x5000, &h), ACC_OK);
	ck_assert_uint_eq(h.addr, records[3]);
	fake_put_u(m->f, records[1], F_trk_request_state, TRK_LIVE);
	ck_assert_int_eq(rd_track_find(o.t, MDL_REQUEST, 0x5000, &h), ACC_OK);
	ck_assert_uint_eq(h.addr, records[1]);
	close_it(&o);
}
END_TEST

START_TEST(test_kinds)
{
	static const char *const pairs[] = { "key", "value", "no_locks", "true" };
	struct opened o;
	struct mdl_handle h;
	struct fake_track *m = target(_i);
	uint64_t file = fake_track_add(m, TRK_FILE, 0x2000), info = fake_track_add(m, TRK_INFO, 0x3000);
	uint64_t win = fake_track_add(m, TRK_WIN, 0x4000), request = fake_track_add(m, TRK_REQUEST, 0x5000);
	uint64_t message = fake_track_add(m, TRK_MESSAGE, 0x6000);

	fake_track_text(m, file, F_trk_file_path, "/scratch/data");
	fake_put_i(m->f, file, F_trk_file_mode, 9);
	fake_put_u(m->f, file, F_trk_file_split_call, fake_track_call("MPI_File_write_all_begin"));
	fake_track_pairs(m, info, F_trk_info_pairs, pairs, 2);
	fake_put_i(m->f, win, F_trk_win_model, 1);
	fake_put_u(m->f, win, F_trk_win_last_sync, TRK_NO_CALL);
	fake_put_u(m->f, win, F_trk_win_started, 1);
	fake_put_u(m->f, request, F_trk_request_flags, TRK_REQ_PERSISTENT);
	fake_put_u(m->f, request, F_trk_request_call, fake_track_call("MPI_Send_init"));
	fake_put_u(m->f, request, F_trk_request_has, TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COUNT);
	fake_put_i(m->f, request, F_trk_request_peer, _i & 1 ? -2 : -1);
	fake_put_i(m->f, request, F_trk_request_tag, -1);
	fake_put_u(m->f, request, F_trk_request_count, 12);
	fake_put_u(m->f, request, F_trk_request_object_kind, TRK_COMM);
	fake_put_u(m->f, request, F_trk_request_comm, 0x44000000);
	fake_put_u(m->f, message, F_trk_message_bytes, UINT64_MAX);

	char text[64], value[64];
	open_it(&o, m);
	ck_assert_int_eq(rd_track_find(o.t, MDL_FILE, 0x2000, &h), ACC_OK);
	ck_assert_int_eq(rd_track_text(o.t, &h.file.path, text, sizeof(text)), ACC_OK);
	ck_assert_str_eq(text, "/scratch/data");
	ck_assert_int_eq(rd_track_text(o.t, &h.file.path, text, 5), ACC_OK);
	ck_assert_str_eq(text, "/scr");
	ck_assert_str_eq(h.file.split_call, "MPI_File_write_all_begin");
	ck_assert_int_eq(h.file.mode.value, MDL_MODE_CREATE | MDL_MODE_RDWR);
	ck_assert_int_eq(rd_track_find(o.t, MDL_INFO, 0x3000, &h), ACC_OK);
	ck_assert_int_eq(rd_track_pair(o.t, &h.info.pairs, 1, text, sizeof(text), value, sizeof(value)), ACC_OK);
	ck_assert_str_eq(text, "no_locks");
	ck_assert_str_eq(value, "true");
	ck_assert_int_eq(rd_track_pair(o.t, &h.info.pairs, 2, text, sizeof(text), value, sizeof(value)), ACC_EINVAL);
	ck_assert_int_eq(rd_track_find(o.t, MDL_WIN, 0x4000, &h), ACC_OK);
	ck_assert_int_eq(h.win.model.value, MDL_WIN_SEPARATE);
	ck_assert(h.win.started && !h.win.posted && h.win.last_sync[0] == '\0');
	ck_assert_int_eq(rd_track_find(o.t, MDL_REQUEST, 0x5000, &h), ACC_OK);
	ck_assert(h.request.persistent && !h.request.active);
	ck_assert_int_eq(h.request.peer.known, MDL_ANY);
	ck_assert_int_eq(h.request.tag.known, MDL_ANY);
	ck_assert_int_eq(h.request.count.value, 12);
	ck_assert_int_eq(h.request.object.value, 0x44000000);
	ck_assert_int_eq(h.request.datatype.known, MDL_NOT_APPLICABLE);
	ck_assert_str_eq(h.call, "MPI_Send_init");
	ck_assert_int_eq(rd_track_find(o.t, MDL_A_MESSAGE, 0x6000, &h), ACC_OK);
	ck_assert_int_eq(h.message.bytes.known, MDL_UNAVAILABLE);
	close_it(&o);
}
END_TEST

START_TEST(test_unsettled)
{
	struct opened o;
	struct mdl_handle h;
	struct rd_track_iter it;
	struct fake_track *m = target(_i);
	uint64_t a = fake_track_add(m, TRK_GROUP, 0x10), b = fake_track_add(m, TRK_GROUP, 0x20);

	fake_put_u(m->f, a, F_trk_group_sequence, 5);
	fake_put_u(m->f, b, F_trk_group_state, 77);
	open_it(&o, m);
	ck_assert_int_eq(rd_track_first(o.t, MDL_GROUP, RD_TRACK_ALL, &it), ACC_OK);
	ck_assert_int_eq(rd_track_next(&it, &h), ACC_OK);
	ck_assert(h.unsettled);
	ck_assert_int_eq(rd_track_next(&it, &h), ACC_NONE);
	ck_assert_uint_eq(it.n_bad, 1);
	ck_assert_uint_eq(it.n_unsettled, 1);
	ck_assert_msg(strstr(o.sp.note.text, "trk_group.state"), "%s", o.sp.note.text);
	close_it(&o);
}
END_TEST

/* A record with an omitted member list (the world) but a
 * larger size than the world is invalid; so is a larger world. */
START_TEST(test_larger_than_world)
{
	struct opened o;
	struct mdl_handle h;
	struct fake_track *m = target(_i);
	uint64_t world = fake_get_u(m->f, m->registry, F_trk_registry_world_size);
	uint64_t a = fake_track_add(m, TRK_GROUP, 0x10), b = fake_track_add(m, TRK_GROUP, 0x20);
	uint64_t c = fake_track_add(m, TRK_COMM, 0x30), far = fake_track_add(m, TRK_COMM, 0x40);

	ck_assert_uint_eq(world, 4);
	fake_put_i(m->f, far, F_trk_comm_remote_size, 2);
	fake_put_u(m->f, a, F_trk_group_size, world);
	fake_put_u(m->f, b, F_trk_group_size, world + 1);
	fake_put_u(m->f, c, F_trk_comm_size, 0x2f121212);
	open_it(&o, m);
	ck_assert_int_eq(rd_track_find(o.t, MDL_GROUP, 0x10, &h), ACC_OK);
	ck_assert(h.group.members_identity);
	ck_assert_int_eq(h.group.size.value, 4);
	ck_assert_int_eq(rd_track_find(o.t, MDL_GROUP, 0x20, &h), ACC_OK);
	ck_assert(!h.group.members_identity);
	ck_assert_int_eq(h.group.size.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(rd_track_find(o.t, MDL_COMM, 0x30, &h), ACC_OK);
	ck_assert(!h.comm.members_identity);
	ck_assert_int_eq(h.comm.size.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(rd_track_find(o.t, MDL_COMM, 0x40, &h), ACC_OK);
	ck_assert(h.comm.remote_members_identity && h.comm.remote_size.value == 2);
	rd_track_close(o.t);
	fake_put_u(m->f, m->registry, F_trk_registry_world_size, 0x7fffffff);
	ck_assert_int_eq(rd_track_open(&o.sp, &o.t), ACC_OK);
	ck_assert_int_eq(rd_track_find(o.t, MDL_GROUP, 0x20, &h), ACC_OK);
	ck_assert(h.group.members_identity);
	ck_assert_int_eq(rd_track_find(o.t, MDL_COMM, 0x30, &h), ACC_OK);
	ck_assert_int_eq(h.comm.size.known, MDL_UNAVAILABLE);
	close_it(&o);
}
END_TEST

START_TEST(test_dropped)
{
	struct opened o;
	struct fake_track *m = target(_i);
	uint64_t bytes = fake_get_u(m->f, m->registry, F_trk_registry_slab_bytes);

	fake_put_u(m->f, m->slabs + TRK_REQUEST * bytes, F_trk_slab_n_dropped, 12);
	fake_put_u(m->f, m->slabs + TRK_REQUEST * bytes, F_trk_slab_n_forgotten, 34);
	fake_put_u(m->f, m->registry, F_trk_registry_arena_bytes, 5000);
	fake_put_u(m->f, m->registry, F_trk_registry_arena_used, 77);
	fake_put_u(m->f, m->registry, F_trk_registry_n_arena_dropped, UINT64_MAX);
	fake_put_u(m->f, m->slabs + TRK_SESSION * bytes, F_trk_slab_records, 0);
	open_it(&o, m);
	ck_assert_uint_eq(rd_track_count(o.t, MDL_REQUEST).n_forgotten, 34);
	ck_assert_int_eq(rd_track_memory(o.t).bytes.value, 5000);
	ck_assert_int_eq(rd_track_memory(o.t).used.value, 77);
	ck_assert_int_eq(rd_track_memory(o.t).n_dropped.known, MDL_UNAVAILABLE);
	ck_assert_uint_eq(rd_track_count(o.t, MDL_REQUEST).n_dropped, 12);
	ck_assert(!rd_track_count(o.t, MDL_SESSION).known);
	struct rd_track_iter it;
	memset(&it, 0xff, sizeof it);
	ck_assert_int_eq(rd_track_first(o.t, MDL_SESSION, RD_TRACK_ALL, &it), ACC_NONE);
	ck_assert_uint_eq(it.n_bad, 0);
	close_it(&o);
}
END_TEST

/* More nested calls than there are frames: that thread is rejected, the others are returned. */
START_TEST(test_too_deep)
{
	struct opened o;
	struct rd_track_threads it;
	struct mdl_thread thread;
	struct fake_track *m = target(_i);

	fake_track_thread(m, 0, 4711, TRK_FRAMES + 60);
	fake_track_thread(m, 1, 4712, 0);
	open_it(&o, m);
	ck_assert_int_eq(rd_track_threads(o.t, NULL, &it), ACC_OK);
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_OK);
	ck_assert_uint_eq(thread.tid, 4712);
	ck_assert_uint_eq(it.n_bad, 1);
	ck_assert_ptr_nonnull(strstr(o.sp.note.text, "trk_thread.depth"));
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_NONE);
	close_it(&o);
}
END_TEST

START_TEST(test_calls)
{
	struct opened o;
	struct rd_track_threads it;
	struct mdl_thread thread;
	struct fake_track *m = target(_i);
	uint64_t slot = fake_track_thread(m, 0, 4711, 2), idle = fake_track_thread(m, 2, 4712, 0);
	uint64_t f = fake_track_frame(m, slot, 0), inner = fake_track_frame(m, slot, 1);

	(void)idle;
	fake_put_u(m->f, f, F_trk_frame_call, fake_track_call("MPI_Recv"));
	fake_put_u(m->f, f, F_trk_frame_has, TRK_HAS_COMM | TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COUNT);
	fake_put_u(m->f, f, F_trk_frame_comm, 0x44000000);
	fake_put_i(m->f, f, F_trk_frame_peer, 2);
	fake_put_i(m->f, f, F_trk_frame_tag, 99);
	fake_put_u(m->f, f, F_trk_frame_count, 3);
	fake_put_u(m->f, f, F_trk_frame_since, 1000000000);
	fake_put_u(m->f, inner, F_trk_frame_call, fake_track_call("MPI_Bcast"));
	fake_put_u(m->f, inner, F_trk_frame_has, TRK_HAS_PEER | TRK_HAS_ROOT);
	fake_put_i(m->f, inner, F_trk_frame_peer, 3);
	fake_put_u(m->f, m->registry, F_trk_registry_n_threads_dropped, 5);
	open_it(&o, m);
	ck_assert_int_eq(rd_track_threads(o.t, NULL, &it), ACC_OK);
	ck_assert_uint_eq(it.n_dropped, 5);
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_OK);
	ck_assert_uint_eq(thread.tid, 4711);
	ck_assert_uint_eq(thread.n, 2);
	ck_assert_str_eq(thread.calls[0].function, "MPI_Recv");
	ck_assert_int_eq(thread.calls[0].peer.value, 2);
	ck_assert_int_eq(thread.calls[0].tag.value, 99);
	ck_assert_int_eq(thread.calls[0].count.value, 3);
	ck_assert_int_eq(thread.calls[0].datatype.known, MDL_NOT_APPLICABLE);
	ck_assert_int_eq(thread.calls[0].nanoseconds.value, 4000000000);
	ck_assert_int_eq(thread.calls[1].root.value, 3);
	ck_assert_int_eq(thread.calls[1].peer.known, MDL_NOT_APPLICABLE);
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_OK);
	ck_assert_uint_eq(thread.tid, 4712);
	ck_assert_uint_eq(thread.n, 0);
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_NONE);
	/* the call was left by longjmp: the word of its return address has a different value */
	uint64_t stack = fake_alloc(m->f, 16, 8);
	fake_put_u(m->f, inner, F_trk_frame_caller, 0x400123);
	fake_put_u(m->f, inner, F_trk_frame_frame, stack);
	fake_write_ptr(m->f, stack, 0x400123);
	ck_assert_int_eq(rd_track_threads(o.t, NULL, &it), ACC_OK);
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_OK);
	ck_assert_uint_eq(thread.n, 2);
	fake_write_ptr(m->f, stack, 0x400999);
	ck_assert_int_eq(rd_track_threads(o.t, NULL, &it), ACC_OK);
	ck_assert_int_eq(rd_track_thread_next(&it, &thread), ACC_OK);
	ck_assert_uint_eq(thread.n, 1);
	close_it(&o);
}
END_TEST

START_TEST(test_status)
{
	struct fake_track *m = target(_i);
	struct acc_space sp;
	struct mdl_status s;
	uint64_t at = fake_alloc_last(m->f, 16 + m->f->word_bytes);

	ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
	fake_write_u(m->f, at, 4, 3);
	fake_write_u(m->f, at + 4, 4, 77);
	fake_write_u(m->f, at + 16, m->f->word_bytes, 24);
	ck_assert_int_eq(rd_track_status(&sp, RD_TRACK_OPENMPI, at, &s), ACC_OK);
	ck_assert(s.source.value == 3 && s.tag.value == 77 && s.bytes.value == 24 && !s.cancelled.value);
	ck_assert_int_eq(rd_track_status(&sp, RD_TRACK_OTHER_MPI, at, &s), ACC_OK);
	ck_assert_int_eq(s.bytes.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(rd_track_status(&sp, RD_TRACK_OPENMPI, at + 4, &s), ACC_EREAD);
	ck_assert_int_eq(rd_track_status(&sp, RD_TRACK_OPENMPI, 0, &s), ACC_EREAD);

	uint64_t mpich = fake_alloc_last(m->f, 20);
	fake_write_u(m->f, mpich, 4, 5);
	fake_write_u(m->f, mpich + 4, 4, 2 << 1 | 1);
	fake_write_u(m->f, mpich + 8, 4, 1);
	fake_write_u(m->f, mpich + 12, 4, 9);
	ck_assert_int_eq(rd_track_status(&sp, RD_TRACK_MPICH, mpich, &s), ACC_OK);
	ck_assert(s.source.value == 1 && s.tag.value == 9 && s.cancelled.value == 1);
	ck_assert_int_eq(s.bytes.value, (INT64_C(2) << 32) + 5);
	fake_write_u(m->f, mpich + 8, 4, (uint32_t)-2);
	fake_write_u(m->f, mpich + 12, 4, (uint32_t)-1);
	ck_assert_int_eq(rd_track_status(&sp, RD_TRACK_MPICH, mpich, &s), ACC_OK);
	ck_assert(s.source.known == MDL_ANY && s.tag.known == MDL_ANY && s.host_source == -2 && s.host_tag == -1);
	acc_space_deinit(&sp);
	fake_track_destroy(m);
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------------ */

/* All queries. */
static void walk(struct rd_track *t)
{
	struct rd_track_threads threads;
	struct mdl_thread thread;
	struct mdl_handle h;
	struct rd_track_iter it;
	int64_t numbers[8];

	for (int kind = 0; kind < MDL_N_HANDLE_KINDS; kind++) {
		if (rd_track_first(t, kind, RD_TRACK_ALL, &it))
			continue;
		unsigned n = 0;
		while (!rd_track_next(&it, &h) && n++ < 1000) {
			if (kind == MDL_DATATYPE) {
				struct rd_track_typemap map;
				uint64_t n_dims = h.datatype.integers.n < 8 ? h.datatype.integers.n : 8;

				rd_track_numbers(t, &h.datatype.integers, 8, 0, n_dims, numbers);
				if (!rd_track_typemap(t, &h, 100, &map))
					rd_track_typemap_free(t, &map);
			}
		}
		rd_track_find(t, kind, 0x1000, &h);
		rd_track_find_name(t, kind, "MPI_INT", &h);
		rd_track_find_fortran(t, kind, 3, &h);
	}
	if (!rd_track_threads(t, NULL, &threads)) {
		unsigned n = 0;

		while (!rd_track_thread_next(&threads, &thread) && n++ < 1000)
			;
	}
}

static struct fake_track *busy(int i)
{
	struct fake_track *m = target(i);
	int64_t ints[] = { 2, 1, 2 };
	uint64_t child;

	fake_track_datatype(m, 0x4c000405, i & 1, 4, 4, NULL, 0, NULL, 0, NULL, 0);
	child = fake_track_id(m, TRK_DATATYPE, m->records[TRK_DATATYPE]);
	fake_track_datatype(m, 0x8c000000, 3 + (i & 1), 8, 12, ints, 3, NULL, 0, &child, 1);
	fake_track_add(m, TRK_COMM, 0x1000);
	fake_track_add(m, TRK_REQUEST, 0x1000);
	fake_track_thread(m, 0, 1, 1);
	return m;
}

/* Open, and walk over everything; leaks are detected by the fake. @return the result of opening */
static enum acc_rc try(struct fake_track *m)
{
	struct acc_space sp;
	struct rd_track *t = NULL;

	ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
	enum acc_rc rc = rd_track_open(&sp, &t);
	if (rc) {
		ck_assert_int_ne(rc, ACC_NONE);
		ck_assert_msg(sp.note.rc && sp.note.text[0], "a failure without words");
	} else {
		walk(t);
		if (rd_track_update(t) == ACC_OK)
			walk(t);
	}
	rd_track_close(t);
	acc_space_deinit(&sp);
	return rc;
}

/* Each byte of the head, of the slabs, of the thread and of a record is damaged in turn, shared among the targets. */
START_TEST(test_damaged)
{
	static const unsigned char values[] = { 0x00, 0xff };
	struct fake_track *m = busy(_i);
	struct {
		uint64_t addr, n;
	} parts[] = {
		{ m->registry, fake_type_bytes(m->f, T_trk_registry) },
		{ m->slabs, 2 * fake_get_u(m->f, m->registry, F_trk_registry_slab_bytes) },
		{ m->records[TRK_DATATYPE] + m->stride[TRK_DATATYPE], m->stride[TRK_DATATYPE] },
		{ m->records[TRK_COMM], m->stride[TRK_COMM] },
		{ m->threads, m->thread_stride },
	};
	unsigned n_refused = 0, stride = suite_stride(3);

	ck_assert_int_eq(try(m), ACC_OK);
	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
		for (uint64_t i = _i % stride; i < parts[p].n; i += stride) {
			unsigned char was;

			fake_peek(m->f, parts[p].addr + i, &was, 1);
			for (size_t v = 0; v < sizeof(values); v++) {
				fake_write(m->f, parts[p].addr + i, &values[v], 1);
				n_refused += try(m) != ACC_OK;
			}
			fake_write(m->f, parts[p].addr + i, &was, 1);
		}
	}
	ck_assert_uint_gt(n_refused, 50 / stride);
	ck_assert_int_eq(try(m), ACC_OK);
	fake_track_destroy(m);
}
END_TEST

/* The description itself: offsets, widths, sizes, first and number. */
START_TEST(test_damaged_description)
{
	struct fake_track *m = busy(3 * _i); /* 64-bit little, 32-bit big */
	static const uint64_t values[] = { 1, 0xffffffff };

	for (unsigned k = _i % suite_stride(2); k < m->f->schema->n_types; k += suite_stride(2)) {
		for (unsigned at = 64; at < 76; at += 4) {
			uint64_t addr = m->types + 96 * (uint64_t)k + at, was = fake_peek_u(m->f, addr, 4);

			for (size_t v = 0; v < 2; v++) {
				fake_write_u(m->f, addr, 4, values[v]);
				try(m);
			}
			fake_write_u(m->f, addr, 4, was);
		}
	}
	for (unsigned k = _i % suite_stride(2); k < m->f->schema->n_fields; k += suite_stride(2)) {
		for (unsigned at = 64; at < 72; at += 4) {
			uint64_t addr = m->fields + 88 * (uint64_t)k + at, was = fake_peek_u(m->f, addr, 4);

			for (size_t v = 0; v < 2; v++) {
				fake_write_u(m->f, addr, 4, values[v]);
				try(m);
			}
			fake_write_u(m->f, addr, 4, was);
		}
	}
	fake_track_destroy(m);
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		unsigned field;
		uint64_t value;
		const char *words;
	} cases[] = {
		{ F_trk_registry_cookie, 1, "cookie" },
		{ F_trk_registry_byte_order, 0x04030201, "byte_order" },
		{ F_trk_registry_version_major, TRK_VERSION_MAJOR + 1, "version 5" },
		{ F_trk_registry_word_bytes, 2, "word_bytes" },
		{ F_trk_registry_bytes, 3, "trk_registry.bytes" },
		{ F_trk_registry_n_types, 100000, "n_types" },
		{ F_trk_registry_n_fields, 0, "n_fields" },
		{ F_trk_registry_type_bytes, 8, "type_bytes" },
		{ F_trk_registry_types, 0, "trk_registry.types" },
		{ F_trk_registry_slabs, 2, "slabs" },
		{ F_trk_registry_n_slabs, 1000, "n_slabs" },
		{ F_trk_registry_slab_bytes, 1, "slab_bytes" },
		{ F_trk_registry_n_threads, 9, "n_threads" },
		{ F_trk_registry_threads_capacity, UINT32_MAX, "threads_capacity" },
		{ F_trk_registry_mpi_state, 9, "mpi_state" },
		{ F_trk_registry_n_calls, UINT32_MAX, "n_calls" },
	};
	struct fake_track *m = target(_i % N_TARGETS);
	unsigned c = (unsigned)_i / N_TARGETS;
	struct acc_space sp;
	struct rd_track *t = NULL;

	ck_assert_uint_lt(c, sizeof(cases) / sizeof(cases[0]));
	fake_put_u(m->f, m->registry, cases[c].field, cases[c].value);
	ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
	enum acc_rc rc = rd_track_open(&sp, &t);
	ck_assert_int_ne(rc, ACC_OK);
	ck_assert_int_ne(rc, ACC_NONE);
	ck_assert_msg(strstr(sp.note.text, cases[c].words), "%s: %s", cases[c].words, sp.note.text);
	ck_assert_ptr_null(t);
	acc_space_deinit(&sp);
	fake_track_destroy(m);
}
END_TEST
enum { N_REFUSED = 16 };

START_TEST(test_faults)
{
	struct fake_track *m = busy(_i);

	for (int64_t n = _i % suite_stride(4);; n += suite_stride(4)) {
		fake_fuse(&m->f->reads, n, true);
		try(m);
		if (!m->f->reads.n_failed)
			break;
	}
	fake_fuse_off(&m->f->reads);
	for (int64_t n = _i % suite_stride(4);; n += suite_stride(4)) {
		fake_fuse(&m->f->allocs, n, false);
		try(m);
		if (!m->f->allocs.n_failed)
			break;
	}
	fake_fuse_off(&m->f->allocs);
	fake_track_destroy(m);
}
END_TEST

/* A slab that holds another kind of records than its place in the table says. */
START_TEST(test_slab_of_another_kind)
{
	struct fake_track *m = target(_i);
	struct acc_space sp;
	struct rd_track *t = NULL;

	fake_put_chars(m->f, m->slabs, F_trk_slab_name, rd_track_schema.types[rd_track_record_type(TRK_GROUP)].name);
	ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
	ck_assert_int_eq(rd_track_open(&sp, &t), ACC_ECORRUPT);
	ck_assert_msg(strstr(sp.note.text, "holds something else"), "%s", sp.note.text);
	acc_space_deinit(&sp);
	fake_track_destroy(m);
}
END_TEST

/* A field that is not described is unavailable; the rest is there. */
START_TEST(test_missing_field)
{
	struct opened o;
	struct mdl_handle h;
	struct fake_track *m = target(_i);

	fake_track_add(m, TRK_COMM, 0x1000);
	fake_write(m->f, m->fields + 88 * (uint64_t)F_trk_comm_rank, "other", 6);
	fake_write(m->f, m->fields + 88 * (uint64_t)F_trk_win_state, "other", 6);
	open_it(&o, m);
	ck_assert_int_eq(rd_track_find(o.t, MDL_COMM, 0x1000, &h), ACC_OK);
	ck_assert_int_eq(h.comm.rank.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(h.comm.size.known, MDL_KNOWN);
	ck_assert(!rd_track_count(o.t, MDL_WIN).known);
	close_it(&o);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("track registry");
	TCase *tcase = tcase_create("reader");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_head, 0, N_TARGETS);
	tcase_add_test(tcase, test_none);
	tcase_add_loop_test(tcase, test_comm, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_lives, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_request_states, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_kinds, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_unsettled, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_larger_than_world, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_dropped, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_too_deep, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_calls, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_status, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_damaged, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_damaged_description, 0, 2);
	tcase_add_loop_test(tcase, test_refused, 0, N_TARGETS * N_REFUSED);
	tcase_add_loop_test(tcase, test_faults, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_slab_of_another_kind, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_missing_field, 0, N_TARGETS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
