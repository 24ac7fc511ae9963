/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handle face of the built DLL: version 1's layout, every query on a process that does
 * not exist, with good, wrong and NULL arguments, and with reads and memory that fail.
 */
#include "../support/fake_mqs.h"
#include "../support/fake_track.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if __SIZEOF_POINTER__ == 8
#define SIZE(type, bytes)      _Static_assert(sizeof(struct type) == (bytes), "size of " #type);
#define FIELD(type, field, at) _Static_assert(offsetof(struct type, field) == (at), #type "." #field);
#define FIRST(type, field, at) _Static_assert(offsetof(struct type, field) >= (at), #type "." #field);
#define VALUE(name, value)     _Static_assert((int)(name) == (value), #name);
#include "mpidbg_abi.def"
#undef SIZE
#undef FIELD
#undef FIRST
#undef VALUE
#endif

enum { N_TARGETS = 4 };

/* A process with an object of each kind, handles 0x100 + kind; and a debugger on it. */
struct bed {
	struct fake_track *m;
	struct fake_mqs *d;
	uint64_t status, object; /* in the target: an MPI_Status, a C++ object that holds the communicator */
};

static void *entry(struct bed *b, const char *name)
{
	void *f = dlsym(b->d->dl, name);

	ck_assert_msg(f != NULL, "the DLL does not export %s", name);
	return f;
}

#define CALL(b, name, ...) (((__typeof__(&name))entry(b, #name))(__VA_ARGS__))
#define NOBODY             NULL, NULL

static void add_objects(struct fake_track *m)
{
	static const char *const pairs[] = { "key", "value", "a", "b" };
	const int64_t dims[] = { 2, 2 }, coords[] = { 0, 1 };
	const int ranks[] = { 0, 2, 3, 1 };
	struct fake *f = m->f;

	for (int kind = 0; kind < TRK_N_KINDS; kind++)
		fake_track_add(m, (enum trk_kind)kind, 0x100 + (uint64_t)kind);
	uint64_t comm = m->records[TRK_COMM], win = m->records[TRK_WIN], file = m->records[TRK_FILE];
	uint64_t request = m->records[TRK_REQUEST], datatype = m->records[TRK_DATATYPE];
	fake_put_chars(f, comm, F_trk_comm_name, "MPI_COMM_WORLD");
	fake_put_u(f, comm, F_trk_comm_predefined, 1);
	fake_put_u(f, comm, F_trk_comm_has_fortran, 1);
	fake_put_i(f, comm, F_trk_comm_fortran, 0);
	fake_put_i(f, comm, F_trk_comm_size, 4);
	fake_put_i(f, comm, F_trk_comm_remote_size, -1);
	fake_put_u(f, comm, F_trk_comm_topology, TRK_TOPO_CART);
	fake_put_u(f, comm, F_trk_comm_errhandler, 0x100 + TRK_ERRHANDLER);
	fake_put_u(f, comm, F_trk_comm_group, 0x100 + TRK_GROUP);
	fake_put_u(f, comm, F_trk_comm_group_id, fake_track_id(m, TRK_GROUP, m->records[TRK_GROUP]));
	fake_track_numbers(m, comm, F_trk_comm_dims, 4, dims, 2);
	fake_track_numbers(m, comm, F_trk_comm_periods, 4, coords, 2);
	fake_track_numbers(m, comm, F_trk_comm_coords, 4, coords, 2);
	fake_track_members(m, comm, F_trk_comm_members, ranks, 4);
	fake_track_attributes(m, comm, F_trk_comm_attributes, fake_track_id(m, TRK_KEYVAL, m->records[TRK_KEYVAL]), 5,
			      0xbeef);
	fake_put_chars(f, m->records[TRK_KEYVAL], F_trk_keyval_name, "MPI_TAG_UB");
	const int64_t begun[30] = { [8] = 7, [9] = 6 };
	fake_track_numbers(m, comm, F_trk_comm_collectives, 8, begun, 30);
	fake_put_u(f, win, F_trk_win_comm_id, fake_track_id(m, TRK_COMM, comm));
	fake_put_u(f, win, F_trk_win_comm, 0x100);
	fake_track_pairs(m, win, F_trk_win_hints, pairs, 2);
	fake_put_u(f, file, F_trk_file_comm_id, fake_track_id(m, TRK_COMM, comm));
	fake_track_text(m, file, F_trk_file_path, "/scratch/out");
	fake_put_u(f, request, F_trk_request_object_kind, TRK_COMM);
	fake_put_u(f, request, F_trk_request_comm, 0x100);
	fake_put_u(f, request, F_trk_request_has, TRK_HAS_PEER | TRK_HAS_COUNT);
	fake_put_i(f, request, F_trk_request_peer, 2);
	fake_put_u(f, request, F_trk_request_count, 10);
	fake_put_u(f, request, F_trk_request_call, fake_track_call("MPI_Irecv"));
	fake_track_pairs(m, m->records[TRK_INFO], F_trk_info_pairs, pairs, 2);
	fake_track_members(m, m->records[TRK_GROUP], F_trk_group_members, ranks, 4);
	fake_put_i(f, datatype, F_trk_datatype_combiner, 1); /* MPICH: MPI_COMBINER_NAMED */
	fake_put_u(f, datatype, F_trk_datatype_size, 4);
}

static struct bed bed(int i)
{
	struct bed b = { .m = fake_track_create(i & 1 ? 4 : 8, i & 2, "MPICH") };

