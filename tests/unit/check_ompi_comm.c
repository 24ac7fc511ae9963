/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/openmpi/comm.c, group.c, topology.c, internal.c: communicators and their members. */
#include "../../access/limits.h"
#include "../support/fake_ompi.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_SPORADIC = 0x8, GROUP_STRIDED = 0x10, GROUP_BITMAP = 0x20 };

static struct fake_ompi *make(int i)
{
	return fake_ompi_create(i & 1 ? 4 : 8, i & 2, 8, 1);
}

/* All communicators that are listed. @return how many; the first @p cap of them. */
static size_t list(struct rd_process *p, bool all, struct mdl_comm *ret, size_t cap, uint64_t *n_bad)
{
	struct rd_comm_iter it;
	struct mdl_comm comm;
	size_t n = 0;
	enum acc_rc rc;

	ck_assert_int_eq(rd_comm_first(p, all, &it), ACC_OK);
	while ((rc = rd_comm_next(&it, &comm)) == ACC_OK) {
		if (n < cap)
			ret[n] = comm;
		n++;
	}
	ck_assert_int_eq(rc, ACC_NONE);
	*n_bad = it.n_bad;
	return n;
}

START_TEST(test_list)
{
	struct fake_ompi *m = make(_i);
	uint64_t dup = fake_ompi_comm(m, "a name", 5, 3, 0), n_bad;
	struct mdl_comm c[8], one;

	fake_write_ptr(m->f, m->slots + 4 * m->f->word_bytes, 1); /* reserved: since 5.0 */
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(list(p, false, c, 8, &n_bad), 3);
	ck_assert_uint_eq(n_bad, 0);
	ck_assert_str_eq(c[0].name, "MPI_COMM_WORLD");
	ck_assert(c[0].predefined && !c[0].inter && !c[0].internal);
	ck_assert_int_eq(c[0].size, 8);
	ck_assert_int_eq(c[0].rank, 1);
	ck_assert_str_eq(c[1].name, "MPI_COMM_SELF");
	ck_assert_uint_eq(c[2].id, dup);
	ck_assert_uint_eq(c[2].handle, dup);
	ck_assert_str_eq(c[2].name, "a name");
	ck_assert(!c[2].predefined);
	ck_assert_int_eq(c[2].size, 5);
	ck_assert_int_eq(c[2].rank, 3);
	ck_assert_int_eq(c[2].remote_size, 0);
	ck_assert_int_eq(c[2].context.value, 3);
	ck_assert_int_eq(c[2].fortran.value, 103);
	ck_assert_int_eq(rd_comm_get(p, dup, &one), ACC_OK);
	ck_assert_str_eq(one.name, "a name");
	ck_assert_int_eq(rd_comm_get(p, m->null, &one), ACC_NONE);
	ck_assert_int_eq(rd_comm_get(p, 0, &one), ACC_NONE);
	ck_assert_int_eq(rd_comm_get(p, dup + 8, &one), ACC_NONE);
	ck_assert_int_eq(rd_comm_get(p, m->dt_int, &one), ACC_NONE);
	ck_assert_int_eq(rd_comm_get(p, 0x10, &one), ACC_NONE);

	/* It is freed: its object may still look well, but its slot is empty. */
	fake_write_ptr(m->f, m->slots + 3 * m->f->word_bytes, 0);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_int_eq(rd_comm_get(p, dup, &one), ACC_NONE);
	ck_assert_int_eq(m->sp.note.rc, ACC_OK);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/*
 * Open MPI 5.0: the slot is c_index, the name is a pointer; a communicator made from a group has no common context id.
 */
START_TEST(test_list_50)
{
	struct fake_ompi *m = fake_ompi_create_50(_i & 1 ? 4 : 8, _i & 2, 8, 1);
	struct fake *f = m->f;
	uint64_t dup = fake_ompi_comm(m, "a name", 5, 3, 0), made = fake_ompi_comm(m, "", 5, 3, 0), n_bad;
	uint64_t flags = fake_get_u(f, made, F_ompi_communicator_t_c_flags);
	struct mdl_comm c[8], one;

	fake_put_u(f, made, F_ompi_communicator_t_c_flags, flags & ~UINT64_C(0x10000)); /* OMPI_COMM_GLOBAL_INDEX */
	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(list(p, false, c, 8, &n_bad), 4);
	ck_assert_uint_eq(n_bad, 0);
	ck_assert_str_eq(c[0].name, "MPI_COMM_WORLD");
	ck_assert_int_eq(c[0].context.value, 0);
	ck_assert_uint_eq(c[2].id, dup);
	ck_assert_str_eq(c[2].name, "a name");
	ck_assert_int_eq(c[2].context.known, MDL_KNOWN);
	ck_assert_int_eq(c[2].context.value, 3);
	ck_assert_uint_eq(c[3].id, made);
	ck_assert_str_eq(c[3].name, "");
	ck_assert_int_eq(c[3].context.known, MDL_UNAVAILABLE);
	ck_assert_int_eq(rd_comm_get(p, made, &one), ACC_OK); /* it is found by its slot all the same */

	/* A name that cannot be read is a bad communicator, not one without a name. */
	fake_write_ptr(f, fake_field_addr(f, dup, F_ompi_communicator_t_c_name), 0x10);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_uint_eq(list(p, false, c, 8, &n_bad), 3);
	ck_assert_uint_eq(n_bad, 1);
	fake_write_ptr(f, fake_field_addr(f, dup, F_ompi_communicator_t_c_name), 0);
	fake_put_i(f, made, F_ompi_communicator_t_c_index, 77); /* another slot's */
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_uint_eq(list(p, false, c, 8, &n_bad), 3);
	ck_assert_uint_eq(n_bad, 1);
	ck_assert_str_eq(c[2].name, "");
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* A bad communicator is skipped, counted and noted; one under construction is not there yet. */
START_TEST(test_bad)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t a = fake_ompi_comm(m, "a", 5, 3, 0), b = fake_ompi_comm(m, "b", 5, 3, 0), n_bad;
	uint64_t d = fake_ompi_comm(m, "d", 5, 3, 0);
	uint64_t group = fake_get_u(f, a, F_ompi_communicator_t_c_local_group);
	struct mdl_comm c[8];

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(list(p, false, c, 8, &n_bad), 5);

#define BREAKS(statement, n_expected, n_bad_expected)                                                                  \
	do {                                                                                                           \
		statement;                                                                                             \
		ck_assert_int_eq(rd_update(p), ACC_OK);                                                                \
		acc_note_clear(&m->sp.note);                                                                           \
		ck_assert_uint_eq(list(p, true, c, 8, &n_bad), n_expected);                                            \
		ck_assert_uint_eq(n_bad, n_bad_expected);                                                              \
		ck_assert_int_eq(m->sp.note.rc != ACC_OK, n_bad_expected != 0);                                        \
	} while (0)

	BREAKS(fake_put_i(f, a, F_ompi_communicator_t_c_my_rank, 5), 4, 1);
	BREAKS(fake_put_i(f, a, F_ompi_communicator_t_c_my_rank, -1), 4, 1);
	BREAKS(fake_put_i(f, a, F_ompi_communicator_t_c_my_rank, 3), 5, 0);
	BREAKS(fake_put_i(f, m->self, F_ompi_communicator_t_c_my_rank, -2), 4, 1); /* not taken for MPI_COMM_NULL */
	BREAKS(fake_put_i(f, m->self, F_ompi_communicator_t_c_my_rank, 0), 5, 0);
	BREAKS(fake_put_i(f, group, F_ompi_group_t_grp_proc_count, 0x7fffffff), 4, 1);
	BREAKS(fake_put_i(f, group, F_ompi_group_t_grp_proc_count, 0), 4, 1);
	BREAKS(fake_put_i(f, group, F_ompi_group_t_grp_proc_count, 5), 5, 0);
	BREAKS(fake_put_u(f, group, F_opal_object_t_obj_class, 0x40), 4, 1);
	BREAKS(fake_put_u(f, group, F_opal_object_t_obj_class, fake_ompi_class(m, "ompi_group_t")), 5, 0);
	BREAKS(fake_put_u(f, a, F_ompi_communicator_t_c_local_group, 0x44), 4, 1);
	BREAKS(fake_put_u(f, a, F_ompi_communicator_t_c_local_group, 0), 4, 1); /* the pml has its data */
	BREAKS(fake_put_u(f, a, F_ompi_communicator_t_c_local_group, group), 5, 0);
	BREAKS(fake_put_u(f, a, F_ompi_communicator_t_c_flags, 0), 4, 1);    /* the pml has its data */
	BREAKS(fake_put_u(f, a, F_ompi_communicator_t_c_pml_comm, 0), 4, 0); /* not yet known to the pml */
	/* while the id of a copy is agreed upon, its slot has the communicator that is copied */
	uint64_t next_slot = m->slots + 6 * f->word_bytes;
	BREAKS(fake_write_ptr(f, next_slot, b), 4, 0);
	BREAKS(fake_write_ptr(f, next_slot, 0), 4, 0);
	BREAKS(fake_put_i(f, b, F_ompi_communicator_t_c_contextid, 77), 3, 1); /* another slot's */
	BREAKS(fake_write_ptr(f, m->slots + 5 * f->word_bytes, d + 1), 2, 2);
	BREAKS(fake_write_ptr(f, m->slots + 5 * f->word_bytes, 0x7777770), 2, 2);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* The table itself. */
START_TEST(test_table)
{
	struct fake_ompi *m = make(_i);
	struct rd_process *p = fake_ompi_open(m);
	struct rd_comm_iter it;
	struct mdl_comm comm;

	fake_put_i(m->f, m->table, F_opal_pointer_array_t_size, -1);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_ECORRUPT);
	fake_put_i(m->f, m->table, F_opal_pointer_array_t_size, 0x7fffffff);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_ELIMIT);
	fake_put_i(m->f, m->table, F_opal_pointer_array_t_size, FAKE_OMPI_SLOTS);
	fake_put_u(m->f, m->table, F_opal_pointer_array_t_addr, 3);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_ECORRUPT);
	fake_put_u(m->f, m->table, F_opal_pointer_array_t_addr, 0x40);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_OK);
	ck_assert_int_eq(rd_comm_next(&it, &comm), ACC_EREAD);
	fake_put_i(m->f, m->table, F_opal_pointer_array_t_size, 0);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_OK);
	ck_assert_int_eq(rd_comm_next(&it, &comm), ACC_NONE);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Thousands of bad communicators end the walk. */
