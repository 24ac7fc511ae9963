/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of requests in the in-target library: what is created is found until it is completed, whatever
 * comes in between; the slab says the same to a reader outside, between any two steps; several threads.
 */
#include "../../mpi2dd/tracker/request_table.h"
#include "../support/suite.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 512, ALONE = -1 };

static struct trk_slab slab;
static int n_wrong; /* Check writes a line for each assertion, and these are many, and of several threads */

#define EXPECT(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			__atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);                                             \
	} while (0)

static struct trk_request *records;
static void *memory;
static struct trk_table *table;

static void set_up_many(uint32_t capacity)
{
	memset(&slab, 0, sizeof slab);
	memset(trk_tables, 0, sizeof trk_tables);
	trk_tables_have_lists = false;
	trk_tables_locked = false;
	free(records);
	free(memory);
	records = aligned_alloc(64, capacity * sizeof *records);
	memory = aligned_alloc(64, trk_tables_bytes(capacity));
	ck_assert(records && memory);
	memset(records, 0, capacity * sizeof *records);
	memset(memory, 0, trk_tables_bytes(capacity));
	trk_tables_setup(records, capacity, &slab, memory);
	table = trk_table_make(0);
	ck_assert_ptr_nonnull(table);
	n_wrong = 0;
}

static void set_up(void)
{
	set_up_many(CAPACITY);
}

static void tear_down(void)
{
	ck_assert_int_eq(n_wrong, 0);
}

static struct trk_request *create(struct trk_table *t, uint64_t handle, int class, unsigned rules, int tag)
{
	EXPECT(trk_table_enter(t));
	struct trk_request *r = trk_table_create(t, handle, class, rules);
	if (r) {
		/* a reader does not treat it as a record at this point */
		EXPECT(r->sequence % 2 == 1);
		r->tag = tag;
		trk_request_written(r, (struct trk_request_head){ .flags = class < 0 ? 0 : TRK_REQ_SHARED, .call = 7 });
		EXPECT(r->sequence % 2 == 0);
		EXPECT(r->state == TRK_LIVE);
		EXPECT(r->handle == handle);
		EXPECT(r->call == 7);
	}
	trk_table_leave(t);
	return r;
}

/* @return the tag of the completed request; -1: none is live */
static int complete(struct trk_table *t, uint64_t handle, int class, bool freed)
{
	int tag = -1;

	EXPECT(trk_table_enter(t));
	struct trk_request *r = trk_table_find(t, handle, class);
	if (r) {
		tag = r->tag;
		trk_table_complete(t, r, class, freed);
		EXPECT(r->state == TRK_FREED);
	}
	trk_table_leave(t);
	return tag;
}

/* As a reader outside counts them. */
static unsigned n_of(uint64_t handle, enum trk_state state)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < slab.high; i++)
		n += records[i].handle == handle && records[i].state == state;
	return n;
}

START_TEST(test_one)
{
	struct trk_request *r = create(table, 0x1000, ALONE, 0, 1);

	ck_assert_int_eq(complete(table, 0x2000, ALONE, false), -1);
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), 1);
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), -1);
	/* the earlier request stays known, and the next one with its value gets its record */
	ck_assert_uint_eq(n_of(0x1000, TRK_FREED), 1);
	create(table, 0x2000, ALONE, 0, 2);
	ck_assert_uint_eq(n_of(0x1000, TRK_FREED), 1);
	ck_assert_ptr_eq(create(table, 0x1000, ALONE, 0, 3), r);
	ck_assert_uint_eq(n_of(0x1000, TRK_FREED), 0);
	ck_assert_uint_eq(n_of(0x1000, TRK_LIVE), 1);
	ck_assert_uint_eq(slab.high, TRK_TABLE_CHUNK);
}
END_TEST

/* Two live ones have one value: the earlier one ends first, whichever record it has. */
START_TEST(test_twice)
{
	create(table, 0x1000, ALONE, 0, 1);
	create(table, 0x1000, ALONE, 0, 2);
	ck_assert_uint_eq(n_of(0x1000, TRK_LIVE), 2);
	for (int i = 1; i < 20; i++) {
		ck_assert_int_eq(complete(table, 0x1000, ALONE, false), i);
		create(table, 0x1000, ALONE, 0, i + 2);
	}
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), 20);
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), 21);
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), -1);
}
END_TEST