	add_objects(b.m);
	b.status = fake_alloc(b.m->f, 32, 8);
	fake_write_u(b.m->f, b.status, 4, 12);
	fake_write_u(b.m->f, b.status + 8, 4, 3);
	fake_write_u(b.m->f, b.status + 12, 4, 9);
	fake_write_u(b.m->f, b.status + 16, 4, 15);
	b.object = fake_alloc(b.m->f, 16, 8);
	fake_write_u(b.m->f, b.object + b.m->f->word_bytes, 4, 0x100);
	b.d = fake_mqs_create(b.m->f);
	ck_assert_int_eq(CALL(&b, mpidbg_init_once, &b.d->basic), MPIDBG_SUCCESS);
	ck_assert_int_eq(CALL(&b, mpidbg_init_per_image, b.d->image, &b.d->image_callbacks, NULL), MPIDBG_SUCCESS);
	ck_assert_int_eq(CALL(&b, mpidbg_init_per_process, b.d->process, &b.d->process_callbacks, NULL),
			 MPIDBG_SUCCESS);
	return b;
}

static void leave(struct bed *b)
{
	CALL(b, mpidbg_finalize_per_process, b->d->process, NULL);
	CALL(b, mpidbg_finalize_per_image, b->d->image, NULL);
	fake_mqs_destroy(b->d);
	fake_track_destroy(b->m);
}

typedef int query_fn(mqs_image *, mqs_image_info *, mqs_process *, mqs_process_info *, mqs_taddr_t, void **);
typedef int f2c_fn(mqs_image *, mqs_image_info *, mqs_process *, mqs_process_info *, mqs_taddr_t, mqs_taddr_t *);