START_TEST(test_all_bad)
{
	struct fake_ompi *m = make(_i);
	struct rd_comm_iter it;
	struct mdl_comm comm;
	enum acc_rc rc;

	struct rd_process *p = fake_ompi_open(m);
	for (int i = 3; i < FAKE_OMPI_SLOTS; i++)
		fake_write_ptr(m->f, m->slots + (uint64_t)i * m->f->word_bytes, 0x12345678);
	ck_assert_int_eq(rd_comm_first(p, false, &it), ACC_OK);
	while ((rc = rd_comm_next(&it, &comm)) == ACC_OK)
		;
	ck_assert_int_eq(rc, ACC_ECORRUPT);
	ck_assert_uint_eq(it.n_bad, ACC_BAD_MAX);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

static uint64_t sentinel(const struct fake_ompi *m, uint32_t job, uint32_t vpid)
{
	if (m->f->word_bytes == 4)
		return (uint64_t)vpid << 1 | 1;
	return (uint64_t)vpid << 32 | (uint64_t)(job >> 16) << 16 | (job & 0x7fff) << 1 | 1;
}

/* Pointers, processes that are known by name only, other jobs' processes, and one that cannot be read. */
START_TEST(test_members)
{
	struct fake_ompi *m = make(_i);
	bool wide = m->f->word_bytes == 8;
	uint64_t entries[] = { m->procs[5],
			       fake_ompi_proc(m, FAKE_OMPI_OTHER_JOB, 0),
			       sentinel(m, FAKE_OMPI_JOB, 3),
			       sentinel(m, wide ? FAKE_OMPI_OTHER_JOB : FAKE_OMPI_JOB, 70000),
			       m->dt_int,
			       0 };
	struct mdl_comm comm;
	struct mdl_member w[6];
	uint64_t inter = fake_ompi_comm(m, "", 3, 1, fake_ompi_group(m, entries, 6, -32766));

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_comm_get(p, inter, &comm), ACC_OK);
	ck_assert(comm.inter);
	ck_assert_int_eq(comm.size, 3);
	ck_assert_int_eq(comm.remote_size, 6);
	ck_assert_int_eq(rd_comm_members(p, &comm, false, 0, 3, w), ACC_OK);
	for (int i = 0; i < 3; i++) {
		ck_assert(w[i].known && w[i].own_world);
		ck_assert_int_eq(w[i].world_rank, i);
		ck_assert_uint_eq(w[i].job, FAKE_OMPI_JOB);
	}
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 0, 6, w), ACC_OK);
	ck_assert(w[0].known && w[0].own_world && w[0].world_rank == 5);
	ck_assert(w[1].known && !w[1].own_world && w[1].world_rank == 0 && w[1].job == FAKE_OMPI_OTHER_JOB);
	ck_assert(w[2].known && w[2].own_world && w[2].world_rank == 3);
	ck_assert(w[3].known && w[3].own_world == !wide && w[3].world_rank == 70000);
	ck_assert(!w[4].known && !w[4].own_world && w[4].world_rank == 0);
	ck_assert(!w[5].known);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 1, 2, w), ACC_OK);
	ck_assert(w[1].own_world && w[1].world_rank == 3);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 6, 0, w), ACC_OK);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 0, 7, w), ACC_EINVAL);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 7, 0, w), ACC_EINVAL);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 2, UINT64_MAX, w), ACC_EINVAL);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 4, 2, w), ACC_EREAD); /* none */
	ck_assert_int_eq(rd_comm_get(p, m->world, &comm), ACC_OK);
	ck_assert_int_eq(rd_comm_members(p, &comm, true, 0, 1, w), ACC_NONE);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

