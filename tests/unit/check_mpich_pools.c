/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/mpich/pools.c: the head of a pool of objects, and that numbers which cannot be true are refused. */
#include "../../readers/mpich/mpich.h"
#include "../support/fake.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { N_DIRECT = 8, N_BLOCKS = 2, PER_BLOCK = 3, N_SLOTS = N_DIRECT + N_BLOCKS * PER_BLOCK, OBJECT_BYTES = 256 };

struct target {
	struct fake *f;
	struct acc_space sp;
	struct acc_layout layout;
	struct rd_mpich o;
	uint64_t head;
};

/* Communicators, of which all in the direct block are free. */
static void start(struct target *t)
{
	memset(t, 0, sizeof(*t));
	t->f = fake_create(8, false, &rd_mpich_schema);
	/* as in MPICH: they begin each object, and are followed by the link of a free one */
	fake_fix_field(t->f, F_MPIR_Handle_common_handle, 0);
	fake_fix_field(t->f, F_MPIR_Handle_common_ref_count, 4);
	fake_fix_field(t->f, F_MPIR_Object_alloc_t_next, 8);
	fake_lay_out(t->f);
	ck_assert_int_eq(fake_space(t->f, &t->sp), ACC_OK);
	ck_assert_int_eq(fake_resolve(t->f, &t->sp, FAKE_BY_TYPES, &t->layout), ACC_OK);

	uint64_t direct = fake_alloc(t->f, (uint64_t)N_DIRECT * OBJECT_BYTES, 16);
	uint64_t table = fake_alloc(t->f, N_BLOCKS * 8, 8), head = fake_new(t->f, T_MPIR_Object_alloc_t);
	for (uint64_t i = 0; i < N_BLOCKS; i++)
		fake_write_ptr(t->f, table + 8 * i, fake_alloc(t->f, (uint64_t)PER_BLOCK * OBJECT_BYTES, 16));
	for (uint64_t i = 0; i + 1 < N_DIRECT; i++)
		fake_put_u(t->f, direct + i * OBJECT_BYTES, F_MPIR_Object_alloc_t_next,
			   direct + (i + 1) * OBJECT_BYTES);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_initialized, 1);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_kind, RD_MPICH_COMM);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_size, OBJECT_BYTES);
	fake_put_u(t->f, head, F_MPIR_Object_alloc_t_direct, direct);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_direct_size, N_DIRECT);
	fake_put_u(t->f, head, F_MPIR_Object_alloc_t_indirect, table);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_indirect_size, N_BLOCKS);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_num_allocated, N_SLOTS);
	fake_put_i(t->f, head, F_MPIR_Object_alloc_t_num_avail, N_DIRECT);
	fake_put_u(t->f, head, F_MPIR_Object_alloc_t_avail, direct);
	t->head = head;
	t->o.sp = &t->sp;
	t->o.layout = &t->layout;
	t->o.pool_addr[RD_MPICH_COMM] = head;
}

static void end(struct target *t)
{
	rd_mpich_pools_clear(&t->o);
	acc_layout_deinit(&t->sp, &t->layout);
	acc_space_deinit(&t->sp);
	fake_destroy(t->f);
}

START_TEST(test_whole)
{
	struct target t;
	uint32_t handle;

	start(&t);
	const struct rd_mpich_pool *pool = rd_mpich_pool(&t.o, RD_MPICH_COMM);
	ck_assert_msg(pool != NULL, "%s", t.sp.note.text);
	ck_assert_uint_eq(pool->n_slots, N_SLOTS);
	ck_assert_uint_eq(pool->per_block, PER_BLOCK);
	for (uint64_t i = 0; i < N_SLOTS; i++) {
		uint64_t addr = rd_mpich_slot(pool, i, RD_MPICH_COMM, &handle), back = N_SLOTS;

		ck_assert_int_eq(pool->is_free[i], i < N_DIRECT);
		ck_assert(rd_mpich_slot_of_handle(pool, handle, &back) && back == i);
		back = N_SLOTS;
		ck_assert(rd_mpich_slot_of(pool, addr, &back) && back == i);
		ck_assert(!rd_mpich_slot_of(pool, addr + 8, &back));
	}
	end(&t);
}
END_TEST

/* One or two numbers of the head. */
static const struct {
	unsigned field;
	int64_t value;
	unsigned other_field;
	int64_t other_value;
	enum { GOOD, BAD, BAD_CHAIN } is;
} heads[] = {
	/* one object is being allocated or freed */
	{ F_MPIR_Object_alloc_t_num_avail, N_DIRECT - 1, 0, 0, GOOD },
	{ F_MPIR_Object_alloc_t_num_avail, N_DIRECT + 1, 0, 0, GOOD },
	{ F_MPIR_Object_alloc_t_num_avail, N_DIRECT - 2, 0, 0, BAD_CHAIN },
	{ F_MPIR_Object_alloc_t_num_avail, N_DIRECT + 2, 0, 0, BAD_CHAIN },
	/* more free objects than there are: by one, which the chain alone would allow */
	{ F_MPIR_Object_alloc_t_num_allocated, N_DIRECT, F_MPIR_Object_alloc_t_indirect_size, 0, GOOD },
	{ F_MPIR_Object_alloc_t_num_avail, N_DIRECT + 1, F_MPIR_Object_alloc_t_num_allocated, N_DIRECT, BAD },
	/* objects that are in no block, blocks of unequal sizes */
	{ F_MPIR_Object_alloc_t_num_allocated, N_SLOTS, F_MPIR_Object_alloc_t_indirect_size, 0, BAD },
	{ F_MPIR_Object_alloc_t_num_allocated, N_SLOTS - 1, 0, 0, BAD },
	{ F_MPIR_Object_alloc_t_num_allocated, N_DIRECT - 1, 0, 0, BAD },
	{ F_MPIR_Object_alloc_t_num_allocated, (1 << 22) + 2, 0, 0, BAD },
	{ F_MPIR_Object_alloc_t_num_allocated, N_DIRECT + 2 * 4097, 0, 0, BAD },
	{ F_MPIR_Object_alloc_t_size, 0, 0, 0, BAD },
	{ F_MPIR_Object_alloc_t_direct_size, INT32_MAX, 0, 0, BAD },
	{ F_MPIR_Object_alloc_t_indirect_size, INT32_MAX, 0, 0, BAD },
};