static const struct {
	int kind;
	const char *query, *f2c;
} kinds[] = {
	{ MPIDBG_COMM, "mpidbg_comm_query", "mpidbg_comm_f2c" },
	{ MPIDBG_GROUP, "mpidbg_group_query", "mpidbg_group_f2c" },
	{ MPIDBG_DATATYPE, "mpidbg_datatype_query", "mpidbg_datatype_f2c" },
	{ MPIDBG_ERRHANDLER, "mpidbg_errhandler_query", "mpidbg_errhandler_f2c" },
	{ MPIDBG_FILE, "mpidbg_file_query", "mpidbg_file_f2c" },
	{ MPIDBG_INFO, "mpidbg_info_query", "mpidbg_info_f2c" },
	{ MPIDBG_OP, "mpidbg_op_query", "mpidbg_op_f2c" },
	{ MPIDBG_REQUEST, "mpidbg_request_query", "mpidbg_request_f2c" },
	{ MPIDBG_WIN, "mpidbg_win_query", "mpidbg_win_f2c" },
	{ MPIDBG_MESSAGE, "mpidbg_message_query", "mpidbg_message_f2c" },
	{ MPIDBG_SESSION, "mpidbg_session_query", "mpidbg_session_f2c" },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

START_TEST(test_comm)
{
	struct bed b = bed(_i);
	struct mpidbg_comm_info_t *c = NULL;

	struct mpidbg_comm_brief_t brief = { .comm_size = 7 };

	ck_assert_int_eq(CALL(&b, mpidbg_comm_brief, b.d->process, 0x999, &brief), MPIDBG_ERR_NOT_FOUND);
	ck_assert_int_eq(CALL(&b, mpidbg_comm_brief, b.d->process, 0x100, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_comm_brief, NULL, 0x100, &brief), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(brief.comm_size, 7);
	ck_assert_int_eq(CALL(&b, mpidbg_comm_brief, b.d->process, 0x100, &brief), MPIDBG_SUCCESS);
	ck_assert_int_eq(CALL(&b, mpidbg_comm_query, NOBODY, b.d->process, NULL, 0x100, &c), MPIDBG_SUCCESS);
	ck_assert(!strcmp(brief.comm_name, c->comm_name) && brief.comm_rank == c->comm_rank && brief.comm_size == 4);
	ck_assert_str_eq(c->comm_name, "MPI_COMM_WORLD");
	ck_assert_uint_eq(c->comm_bitflags, MPIDBG_COMM_INFO_PREDEFINED | MPIDBG_COMM_INFO_CARTESIAN);
	ck_assert_int_eq(c->comm_size, 4);
	ck_assert_int_eq(c->comm_num_local_procs, 4);
	ck_assert_int_eq(c->comm_local_procs[1].mpi_comm_world_rank, 2);
	ck_assert_int_eq(c->comm_num_remote_procs, 0);
	ck_assert_ptr_null(c->comm_remote_procs);
	ck_assert_int_eq(c->comm_cart_num_dims, 2);
	ck_assert_int_eq(c->comm_cart_dims[1], 2);
	ck_assert_int_eq(c->comm_cart_periods[1], 1);
	ck_assert_int_eq(c->comm_cart_coords[1], 1);
	ck_assert_uint_eq(c->comm_c_handle, 0x100);
	ck_assert_int_eq(c->comm_fortran_handle, 0);
	ck_assert(c->comm_object.has_fortran);
	ck_assert_int_eq(c->comm_num_attrs, 1);
	ck_assert_int_eq(c->comm_attrs[0].keyval, 5);
	ck_assert_str_eq(c->comm_attrs[0].keyval_name, "MPI_TAG_UB");
	ck_assert_str_eq(c->comm_attrs[0].value, "0xbeef");
	ck_assert_int_eq(c->comm_num_pending_requests, 1);
	ck_assert_uint_eq(c->comm_pending_requests[0], 0x100 + TRK_REQUEST);
	ck_assert_int_eq(c->comm_num_derived_windows, 1);
	ck_assert_uint_eq(c->comm_derived_windows[0], 0x100 + TRK_WIN);
	ck_assert_int_eq(c->comm_num_derived_files, 1);
	ck_assert_uint_eq(c->comm_errhandler, 0x100 + TRK_ERRHANDLER);
	ck_assert_uint_eq(c->comm_group, 0x100 + TRK_GROUP);
	ck_assert_uint_eq(c->comm_remote_group, 0);
	/* as a debugger of version 1 does: each array by itself */
	CALL(&b, mpidbg_free, c->comm_local_procs);
	c->comm_local_procs = NULL;
	CALL(&b, mpidbg_free_info, MPIDBG_COMM, c);
	leave(&b);
}
END_TEST

START_TEST(test_kinds)
{
	struct bed b = bed(_i);
	struct mpidbg_request_info_t *r;
	struct mpidbg_errhandler_info_t *e;
	struct mpidbg_file_info_t *f;
	struct mpidbg_info_info_t *i;
	struct mpidbg_group_info_t *g;
	struct mpidbg_win_info_t *w;
	struct mpidbg_status_info_t *s;
	mqs_taddr_t handle = 0;

	ck_assert_int_eq(CALL(&b, mpidbg_request_query, NOBODY, b.d->process, NULL, 0x100 + TRK_REQUEST, &r), 0);
	ck_assert_str_eq(r->req_object.made_by, "MPI_Irecv");
	ck_assert(r->req_has_peer == 1 && r->req_peer == 2 && r->req_count == 10 && r->req_has_tag == 0);
	ck_assert(r->req_object_kind == MPIDBG_COMM && r->req_on == 0x100);
	ck_assert_uint_eq(r->req_bitflags, MPIDBG_REQUEST_INFO_ACTIVE);
	CALL(&b, mpidbg_free_info, MPIDBG_REQUEST, r);
	/* complete, as the handle says that it has */
	fake_put_u(b.m->f, b.m->records[TRK_REQUEST], F_trk_request_flags, TRK_REQ_ACTIVE | TRK_REQ_SHARED);
	ck_assert_int_eq(CALL(&b, mpidbg_request_query, NOBODY, b.d->process, NULL, 0x100 + TRK_REQUEST, &r), 0);
	ck_assert_uint_eq(r->req_bitflags, MPIDBG_REQUEST_INFO_SHARED | MPIDBG_REQUEST_INFO_COMPLETE);
	CALL(&b, mpidbg_free_info, MPIDBG_REQUEST, r);
	fake_put_u(b.m->f, b.m->records[TRK_REQUEST], F_trk_request_flags, TRK_REQ_ACTIVE);
	/* MPI_DATATYPE_NULL is predefined, and not committed */
	struct mpidbg_datatype_info_t *type;
	fake_put_u(b.m->f, b.m->records[TRK_DATATYPE], F_trk_datatype_predefined, 1);
	fake_put_u(b.m->f, b.m->records[TRK_DATATYPE], F_trk_datatype_committed, 0);
	ck_assert_int_eq(CALL(&b, mpidbg_datatype_query, NOBODY, b.d->process, NULL, 0x100 + TRK_DATATYPE, &type), 0);
	ck_assert_int_eq(type->type_committed, 0);
	CALL(&b, mpidbg_free_info, MPIDBG_DATATYPE, type);
	ck_assert_int_eq(CALL(&b, mpidbg_errhandler_query, NOBODY, b.d->process, NULL, 0x100 + TRK_ERRHANDLER, &e), 0);
	ck_assert(e->eh_refcount == 1 && e->eh_handles[0] == 0x100);
	CALL(&b, mpidbg_free_info, MPIDBG_ERRHANDLER, e);
	ck_assert_int_eq(CALL(&b, mpidbg_file_query, NOBODY, b.d->process, NULL, 0x100 + TRK_FILE, &f), 0);
	ck_assert_str_eq(f->file_name, "/scratch/out");
	CALL(&b, mpidbg_free_info, MPIDBG_FILE, f);
	ck_assert_int_eq(CALL(&b, mpidbg_info_query, NOBODY, b.d->process, NULL, 0x100 + TRK_INFO, &i), 0);
	ck_assert_int_eq(i->info_num_pairs, 2);
	ck_assert_str_eq(i->info_pairs[1].key, "a");
	ck_assert_str_eq(i->info_pairs[1].value, "b");
	CALL(&b, mpidbg_free_info, MPIDBG_INFO, i);
	ck_assert_int_eq(CALL(&b, mpidbg_group_query, NOBODY, b.d->process, NULL, 0x100 + TRK_GROUP, &g), 0);
	ck_assert(g->group_num_procs == 4 && g->group_procs[2].mpi_comm_world_rank == 3);
	CALL(&b, mpidbg_free_info, MPIDBG_GROUP, g);
	ck_assert_int_eq(CALL(&b, mpidbg_win_query, NOBODY, b.d->process, NULL, 0x100 + TRK_WIN, &w), 0);
	ck_assert(w->win_num_hints == 2 && w->win_comm == 0x100);
	CALL(&b, mpidbg_free_info, MPIDBG_WIN, w);
	ck_assert_int_eq(CALL(&b, mpidbg_status_query, NOBODY, b.d->process, NULL, b.status, &s), 0);
	ck_assert(s->status_bytes == 12 && s->status_source == 3 && s->status_tag == 9 && s->status_error == 15);
	CALL(&b, mpidbg_free_info, MPIDBG_STATUS, s);
	ck_assert_int_eq(CALL(&b, mpidbg_comm_cxx2c, NOBODY, b.d->process, NULL, b.object, 0, &handle), 0);
	ck_assert_uint_eq(handle, 0x100);
	ck_assert_int_eq(CALL(&b, mpidbg_win_cxx2c, NOBODY, b.d->process, NULL, b.object, &handle),
			 MPIDBG_ERR_NOT_FOUND);
	ck_assert_int_eq(CALL(&b, mpidbg_comm_cxx2c, NOBODY, b.d->process, NULL, 0, 0, &handle),
			 MPIDBG_ERR_UNAVAILABLE);
	leave(&b);
}
END_TEST

static uint64_t add_named(struct bed *b, enum trk_kind kind, const char *name)
{
	uint64_t o = fake_track_add(b->m, kind, 0x200);

	fake_put_chars(b->m->f, o, fake_track_field(kind, F_trk_comm_name), name);
	fake_put_u(b->m->f, o, fake_track_field(kind, F_trk_comm_predefined), 1);
	return o;
}

/* Records of null handles are full of zeros: none of these is an answer. */
START_TEST(test_null)
{
	struct bed b = bed(_i);
	struct mpidbg_comm_info_t *c;
	struct mpidbg_win_info_t *w;
	struct mpidbg_datatype_info_t *d;
	struct mpidbg_message_info_t *m;

	add_named(&b, TRK_COMM, "MPI_COMM_NULL");
	ck_assert_int_eq(CALL(&b, mpidbg_comm_query, NOBODY, b.d->process, NULL, 0x200, &c), 0);
	ck_assert_uint_eq(c->comm_bitflags, MPIDBG_COMM_INFO_PREDEFINED | MPIDBG_COMM_INFO_COMM_NULL);
	ck_assert(c->comm_rank == -1 && c->comm_size == -1 && c->comm_world_rank == -1);
	ck_assert(c->comm_num_local_procs == 0 && c->comm_num_remote_procs == 0);
	CALL(&b, mpidbg_free_info, MPIDBG_COMM, c);
	add_named(&b, TRK_WIN, "MPI_WIN_NULL");
	ck_assert_int_eq(CALL(&b, mpidbg_win_query, NOBODY, b.d->process, NULL, 0x200, &w), 0);
	ck_assert(w->win_size == -1 && w->win_displacement_unit == -1 && w->win_flavor == -1 && w->win_model == -1);
	CALL(&b, mpidbg_free_info, MPIDBG_WIN, w);
	add_named(&b, TRK_DATATYPE, "MPI_DATATYPE_NULL");
	ck_assert_int_eq(CALL(&b, mpidbg_datatype_query, NOBODY, b.d->process, NULL, 0x200, &d), 0);
	ck_assert(d->type_size == -1 && d->type_extent == -1 && d->type_true_extent == -1);
	CALL(&b, mpidbg_free_info, MPIDBG_DATATYPE, d);
	add_named(&b, TRK_MESSAGE, "MPI_MESSAGE_NO_PROC");
	ck_assert_int_eq(CALL(&b, mpidbg_message_query, NOBODY, b.d->process, NULL, 0x200, &m), 0);
	ck_assert(m->message_source == -2 && m->message_tag == -1 && m->message_bytes == 0 && !m->message_comm);
	CALL(&b, mpidbg_free_info, MPIDBG_MESSAGE, m);
	leave(&b);
}
END_TEST

START_TEST(test_lists)
{
	struct bed b = bed(_i);
	struct mpidbg_name_map_t *map;
	mqs_taddr_t *handles;
	size_t n;
	uint64_t n_missing, total;
	unsigned caps;
	struct mpidbg_type_map_entry_t *entries;
	enum mpidbg_comm_capabilities_t *comm_caps = entry(&b, "mpidbg_comm_capabilities");
	struct mpidbg_name_map_t **comm_map = entry(&b, "mpidbg_comm_name_map");

	ck_assert_uint_eq(*comm_caps, 0x77);
	ck_assert_ptr_nonnull(*comm_map);
	ck_assert_str_eq((*comm_map)[0].map_name, "MPI_COMM_WORLD");
	ck_assert_uint_eq((*comm_map)[0].map_handle, 0x100);
	ck_assert_ptr_null((*comm_map)[1].map_name);
	ck_assert_int_eq(CALL(&b, mpidbg_get_name_map, b.d->process, MPIDBG_COMM, &map), MPIDBG_SUCCESS);
	ck_assert_str_eq(map[0].map_name, "MPI_COMM_WORLD");
	ck_assert_ptr_null(map[1].map_name);
	CALL(&b, mpidbg_free, map);
	ck_assert_int_eq(CALL(&b, mpidbg_get_name_map, b.d->process, MPIDBG_WIN, &map), MPIDBG_ERR_NOT_SUPPORTED);
	for (int kind = 0; kind <= MPIDBG_KEYVAL; kind++) {
		ck_assert_int_eq(CALL(&b, mpidbg_get_handles, b.d->process, kind, 0, &handles, &n, &n_missing), 0);
		ck_assert(n == 1 && handles[0] == 0x100 + (mqs_taddr_t)kind && n_missing == 0);
		CALL(&b, mpidbg_free, handles);
		ck_assert_int_eq(CALL(&b, mpidbg_get_capabilities, b.d->process, kind, &caps), 0);
		ck_assert(caps & 1);
	}
	ck_assert_int_eq(CALL(&b, mpidbg_get_handles, b.d->process, MPIDBG_STATUS, 0, &handles, &n, NULL),
			 MPIDBG_ERR_NOT_SUPPORTED);
	ck_assert_int_eq(CALL(&b, mpidbg_get_handles, b.d->process, MPIDBG_OFFSET, 0, &handles, &n, NULL),
			 MPIDBG_ERR_NOT_SUPPORTED);
	ck_assert_int_eq(CALL(&b, mpidbg_get_handles, b.d->process, 99, 0, &handles, &n, NULL),
			 MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_get_type_map, b.d->process, 0x100 + TRK_DATATYPE, 5, &entries, &n, &total), 0);
	ck_assert(n == 1 && total == 1 && entries[0].bytes == 4 && entries[0].displacement == 0);
	CALL(&b, mpidbg_free, entries);
	leave(&b);
}
END_TEST

START_TEST(test_wrong)
{
	struct bed b = bed(_i);

	for (int k = 0; k < N_KINDS; k++) {
		query_fn *query = entry(&b, kinds[k].query);
		f2c_fn *f2c = entry(&b, kinds[k].f2c);
		void *info = NULL, *kept = &b;
		mqs_taddr_t handle = 1;

		ck_assert_int_eq(query(NULL, NULL, b.d->process, NULL, 0x100 + (mqs_taddr_t)kinds[k].kind, &info), 0);
		CALL(&b, mpidbg_free_info, kinds[k].kind, info);
		info = kept;
		ck_assert_int_eq(query(NULL, NULL, b.d->process, NULL, 0xdead, &info), MPIDBG_ERR_NOT_FOUND);
		ck_assert_int_eq(query(NULL, NULL, NULL, NULL, 0x100, &info), MPIDBG_ERR_OUT_OF_RANGE);
		ck_assert_int_eq(query(NULL, NULL, b.d->process, NULL, 0x100, NULL), MPIDBG_ERR_OUT_OF_RANGE);
		ck_assert_ptr_eq(info, kept);
		ck_assert_int_eq(f2c(NULL, NULL, b.d->process, NULL, 0xdead, &handle), MPIDBG_ERR_NOT_FOUND);
		ck_assert_uint_eq(handle, 1);
		ck_assert_int_eq(f2c(NULL, NULL, b.d->process, NULL, 0, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	}
	CALL(&b, mpidbg_free_info, MPIDBG_COMM, NULL);
	CALL(&b, mpidbg_free_info, -1, NULL);
	leave(&b);
}
END_TEST

/* Who uses an object; address integers and offsets. */
START_TEST(test_users)
{
	struct bed b = bed(_i);
	struct fake *f = b.m->f;
	uint64_t comm = b.m->records[TRK_COMM], win = b.m->records[TRK_WIN], request = b.m->records[TRK_REQUEST];
	struct mpidbg_group_info_t *g;
	struct mpidbg_info_info_t *i;
	struct mpidbg_op_info_t *o;
	struct mpidbg_datatype_info_t *d;
	struct mpidbg_errhandler_info_t *e;
	struct mpidbg_integer_info_t *n = NULL;

	fake_put_u(f, comm, F_trk_comm_from_group_id, fake_track_id(b.m, TRK_GROUP, b.m->records[TRK_GROUP]));
	fake_put_u(f, win, F_trk_win_info_id, fake_track_id(b.m, TRK_INFO, b.m->records[TRK_INFO]));
	fake_put_u(f, win, F_trk_win_errhandler, 0x100 + TRK_ERRHANDLER);
	fake_put_u(f, request, F_trk_request_has, TRK_HAS_PEER | TRK_HAS_COUNT | TRK_HAS_OBJECT | TRK_HAS_DATATYPE);
	fake_put_u(f, request, F_trk_request_op, 0x100 + TRK_OP);
	fake_put_u(f, request, F_trk_request_datatype, 0x100 + TRK_DATATYPE);
	ck_assert_int_eq(CALL(&b, mpidbg_group_query, NOBODY, b.d->process, NULL, 0x100 + TRK_GROUP, &g), 0);
	ck_assert(g->group_num_comms == 1 && g->group_comms[0] == 0x100);
	CALL(&b, mpidbg_free_info, MPIDBG_GROUP, g);
	ck_assert_int_eq(CALL(&b, mpidbg_info_query, NOBODY, b.d->process, NULL, 0x100 + TRK_INFO, &i), 0);
	ck_assert(i->info_num_users == 1 && i->info_users[0] == 0x100 + TRK_WIN && i->info_user_kinds[0] == MPIDBG_WIN);
	CALL(&b, mpidbg_free_info, MPIDBG_INFO, i);
	ck_assert_int_eq(CALL(&b, mpidbg_op_query, NOBODY, b.d->process, NULL, 0x100 + TRK_OP, &o), 0);
	ck_assert(o->op_num_requests == 1 && o->op_requests[0] == 0x100 + TRK_REQUEST && o->op_num_calls == 0);
	CALL(&b, mpidbg_free_info, MPIDBG_OP, o);
	ck_assert_int_eq(CALL(&b, mpidbg_datatype_query, NOBODY, b.d->process, NULL, 0x100 + TRK_DATATYPE, &d), 0);
	ck_assert(d->type_num_requests == 1 && d->type_requests[0] == 0x100 + TRK_REQUEST);
	CALL(&b, mpidbg_free_info, MPIDBG_DATATYPE, d);
	ck_assert_int_eq(CALL(&b, mpidbg_errhandler_query, NOBODY, b.d->process, NULL, 0x100 + TRK_ERRHANDLER, &e), 0);
	ck_assert(e->eh_num_handles == 2 && e->eh_refcount == 2);
	ck_assert(e->eh_handle_kinds[0] == MPIDBG_COMM && e->eh_handle_kinds[1] == MPIDBG_WIN);
	CALL(&b, mpidbg_free_info, MPIDBG_ERRHANDLER, e);

	/* the width comes from the registry or the debugger; here neither has it */
	ck_assert_int_eq(CALL(&b, mpidbg_integer_query, b.d->process, MPIDBG_AINT, b.status, &n),
			 MPIDBG_ERR_NOT_SUPPORTED);
	ck_assert_ptr_nonnull(strstr(CALL(&b, mpidbg_error_string, b.d->process), "how wide"));
	fake_put_chars(f, b.m->records[TRK_DATATYPE], F_trk_datatype_name, "MPI_AINT");
	fake_put_u(f, b.m->records[TRK_DATATYPE], F_trk_datatype_predefined, 1);
	ck_assert_int_eq(CALL(&b, mpidbg_integer_query, b.d->process, MPIDBG_AINT, b.status, &n), MPIDBG_SUCCESS);
	ck_assert(n->integer_value == 12 && n->integer_bytes == 4 && n->integer_addr == b.status);
	CALL(&b, mpidbg_free_info, MPIDBG_AINT, n);
	fake_write_u(f, b.status, 4, 0xfffffffe);
	ck_assert_int_eq(CALL(&b, mpidbg_integer_query, b.d->process, MPIDBG_AINT, b.status, &n), MPIDBG_SUCCESS);
	ck_assert_int_eq(n->integer_value, -2);
	CALL(&b, mpidbg_free_info, MPIDBG_AINT, n);
	ck_assert_int_eq(CALL(&b, mpidbg_integer_query, b.d->process, MPIDBG_AINT, 0, &n), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_int_eq(CALL(&b, mpidbg_integer_query, b.d->process, MPIDBG_COMM, b.status, &n),
			 MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_integer_query, NULL, MPIDBG_AINT, b.status, &n), MPIDBG_ERR_OUT_OF_RANGE);
	leave(&b);
}
END_TEST

/* Without a registry: only what the library's own memory shows. */
START_TEST(test_without)
{
	struct bed b = bed(_i);
	void *info;
	unsigned caps = 1;

	fake_symbol_remove(b.m->f, "MPI2DD_registry");
	CALL(&b, mpidbg_finalize_per_process, b.d->process, NULL);
	ck_assert_int_eq(CALL(&b, mpidbg_init_per_process, b.d->process, &b.d->process_callbacks, NULL), 0);
	for (int k = 1; k < N_KINDS; k++) {
		query_fn *query = entry(&b, kinds[k].query);

		ck_assert_int_eq(query(NULL, NULL, b.d->process, NULL, 0x100, &info), MPIDBG_ERR_NOT_SUPPORTED);
		ck_assert_ptr_nonnull(strstr(CALL(&b, mpidbg_error_string, b.d->process), "mpi2dd-run"));
		/* nor has it an MPI library */
		ck_assert_int_eq(CALL(&b, mpidbg_get_capabilities, b.d->process, kinds[k].kind, &caps),
				 MPIDBG_ERR_NOT_SUPPORTED);
		ck_assert_uint_eq(caps, 1);
	}
	leave(&b);
}
END_TEST

/* The n-th read, or allocation, fails: a code, words, nothing lost. */
START_TEST(test_faults)
{
	for (int what = 0; what < 2; what++) {
		struct bed b = bed(_i);
		struct fake_fuse *fuse = what ? &b.m->f->allocs : &b.m->f->reads;

		for (int k = 0; k < N_KINDS; k++) {
			query_fn *query = entry(&b, kinds[k].query);

			for (int64_t n = 0;; n++) {
				void *info = NULL;

				fake_fuse(fuse, n, what == 0);
				int code = query(NULL, NULL, b.d->process, NULL, 0x100 + (mqs_taddr_t)kinds[k].kind,
						 &info);
				bool failed = fuse->n_failed;
				fake_fuse_off(fuse);
				ck_assert(!code == (info != NULL));
				CALL(&b, mpidbg_free_info, kinds[k].kind, info);
				if (!failed)
					break;
				ck_assert_int_lt(n, 20000);
			}
		}
		leave(&b);
	}
}
END_TEST

static int describe(struct bed *b, int what, struct mpidbg_options *options, char **text)
{
	options->size = sizeof(*options);
	return CALL(b, mpidbg_describe, b->d->process, what, options, text);
}

/* The number of live objects is in memory twice: as a count, and as records. */
START_TEST(test_counts)
{
	struct bed b = bed(_i);
	uint64_t slab = b.m->slabs + TRK_WIN * fake_get_u(b.m->f, b.m->registry, F_trk_registry_slab_bytes);
	struct mpidbg_options options = { .kind = "win" };
	char *text;

	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLES, &options, &text), MPIDBG_SUCCESS);
	CALL(&b, mpidbg_free, text);
	fake_put_u(b.m->f, slab, F_trk_slab_n_live, 3);
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLES, &options, &text), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(text, "windows: 1 live records, and the registry counts 3"), "%s", text);
	CALL(&b, mpidbg_free, text);
	/* the number of records was overwritten: none is seen */
	fake_put_u(b.m->f, slab, F_trk_slab_n_live, 2);
	fake_put_u(b.m->f, slab, F_trk_slab_high, 0);
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLES, &options, &text), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(text, "windows: 0 live records, and the registry counts 2"), "%s", text);
	CALL(&b, mpidbg_free, text);
	/* their address was: */
	fake_put_u(b.m->f, slab, F_trk_slab_high, 1);
	fake_put_u(b.m->f, slab, F_trk_slab_records, 0);
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLES, &options, &text), MPIDBG_ERR_UNAVAILABLE);
	CALL(&b, mpidbg_free, text);
	leave(&b);
}
END_TEST