static uint64_t sparse(struct fake_ompi *m, uint64_t parent, unsigned kind, int n)
{
	uint64_t none = 0, group = fake_ompi_group(m, &none, 1, 0);

	fake_put_i(m->f, group, F_ompi_group_t_grp_proc_count, n);
	fake_put_u(m->f, group, F_ompi_group_t_grp_proc_pointers, 0);
	fake_put_u(m->f, group, F_ompi_group_t_grp_flags, kind);
	fake_put_u(m->f, group, F_ompi_group_t_grp_parent_group_ptr, parent);
	return group;
}

static void check_ranks(struct fake_ompi *m, uint64_t group, const int *expected, int n)
{
	struct mdl_comm comm;
	struct mdl_member w[8];
	uint64_t inter = fake_ompi_comm(m, "", 1, 0, group);

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_comm_get(p, inter, &comm), ACC_OK);
	enum acc_rc rc = rd_comm_members(p, &comm, true, 0, (uint64_t)n, w);
	ck_assert_int_eq(rc, expected ? ACC_OK : ACC_EREAD);
	for (int i = 0; expected && i < n; i++) {
		ck_assert(w[i].known && w[i].own_world);
		ck_assert_int_eq(w[i].world_rank, expected[i]);
	}
	rd_close(p);
}