START_TEST(test_numbers)
{
	struct target t;

	start(&t);
	fake_put_i(t.f, t.head, heads[_i].field, heads[_i].value);
	if (heads[_i].other_field)
		fake_put_i(t.f, t.head, heads[_i].other_field, heads[_i].other_value);
	/* a pool without blocks */
	if (heads[_i].other_field == F_MPIR_Object_alloc_t_num_allocated)
		fake_put_i(t.f, t.head, F_MPIR_Object_alloc_t_indirect_size, 0);
	const struct rd_mpich_pool *pool = rd_mpich_pool(&t.o, RD_MPICH_COMM);
	ck_assert_msg((pool == NULL) == (heads[_i].is == BAD), "%s", t.sp.note.text);
	ck_assert_int_eq(pool ? pool->chain_rc : ACC_OK, heads[_i].is == BAD_CHAIN ? ACC_ECORRUPT : ACC_OK);
	ck_assert_int_eq(t.sp.note.rc, heads[_i].is != GOOD ? ACC_ECORRUPT : ACC_OK);
	ck_assert(heads[_i].is == GOOD || strstr(t.sp.note.text, "pool of communicators at 0x"));
	end(&t);
}
END_TEST

/* A block whose address cannot be one: its objects are in no other place. */
START_TEST(test_blocks)
{
	static const uint64_t addrs[] = { 0, 4, UINT64_MAX };
	struct target t;

	start(&t);
	uint64_t table = fake_get_u(t.f, t.head, F_MPIR_Object_alloc_t_indirect);
	fake_write_ptr(t.f, table + 8, addrs[_i]);
	ck_assert_ptr_null(rd_mpich_pool(&t.o, RD_MPICH_COMM));
	ck_assert_int_eq(t.sp.note.rc, ACC_ECORRUPT);
	end(&t);
}
END_TEST

/* A chain that is damaged: in use is what has its handle and references. */
START_TEST(test_chain)
{
	static const unsigned used[] = { 3, 9 };
	const struct rd_mpich_pool *pool;
	struct target t;
	uint32_t handle;

	start(&t);
	uint64_t direct = fake_get_u(t.f, t.head, F_MPIR_Object_alloc_t_direct), at[N_SLOTS];
	pool = rd_mpich_pool(&t.o, RD_MPICH_COMM);
	ck_assert_ptr_nonnull(pool);
	for (uint64_t i = 0; i < N_SLOTS; i++) {
		at[i] = rd_mpich_slot(pool, i, RD_MPICH_COMM, &handle);
		fake_put_u(t.f, at[i], F_MPIR_Handle_common_handle, handle);
	}
	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		fake_put_i(t.f, at[used[i]], F_MPIR_Handle_common_ref_count, 1);
	fake_put_i(t.f, at[5], F_MPIR_Handle_common_ref_count, 1);
	fake_put_u(t.f, at[5], F_MPIR_Handle_common_handle, 77);

	const uint64_t avail[] = { 0, direct + OBJECT_BYTES, direct + 8, 0x44444440, direct };
	for (size_t i = 0; i < sizeof(avail) / sizeof(avail[0]); i++) {
		rd_mpich_pools_clear(&t.o);
		acc_note_clear(&t.sp.note);
		fake_put_u(t.f, t.head, F_MPIR_Object_alloc_t_avail, avail[i]);
		if (avail[i] == direct) /* points to itself */
			fake_put_u(t.f, direct, F_MPIR_Object_alloc_t_next, direct);
		pool = rd_mpich_pool(&t.o, RD_MPICH_COMM);
		ck_assert_ptr_nonnull(pool);
		ck_assert_int_eq(pool->chain_rc, ACC_ECORRUPT);
		ck_assert_msg(strstr(t.sp.note.text, "chain of free ones"), "%s", t.sp.note.text);
		for (unsigned k = 0; k < N_SLOTS; k++)
			ck_assert_int_eq(pool->is_free[k], k != used[0] && k != used[1]);
	}
	end(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mpich_pools");
	TCase *tc = tcase_create("pools");

	tcase_add_test(tc, test_whole);
	tcase_add_loop_test(tc, test_numbers, 0, sizeof(heads) / sizeof(*heads));
	tcase_add_loop_test(tc, test_blocks, 0, 3);
	tcase_add_test(tc, test_chain);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