static size_t count_of(const char *text, const char *words)
{
	size_t n = 0;

	for (; (text = strstr(text, words)); text += strlen(words))
		n++;
	return n;
}

/* The latest 16 objects that had a handle value are listed, latest first, with the number of earlier ones. */
START_TEST(test_earlier_lives)
{
	enum { N_LIVES = 20, N_SHOWN = 16 };

	for (int n = N_SHOWN; n <= N_LIVES; n++) {
		struct bed b = bed(_i);
		struct mpidbg_options options = { .kind = "comm", .value = "0x777" };
		char *text, words[64];

		for (int i = 0; i <= n; i++) {
			uint64_t comm = fake_track_add(b.m, TRK_COMM, 0x777);

			snprintf(words, sizeof words, "life %d.", i);
			fake_put_chars(b.m->f, comm, F_trk_comm_name, words);
			if (i < n)
				fake_put_u(b.m->f, comm, F_trk_comm_state, TRK_FREED);
		}
		describe(&b, MPIDBG_WHAT_HANDLE, &options, &text);
		ck_assert_msg(count_of(text, "an earlier object") == N_SHOWN, "%s", text);
		snprintf(words, sizeof words, "life %d.", n - 1);
		const char *latest = strstr(text, words);
		snprintf(words, sizeof words, "life %d.", n - N_SHOWN);
		const char *last = strstr(text, words);
		ck_assert_msg(latest && last && latest < last, "%s", text);
		snprintf(words, sizeof words, "life %d.", n - N_SHOWN - 1);
		ck_assert_msg(!strstr(text, words), "%s", text);
		snprintf(words, sizeof words, "%d before these", n - N_SHOWN);
		ck_assert_msg((strstr(text, words) != NULL) == (n > N_SHOWN), "%s", text);
		CALL(&b, mpidbg_free, text);
		leave(&b);
	}
}
END_TEST