/* Groups defined relative to their parent: runs, a stride, a bitmap, and combinations. */
START_TEST(test_sparse)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t world = fake_get_u(f, m->world, F_ompi_communicator_t_c_local_group);
	uint64_t runs = sparse(m, world, GROUP_SPORADIC, 5), stride = sparse(m, world, GROUP_STRIDED, 3);
	uint64_t bitmap = sparse(m, world, GROUP_BITMAP, 4), nested = sparse(m, runs, GROUP_STRIDED, 2);
	uint64_t at = fake_field_addr(f, runs, F_ompi_group_t_sparse_data);
	unsigned char bits = 0xb2; /* 1, 4, 5, 7 */
	uint64_t bits_addr = fake_alloc(f, 1, 1);

	fake_write(f, bits_addr, &bits, 1);
	fake_put_u(f, at, F_ompi_group_sporadic_data_t_grp_sporadic_list, fake_ints(f, (int[]){ 1, 2, 4, 3 }, 4));
	fake_put_i(f, at, F_ompi_group_sporadic_data_t_grp_sporadic_list_len, 2);
	check_ranks(m, runs, (int[]){ 1, 2, 4, 5, 6 }, 5);
	at = fake_field_addr(f, stride, F_ompi_group_t_sparse_data);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_offset, 2);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_stride, 2);
	check_ranks(m, stride, (int[]){ 2, 4, 6 }, 3);
	at = fake_field_addr(f, bitmap, F_ompi_group_t_sparse_data);
	fake_put_u(f, at, F_ompi_group_bitmap_data_t_grp_bitmap_array, bits_addr);
	fake_put_i(f, at, F_ompi_group_bitmap_data_t_grp_bitmap_array_len, 1);
	check_ranks(m, bitmap, (int[]){ 1, 4, 5, 7 }, 4);
	at = fake_field_addr(f, nested, F_ompi_group_t_sparse_data);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_offset, 1);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_stride, 3);
	check_ranks(m, nested, (int[]){ 2, 6 }, 2);

	/* outside of the parent, although a process stands there in memory */
	uint64_t narrow = fake_ompi_group(m, m->procs, 8, 1);
	fake_put_i(f, narrow, F_ompi_group_t_grp_proc_count, 2);
	uint64_t outside = sparse(m, narrow, GROUP_STRIDED, 2);
	at = fake_field_addr(f, outside, F_ompi_group_t_sparse_data);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_offset, 2);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_stride, 1);
	check_ranks(m, outside, NULL, 2);

	/* its own parent, outside of the parent, senseless lengths */
	at = fake_field_addr(f, nested, F_ompi_group_t_sparse_data);
	fake_put_u(f, nested, F_ompi_group_t_grp_parent_group_ptr, nested);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_offset, 0);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_stride, 1);
	check_ranks(m, nested, NULL, 2);
	at = fake_field_addr(f, stride, F_ompi_group_t_sparse_data);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_offset, 8);
	check_ranks(m, stride, NULL, 3);
	fake_put_i(f, at, F_ompi_group_strided_data_t_grp_strided_offset, -1);
	check_ranks(m, stride, NULL, 3);
	at = fake_field_addr(f, runs, F_ompi_group_t_sparse_data);
	fake_put_i(f, at, F_ompi_group_sporadic_data_t_grp_sporadic_list_len, 0x7fffffff);
	check_ranks(m, runs, NULL, 5);
	at = fake_field_addr(f, bitmap, F_ompi_group_t_sparse_data);
	fake_put_i(f, at, F_ompi_group_bitmap_data_t_grp_bitmap_array_len, -1);
	check_ranks(m, bitmap, NULL, 4);
	fake_ompi_destroy(m);
}
END_TEST