/* A reused handle value implies that the earlier request has completed. */
START_TEST(test_takes_over)
{
	create(table, 0x1000, ALONE, 0, 1);
	create(table, 0x1000, ALONE, 0, 2);
	create(table, 0x1000, ALONE, TRK_TABLE_TAKES_OVER, 3);
	ck_assert_uint_eq(table->n_unseen, 2);
	ck_assert_uint_eq(n_of(0x1000, TRK_LIVE), 1);
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), 3);
	ck_assert_int_eq(complete(table, 0x1000, ALONE, false), -1);
}
END_TEST

/* A value of many: as many are live as were created and not completed, of each value of the class. */
START_TEST(test_class)
{
	for (int i = 0; i < 100; i++)
		create(table, i % 2 ? 0x41 : 0x61, 3, 0, i);
	ck_assert_uint_eq(n_of(0x41, TRK_LIVE), 50);
	for (int i = 49; i > 0; i--) {
		ck_assert_int_eq(complete(table, 0x41, 3, false) % 2, 1);
		ck_assert_uint_eq(n_of(0x41, TRK_LIVE), (unsigned)i);
		ck_assert_uint_eq(n_of(0x61, TRK_LIVE), 50);
	}
	/* another class has none */
	ck_assert_int_eq(complete(table, 0x61, 4, false), -1);
	for (int i = 0; i < 50; i++)
		ck_assert_int_eq(complete(table, 0x61, 3, false) % 2, 0);
	ck_assert_int_eq(complete(table, 0x61, 3, false), -1);
	ck_assert_int_eq(complete(table, 0x41, 3, false) % 2, 1);
	/* their records are used again */
	uint32_t high = slab.high;
	for (int i = 0; i < 100; i++)
		create(table, 0x41, 3, 0, i);
	ck_assert_uint_eq(slab.high, high);
}
END_TEST

/* The last freed requests remain unchanged although their handle values are reused. */
START_TEST(test_freed)
{
	for (int i = 0; i < 2 * TRK_TABLE_FREED; i++) {
		create(table, 0x1000, ALONE, 0, i);
		ck_assert_int_eq(complete(table, 0x1000, ALONE, true), i);
	}
	ck_assert_uint_eq(n_of(0x1000, TRK_FREED), TRK_TABLE_FREED + 1);
	unsigned seen[2 * TRK_TABLE_FREED] = { 0 };
	for (uint32_t i = 0; i < slab.high; i++)
		if (records[i].handle == 0x1000)
			seen[records[i].tag]++;
	for (int i = TRK_TABLE_FREED; i < 2 * TRK_TABLE_FREED; i++)
		ck_assert_uint_eq(seen[i], 1);
	ck_assert_uint_le(slab.high, 2 * TRK_TABLE_CHUNK);
}
END_TEST

/*
 * The smallest possible slab, all freed by MPI_Request_free: a record is always available, and records lost to a
 * debugger are counted.
 */
START_TEST(test_freed_and_full)
{
	enum { N = 5 * TRK_TABLE_CHUNK };

	set_up_many(TRK_TABLE_CHUNK);
	for (int i = 0; i < N; i++) {
		ck_assert_ptr_nonnull(create(table, 0x1000, ALONE, TRK_TABLE_KEEPS, i));
		ck_assert_int_eq(complete(table, 0x1000, ALONE, true), i);
	}
	ck_assert_uint_eq(slab.high, TRK_TABLE_CHUNK);
	ck_assert_uint_eq(slab.n_dropped, 0);
	ck_assert_uint_eq(slab.n_forgotten, N - n_of(0x1000, TRK_FREED));
}
END_TEST