/* The number of an object, which other objects show as their parent, can be queried. */
START_TEST(test_numbers)
{
	struct bed b = bed(_i);
	uint64_t parent = fake_track_id(b.m, TRK_COMM, b.m->records[TRK_COMM]);
	uint64_t child = fake_track_add(b.m, TRK_COMM, 0x777);
	struct mpidbg_options options = { .kind = "comm", .value = "0x777" };
	char *text, words[64];

	fake_put_u(b.m->f, child, F_trk_comm_parent, parent);
	fake_put_i(b.m->f, child, F_trk_comm_remote_size, -1);
	fake_put_i(b.m->f, child, F_trk_comm_size, 1);
	ck_assert_int_ne(describe(&b, MPIDBG_WHAT_HANDLE, &options, &text), MPIDBG_ERR_NOT_FOUND);
	snprintf(words, sizeof words, "#%d\n", (int)parent);
	ck_assert_msg(strstr(text, "parent") && strstr(text, words), "%s", text);
	CALL(&b, mpidbg_free, text);
	snprintf(words, sizeof words, "#%d", (int)parent);
	options.value = words;
	ck_assert_int_ne(describe(&b, MPIDBG_WHAT_HANDLE, &options, &text), MPIDBG_ERR_NOT_FOUND);
	ck_assert_msg(strstr(text, "communicator MPI_COMM_WORLD"), "%s", text);
	CALL(&b, mpidbg_free, text);
	options.value = "#99999";
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLE, &options, &text), MPIDBG_ERR_NOT_FOUND);
	CALL(&b, mpidbg_free, text);
	/* a Fortran variable by its address; garbage in the upper half of a 32-bit handle makes it invalid */
	uint64_t integer = fake_alloc(b.m->f, 8, 8);
	fake_write_u(b.m->f, integer, 4, 0x100);
	fake_write_u(b.m->f, integer + 4, 4, 0xdeadbeef);
	snprintf(words, sizeof words, "fortran:@0x%llx", (unsigned long long)integer);
	options.value = words;
	ck_assert_int_ne(describe(&b, MPIDBG_WHAT_HANDLE, &options, &text), MPIDBG_ERR_NOT_FOUND);
	ck_assert_msg(strstr(text, "communicator MPI_COMM_WORLD"), "%s", text);
	CALL(&b, mpidbg_free, text);
	options.value = "0x400000100";
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLE, &options, &text), MPIDBG_ERR_NOT_FOUND);
	CALL(&b, mpidbg_free, text);
	options.value = "#";
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_HANDLE, &options, &text), MPIDBG_ERR_OUT_OF_RANGE);
	leave(&b);
}
END_TEST