static uint64_t topology(struct fake_ompi *m, uint64_t comm, uint64_t flag, uint64_t mtc)
{
	uint64_t module = fake_new(m->f, T_mca_topo_base_module_t);

	fake_put_u(m->f, module, F_mca_topo_base_module_t_type, flag);
	fake_put_u(m->f, module, F_mca_topo_base_module_t_reorder, 1);
	fake_put_u(m->f, module, F_mca_topo_base_module_t_mtc, mtc);
	fake_put_u(m->f, comm, F_ompi_communicator_t_c_topo, module);
	fake_put_u(m->f, comm, F_ompi_communicator_t_c_flags, 0x1000 | flag);
	return module;
}

START_TEST(test_topology)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t cart = fake_ompi_comm(m, "cart", 8, 1, 0), graph = fake_ompi_comm(m, "graph", 3, 1, 0);
	uint64_t dist = fake_ompi_comm(m, "dist", 3, 1, 0), cart_args = fake_new(f, T_mca_topo_base_comm_cart_2_2_0_t);
	uint64_t graph_args = fake_new(f, T_mca_topo_base_comm_graph_2_2_0_t);
	uint64_t dist_args = fake_new(f, T_mca_topo_base_comm_dist_graph_2_2_0_t);
	struct mdl_topology t;
	struct mdl_comm c;

	fake_put_i(f, cart_args, F_mca_topo_base_comm_cart_2_2_0_t_ndims, 3);
	fake_put_u(f, cart_args, F_mca_topo_base_comm_cart_2_2_0_t_dims, fake_ints(f, (int[]){ 2, 2, 2 }, 3));
	fake_put_u(f, cart_args, F_mca_topo_base_comm_cart_2_2_0_t_periods, fake_ints(f, (int[]){ 0, 1, 0 }, 3));
	fake_put_u(f, cart_args, F_mca_topo_base_comm_cart_2_2_0_t_coords, fake_ints(f, (int[]){ 0, 0, 1 }, 3));
	topology(m, cart, 0x100, cart_args);
	fake_put_i(f, graph_args, F_mca_topo_base_comm_graph_2_2_0_t_nnodes, 3);
	fake_put_u(f, graph_args, F_mca_topo_base_comm_graph_2_2_0_t_index, fake_ints(f, (int[]){ 1, 3, 4 }, 3));
	fake_put_u(f, graph_args, F_mca_topo_base_comm_graph_2_2_0_t_edges, fake_ints(f, (int[]){ 1, 0, 2, 1 }, 4));
	topology(m, graph, 0x200, graph_args);
	fake_put_i(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_indegree, 2);
	fake_put_i(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_outdegree, 1);
	fake_put_u(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_in, fake_ints(f, (int[]){ 0, 2 }, 2));
	fake_put_u(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_inw, fake_ints(f, (int[]){ 7, 8 }, 2));
	fake_put_u(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_out, fake_ints(f, (int[]){ 2 }, 1));
	fake_put_u(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_outw, fake_ints(f, (int[]){ 9 }, 1));
	fake_put_u(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_weighted, 1);
	topology(m, dist, 0x400, dist_args);

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_int_eq(rd_comm_get(p, m->world, &c), ACC_OK);
	ck_assert_int_eq(c.topology, MDL_TOPO_NONE);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_NONE);

	ck_assert_int_eq(rd_comm_get(p, cart, &c), ACC_OK);
	ck_assert_int_eq(c.topology, MDL_TOPO_CART);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_OK);
	ck_assert(t.kind == MDL_TOPO_CART && t.reorder && t.n_dims == 3);
	ck_assert(t.dims[2] == 2 && t.periods[1] == 1 && t.periods[2] == 0 && t.coords[2] == 1);
	rd_comm_topology_free(p, &t);
	rd_comm_topology_free(p, &t);

	ck_assert_int_eq(rd_comm_get(p, graph, &c), ACC_OK);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_OK);
	ck_assert(t.kind == MDL_TOPO_GRAPH && t.n_nodes == 3 && t.n_edges == 4);
	ck_assert(t.index[1] == 3 && t.edges[2] == 2);
	rd_comm_topology_free(p, &t);

	ck_assert_int_eq(rd_comm_get(p, dist, &c), ACC_OK);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_OK);
	ck_assert(t.kind == MDL_TOPO_DIST_GRAPH && t.n_in == 2 && t.n_out == 1);
	ck_assert(t.in[1] == 2 && t.out[0] == 2 && t.in_weights[1] == 8 && t.out_weights[0] == 9);
	rd_comm_topology_free(p, &t);
	fake_put_u(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_weighted, 0);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_OK);
	ck_assert(!t.in_weights && !t.out_weights && t.in[0] == 0);
	rd_comm_topology_free(p, &t);

	/* Invalid sizes and unmapped arrays: an error code, and no leak. */
	fake_put_i(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_outdegree, -1);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_ECORRUPT);
	fake_put_i(f, dist_args, F_mca_topo_base_comm_dist_graph_2_2_0_t_outdegree, 0x7fffffff);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_ECORRUPT);
	ck_assert_int_eq(rd_comm_get(p, graph, &c), ACC_OK);
	fake_put_u(f, graph_args, F_mca_topo_base_comm_graph_2_2_0_t_edges, 0x40);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_EREAD);
	fake_put_u(f, graph_args, F_mca_topo_base_comm_graph_2_2_0_t_edges, 0);
	ck_assert_int_eq(rd_comm_topology(p, &c, &t), ACC_ECORRUPT);
	ck_assert_int_eq(rd_comm_get(p, cart, &c), ACC_OK);
	for (int64_t n = 0; n < 4; n++) {
		fake_fuse(&m->f->allocs, n, true);
		ck_assert_int_eq(rd_comm_topology(p, &c, &t), n < 3 ? ACC_ENOMEM : ACC_OK);
		fake_fuse_off(&m->f->allocs);
	}
	rd_comm_topology_free(p, &t);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