/* Full: requests without a record are counted, recorded ones are right, and ended records are reused. */
START_TEST(test_full)
{
	for (int i = 0; i < CAPACITY; i++)
		ck_assert_ptr_nonnull(create(table, (uint64_t)i * 64 + 64, ALONE, 0, i));
	ck_assert_uint_eq(slab.high, CAPACITY);
	ck_assert_ptr_null(create(table, 64 * 1000, ALONE, 0, 1000));
	ck_assert_ptr_null(create(table, 0x41, 1, 0, 1000));
	ck_assert_uint_eq(slab.n_dropped, 2);
	for (int i = 0; i < CAPACITY; i++)
		ck_assert_int_eq(complete(table, (uint64_t)i * 64 + 64, ALONE, false), i);
	/* 7: not one after the other */
	for (int i = 0; i < CAPACITY; i++)
		ck_assert_ptr_nonnull(create(table, (uint64_t)(i * 7 % CAPACITY + 1000) * 64, ALONE, 0, i));
	for (int i = 0; i < CAPACITY; i++)
		ck_assert_int_eq(complete(table, (uint64_t)(i * 7 % CAPACITY + 1000) * 64, ALONE, false), i);
	ck_assert_uint_eq(slab.n_dropped, 2);
	ck_assert_uint_eq(slab.n_forgotten, 0);
}
END_TEST

/* With a debugger ended ones stay, until a quarter of the records is left. */
START_TEST(test_keeps)
{
	for (int i = 0; i < 100; i++) {
		create(table, 0x1000, ALONE, TRK_TABLE_KEEPS, i);
		complete(table, 0x1000, ALONE, false);
	}
	ck_assert_uint_eq(n_of(0x1000, TRK_FREED), 100);
	ck_assert_int_eq(trk_tables_forget(0x2000, false), 0);
	ck_assert_int_eq(trk_tables_forget(0x1000, false), 100);
	ck_assert_uint_eq(n_of(0x1000, TRK_FREED), 0);
	ck_assert_uint_eq(slab.n_forgotten, 0);
	for (int i = 0; i < 2 * CAPACITY; i++) {
		create(table, 0x1000, ALONE, TRK_TABLE_KEEPS, i);
		complete(table, 0x1000, ALONE, false);
	}
	ck_assert_uint_ge(n_of(0x1000, TRK_FREED), CAPACITY / 2);
	ck_assert_uint_gt(slab.n_forgotten, 0);
	ck_assert_uint_le(slab.high, CAPACITY - CAPACITY / 4 + TRK_TABLE_CHUNK);
	ck_assert_uint_eq(slab.n_dropped, 0);
}
END_TEST

/* Lists of the last request come back when its record is used again. */
START_TEST(test_lists)
{
	trk_tables_have_lists = true;
	struct trk_request *r = create(table, 0x1000, ALONE, 0, 1);
	r->where = (struct trk_span){ 0x10, 1, 1 };
	r->partitions = (struct trk_span){ 0x20, 2, 2 };
	complete(table, 0x1000, ALONE, false);
	ck_assert_uint_eq(r->where.n, 1);
	create(table, 0x1000, ALONE, 0, 2);
	ck_assert_uint_eq(table->dropped[0].addr, 0x10);
	ck_assert_uint_eq(table->dropped[1].addr, 0x20);
	ck_assert_uint_eq(r->where.total + r->partitions.total, 0);
}
END_TEST

/* A signal handler that interrupts it is rejected; a forked child is not. */
START_TEST(test_within)
{
	for (int locked = 0; locked < 2; locked++) {
		trk_tables_locked = locked;
		ck_assert(trk_table_enter(table));
		ck_assert(!trk_table_enter(table));
		trk_table_leave(table);
		ck_assert(trk_table_enter(table));
		trk_tables_after_fork();
		ck_assert(trk_table_enter(table));
		trk_table_leave(table);
	}
	ck_assert_ptr_null(trk_table_make(TRK_TABLES));
	ck_assert_ptr_eq(trk_table_make(0), table);
	ck_assert_uint_eq(trk_tables_capacity(0), 0);
	ck_assert_uint_eq(trk_tables_capacity(1), TRK_TABLE_CHUNK);
	ck_assert_uint_eq(trk_tables_capacity(UINT64_MAX), 1 << 20);
}
END_TEST