/* Facts that the debugger cannot provide are reported as missing; facts that only it has are in the heading. */
START_TEST(test_debugger_log)
{
	struct bed b = bed(_i);
	const int64_t unknown[] = { 4711 };
	struct mpidbg_options options = { .unknown_threads = unknown,
					  .n_unknown_threads = 1,
					  .threads = (const struct mpidbg_thread[]){ { .id = 4712 } },
					  .n_threads = 1,
					  .has_rank = 1,
					  .rank = 5,
					  .world_size = 8,
					  .condition = "stopped by a signal" };
	char *text;

	fake_put_i(b.m->f, b.m->registry, F_trk_registry_world_rank, -1);
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_QUEUES, &options, &text), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(text, "rank 5 of 8"), "%s", text);
	ck_assert_msg(strstr(text, "  stopped by a signal\n"), "%s", text);
	ck_assert_msg(strstr(text, "thread 4711: which MPI function it is in, if any, is unknown"), "%s", text);
	ck_assert_msg(!strstr(text, "no thread is in an MPI function"), "%s", text);
	CALL(&b, mpidbg_free, text);
	options.format = MPIDBG_FORMAT_JSON;
	ck_assert_int_eq(describe(&b, MPIDBG_WHAT_QUEUES, &options, &text), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_msg(strstr(text, "\"function_why\""), "%s", text);
	ck_assert_msg(strstr(text, "\"rank_origin\""), "%s", text);
	CALL(&b, mpidbg_free, text);
	leave(&b);
}
END_TEST