/* Internal communicators are hidden unless requested, and have a reason. */
START_TEST(test_internal)
{
	struct fake_ompi *m = make(_i);
	struct fake *f = m->f;
	uint64_t remote = fake_ompi_group(m, &m->procs[4], 2, -32766);
	uint64_t inter = fake_ompi_comm(m, "inter", 4, 1, remote), local = fake_ompi_comm(m, "local", 4, 1, 0);
	uint64_t win_comm = fake_ompi_comm(m, "win", 8, 1, 0), file_comm = fake_ompi_comm(m, "file", 8, 1, 0);
	uint64_t romio_comm = fake_ompi_comm(m, "romio", 8, 1, 0), user = fake_ompi_comm(m, "user", 8, 1, 0);
	uint64_t win = fake_new(f, T_ompi_win_t), file = fake_new(f, T_ompi_file_t), file2 = fake_new(f, T_ompi_file_t);
	uint64_t file3 = fake_new(f, T_ompi_file_t);
	uint64_t module = fake_alloc(f, 4096, 16), data = fake_alloc(f, 512, 16), data2 = fake_alloc(f, 512, 16);
	uint64_t data3 = fake_alloc(f, 512, 16), romio = fake_alloc(f, 512, 16), n_bad;
	struct mdl_comm c[16];

	fake_put_u(f, inter, F_ompi_communicator_t_c_local_comm, local);
	fake_put_u(f, win, F_ompi_win_t_w_osc_module, module);
	fake_put_u(f, module, F_ompi_osc_sm_module_t_comm, win_comm);
	fake_ompi_array(m, m->windows, (uint64_t[]){ 0, win, 3 }, 3);
	fake_put_u(f, file, F_ompi_file_t_f_comm, user);
	fake_put_u(f, file, F_ompi_file_t_f_io_selected_data, data);
	fake_put_u(f, data, F_ompio_file_t_f_comm, file_comm);
	fake_put_u(f, file2, F_ompi_file_t_f_comm, user);
	fake_put_u(f, file2, F_ompi_file_t_f_io_selected_data, data2);
	fake_write_ptr(f, data2, romio);
	fake_write_ptr(f, romio + 64, user);
	fake_write_ptr(f, romio + 128, romio_comm);
	fake_put_u(f, file3, F_ompi_file_t_f_comm, user); /* ompio uses the program's own */
	fake_put_u(f, file3, F_ompi_file_t_f_io_selected_data, data3);
	fake_put_u(f, data3, F_ompio_file_t_f_comm, user);
	fake_ompi_array(m, m->files, (uint64_t[]){ file, 0, file2, file3 }, 4);

	struct rd_process *p = fake_ompi_open(m);
	ck_assert_uint_eq(list(p, false, c, 16, &n_bad), 4);
	ck_assert_str_eq(c[2].name, "inter");
	ck_assert_str_eq(c[3].name, "user");
	ck_assert_uint_eq(list(p, true, c, 16, &n_bad), 8);
	for (size_t i = 0; i < 8; i++) {
		static const char *const why[][2] = { { "local", "of an intercommunicator" },
						      { "win", "of a window" },
						      { "file", "of a file" },
						      { "romio", "of a file" } };
		const char *expected = NULL;

		for (size_t k = 0; k < 4; k++)
			if (!strcmp(c[i].name, why[k][0]))
				expected = why[k][1];
		ck_assert_int_eq(c[i].internal, expected != NULL);
		ck_assert_pstr_eq(c[i].internal_why, expected);
	}

	/* Words that are no live communicators hide nothing. */
	fake_put_u(f, module, F_ompi_osc_sm_module_t_comm, m->world);
	fake_put_u(f, inter, F_ompi_communicator_t_c_local_comm, 0x44444440);
	fake_put_u(f, file, F_ompi_file_t_f_io_selected_data, 0x44444440);
	fake_put_u(f, file2, F_ompi_file_t_f_io_selected_data, 0);
	ck_assert_int_eq(rd_update(p), ACC_OK);
	ck_assert_uint_eq(list(p, false, c, 16, &n_bad), 8);
	ck_assert_int_eq(m->sp.note.rc, ACC_OK);
	rd_close(p);
	fake_ompi_destroy(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ompi_comm");
	TCase *tc = tcase_create("comm");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_list, 0, 4);
	tcase_add_loop_test(tc, test_list_50, 0, 4);
	tcase_add_loop_test(tc, test_bad, 0, 4);
	tcase_add_loop_test(tc, test_table, 0, 4);
	tcase_add_loop_test(tc, test_all_bad, 0, 4);
	tcase_add_loop_test(tc, test_members, 0, 4);
	tcase_add_loop_test(tc, test_sparse, 0, 4);
	tcase_add_loop_test(tc, test_topology, 0, 4);
	tcase_add_loop_test(tc, test_internal, 0, 4);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