/* Any order, compared with a plain list; the chains grow in between. */
START_TEST(test_random)
{
	enum { VALUES = 3000, STEPS = 100000 };
	static int live[VALUES]; /* tag; 0: none */
	static int n_class;
	unsigned random = (unsigned)_i + 1;

	set_up_many(8192);
	memset(live, 0, sizeof live);
	n_class = 0;
	for (int step = 1; step < STEPS; step++) {
		random = random * 1664525u + 1013904223u;
		unsigned k = (random >> 8) % VALUES;
		uint64_t handle = 0x7f0000000000 + (uint64_t)k * 640;
		if (random >> 28 == 0) {
			create(table, 0x41, 0, 0, step);
			n_class++;
		} else if (random >> 28 == 1) {
			EXPECT((complete(table, 0x41, 0, false) > 0) == (n_class > 0));
			n_class -= n_class > 0;
		} else if (live[k]) {
			EXPECT(complete(table, handle, ALONE, random >> 28 == 2) == live[k]);
			live[k] = 0;
		} else {
			EXPECT(complete(table, handle, ALONE, false) == -1);
			create(table, handle, ALONE, 0, step);
			live[k] = step;
		}
	}
	ck_assert_uint_gt(table->mask, TRK_TABLE_CHAINS);
	unsigned n = 0, expected = (unsigned)n_class;
	for (uint32_t i = 0; i < slab.high; i++)
		n += records[i].state == TRK_LIVE;
	for (int k = 0; k < VALUES; k++)
		expected += live[k] != 0;
	ck_assert_uint_eq(n, expected);
	ck_assert_uint_eq(slab.n_dropped, 0);
}
END_TEST

/* Threads complete what the next one has created, while another thread reads all records. */
enum { THREADS = 4, TURNS = 4000 };
static struct trk_table *tables[THREADS];
static int handed[THREADS], taken[THREADS]; /* created by each; completed by the thread before it */
static int n_looked_at;

static void *give(void *number)
{
	int me = (int)(size_t)number;

	for (int done = 0, created = 0; done < TURNS || created < TURNS;) {
		if (created < TURNS && created - __atomic_load_n(&taken[me], __ATOMIC_ACQUIRE) < 50) {
			create(tables[me], 0x1000 + 64 * (uint64_t)(created % 50), ALONE, 0, created);
			create(tables[me], 0x41, 0, 0, created);
			created++;
			__atomic_fetch_add(&handed[me], 1, __ATOMIC_RELEASE);
		}
		int other = (me + 1) % THREADS;
		while (done < TURNS && __atomic_load_n(&handed[other], __ATOMIC_ACQUIRE) > done) {
			EXPECT(complete(tables[other], 0x1000 + 64 * (uint64_t)(done % 50), ALONE, false) == done);
			EXPECT(complete(tables[other], 0x41, 0, false) >= 0);
			done++;
			__atomic_store_n(&taken[other], done, __ATOMIC_RELEASE);
		}
		sched_yield();
	}
	return NULL;
}

static void look(struct trk_request *r, const void *data)
{
	(void)data;
	EXPECT(r->call == 7);
	n_looked_at++;
}

START_TEST(test_threads)
{
	pthread_t threads[THREADS];

	set_up_many(1 << 18);
	trk_tables_locked = true;
	memset(handed, 0, sizeof handed);
	memset(taken, 0, sizeof taken);
	for (unsigned i = 0; i < THREADS; i++)
		tables[i] = trk_table_make(i);
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, give, (void *)i), 0);
	for (int i = 0; i < 50; i++)
		trk_tables_each(4096, look, NULL);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	n_looked_at = 0;
	trk_tables_each(UINT32_MAX, look, NULL);
	ck_assert_int_eq(n_looked_at, 0);
	ck_assert_uint_eq(slab.n_dropped, 0);
	create(tables[1], 0x1000, ALONE, 0, 1);
	trk_tables_each(UINT32_MAX, look, NULL);
	ck_assert_int_eq(n_looked_at, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("check_request_table");
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_one);
	tcase_add_test(tc, test_twice);
	tcase_add_test(tc, test_takes_over);
	tcase_add_test(tc, test_class);
	tcase_add_test(tc, test_freed);
	tcase_add_test(tc, test_freed_and_full);
	tcase_add_test(tc, test_full);
	tcase_add_test(tc, test_keeps);
	tcase_add_test(tc, test_lists);
	tcase_add_test(tc, test_within);
	tcase_add_loop_test(tc, test_random, 0, 4);
	tcase_add_test(tc, test_threads);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