START_TEST(test_coll_state)
{
	struct bed b = bed(_i);
	int calls = -1, active = -1;

	ck_assert_int_eq(CALL(&b, mqs_setup_image, b.d->image, &b.d->image_callbacks), mqs_ok);
	ck_assert_int_eq(CALL(&b, mqs_setup_process, b.d->process, &b.d->process_callbacks), mqs_ok);
	ck_assert_int_eq(CALL(&b, mqs_update_communicator_list, b.d->process), mqs_ok);
	ck_assert_int_eq(CALL(&b, mqs_setup_communicator_iterator, b.d->process), mqs_ok);
	ck_assert_int_eq(CALL(&b, mqs_get_comm_coll_state, b.d->process, 4, &calls, &active), mqs_ok);
	ck_assert_int_eq(calls, 7);
	ck_assert_int_eq(active, 1);
	ck_assert_int_eq(CALL(&b, mqs_get_comm_coll_state, b.d->process, 0, &calls, &active), mqs_ok);
	ck_assert(calls == 0 && active == 0);
	CALL(&b, mqs_destroy_process_info, fake_mqs_process_info(b.d->process));
	CALL(&b, mqs_destroy_image_info, fake_mqs_image_info(b.d));
	leave(&b);
}
END_TEST

/* Objects by number: also those that had one handle value, and a group of which the program has no handle. */
START_TEST(test_by_number)
{
	struct bed b = bed(_i);
	int64_t *numbers, number;
	size_t n;
	void *info = &b;

	for (int kind = 0; kind <= MPIDBG_KEYVAL; kind++) {
		ck_assert_int_gt(CALL(&b, mpidbg_info_bytes, kind), 0);
		ck_assert_int_eq(CALL(&b, mpidbg_get_numbers, b.d->process, kind, 0, &numbers, &n, NULL), 0);
		ck_assert_uint_eq(n, 1);
		ck_assert_int_eq(CALL(&b, mpidbg_query, b.d->process, kind, numbers[0], &info), MPIDBG_SUCCESS);
		CALL(&b, mpidbg_free_info, kind, info);
		ck_assert_int_eq(CALL(&b, mpidbg_query, b.d->process, kind, numbers[0] + 1, &info),
				 MPIDBG_ERR_NOT_FOUND);
		CALL(&b, mpidbg_free, numbers);
	}
	ck_assert_int_eq(CALL(&b, mpidbg_info_bytes, 99), 0);
	ck_assert_int_eq(CALL(&b, mpidbg_query, b.d->process, 99, 1, &info), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_query, b.d->process, MPIDBG_COMM, 1, NULL), MPIDBG_ERR_OUT_OF_RANGE);

	/* three communicators that had the same handle value */
	static const char *const names[] = { "first", "second", "third" };
	for (int i = 0; i < 3; i++) {
		uint64_t comm = fake_track_add(b.m, TRK_COMM, 0x777);

		fake_put_chars(b.m->f, comm, F_trk_comm_name, names[i]);
		fake_put_i(b.m->f, comm, F_trk_comm_remote_size, -1);
		fake_put_u(b.m->f, comm, F_trk_comm_state, i < 2 ? TRK_EARLIER : TRK_FREED);
	}
	ck_assert_int_eq(CALL(&b, mpidbg_get_numbers, b.d->process, MPIDBG_COMM, 1, &numbers, &n, NULL), 0);
	ck_assert_uint_eq(n, 4);
	for (int keep = 0; keep < 2; keep++) {
		ck_assert_int_eq(CALL(&b, mpidbg_keep, b.d->process, keep), MPIDBG_SUCCESS);
		for (int i = 0; i < 3; i++) {
			ck_assert_int_eq(CALL(&b, mpidbg_query, b.d->process, MPIDBG_COMM, numbers[i + 1], &info), 0);
			ck_assert_str_eq(((struct mpidbg_comm_info_t *)info)->comm_name, names[i]);
			CALL(&b, mpidbg_free_info, MPIDBG_COMM, info);
		}
	}
	ck_assert_int_eq(CALL(&b, mpidbg_keep, b.d->process, 0), MPIDBG_SUCCESS);
	ck_assert_int_eq(CALL(&b, mpidbg_find, b.d->process, MPIDBG_COMM, "MPI_COMM_WORLD", &number), MPIDBG_SUCCESS);
	ck_assert_int_eq(number, numbers[0]);
	CALL(&b, mpidbg_free, numbers);
	ck_assert_int_eq(CALL(&b, mpidbg_find, b.d->process, MPIDBG_COMM, "nobody", &number), MPIDBG_ERR_NOT_FOUND);

	/* the program has no handle of this group any more */
	fake_put_u(b.m->f, b.m->records[TRK_GROUP], F_trk_group_state, TRK_FREED);
	struct mpidbg_comm_info_t *c;
	ck_assert_int_eq(CALL(&b, mpidbg_comm_query, NOBODY, b.d->process, NULL, 0x100, &c), 0);
	ck_assert_uint_eq(c->comm_group, 0);
	ck_assert_int_eq(CALL(&b, mpidbg_query, b.d->process, MPIDBG_GROUP, c->comm_group_number, &info), 0);
	const struct mpidbg_group_info_t *g = info;
	ck_assert(g->group_num_procs == 4 && g->group_members[1].world_rank == 2 && !g->group_object.c_handle);
	CALL(&b, mpidbg_free_info, MPIDBG_GROUP, info);
	CALL(&b, mpidbg_free_info, MPIDBG_COMM, c);
	leave(&b);
}
END_TEST

/* While the process is kept, nothing is read again; afterwards everything is. */
START_TEST(test_keep)
{
	struct bed b = bed(_i);
	struct mpidbg_reference_t *refs;
	struct mpidbg_keyval_info_t *k;
	struct mpidbg_comm_info_t *c;
	int64_t number;
	size_t n;

	ck_assert_int_eq(CALL(&b, mpidbg_keep, NULL, 1), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_find, b.d->process, MPIDBG_COMM, "MPI_COMM_WORLD", &number), MPIDBG_SUCCESS);
	for (int keep = 1; keep >= 0; keep--) {
		ck_assert_int_eq(CALL(&b, mpidbg_keep, b.d->process, keep), MPIDBG_SUCCESS);
		ck_assert_int_eq(CALL(&b, mpidbg_comm_query, NOBODY, b.d->process, NULL, 0x100, &c), 0);
		CALL(&b, mpidbg_free_info, MPIDBG_COMM, c);
		fake_put_chars(b.m->f, b.m->records[TRK_COMM], F_trk_comm_name, keep ? "changed" : "again");
		ck_assert_int_eq(CALL(&b, mpidbg_comm_query, NOBODY, b.d->process, NULL, 0x100, &c), 0);
		ck_assert_str_eq(c->comm_name, keep ? "MPI_COMM_WORLD" : "again");
		ck_assert(c->comm_num_pending_requests == 1 && c->comm_num_derived_windows == 1);
		CALL(&b, mpidbg_free_info, MPIDBG_COMM, c);
		/* to its error handler and group; from a window, a file and a request */
		ck_assert_int_eq(CALL(&b, mpidbg_get_references, b.d->process, MPIDBG_COMM, number, &refs, &n), 0);
		ck_assert_uint_eq(n, 5);
		CALL(&b, mpidbg_free, refs);
	}
	ck_assert_int_eq(CALL(&b, mpidbg_keyval_query, NOBODY, b.d->process, NULL, 0x100 + TRK_KEYVAL, &k), 0);
	ck_assert_str_eq(k->keyval_object.name, "MPI_TAG_UB");
	CALL(&b, mpidbg_free_info, MPIDBG_KEYVAL, k);
	leave(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mpidbg handles");
	TCase *tcase = tcase_create("face");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_comm, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_kinds, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_users, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_null, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_lists, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_wrong, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_without, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_faults, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_counts, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_numbers, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_by_number, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_keep, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_earlier_lives, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_debugger_log, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_coll_state, 0, N_TARGETS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
