/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/tracked/typemap.c: every constructor, maps too long to be made, arguments that make no sense. */
#include "../../readers/tracked/tracked.h"
#include "../support/fake_track.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { N_TARGETS = 4, MAX = 64 };

struct bed {
	struct fake_track *m;
	uint64_t ints, chars; /* numbers of the basic types: 4 bytes and 1 byte */
	bool mpich;
};

static struct bed bed(int i)
{
	struct bed b = { .mpich = i & 1 };

	b.m = fake_track_create(i & 1 ? 4 : 8, i & 2, b.mpich ? "MPICH" : "Open MPI");
	uint64_t d = fake_track_datatype(b.m, 0x10, b.mpich, 4, 4, NULL, 0, NULL, 0, NULL, 0);
	b.ints = fake_track_id(b.m, TRK_DATATYPE, d);
	d = fake_track_datatype(b.m, 0x11, b.mpich, 1, 1, NULL, 0, NULL, 0, NULL, 0);
	b.chars = fake_track_id(b.m, TRK_DATATYPE, d);
	return b;
}

/* Open MPI counts combiners from 0, MPICH from 1, in the same order. */
static uint64_t add(struct bed *b, uint64_t handle, enum mdl_combiner c, int64_t extent, const int64_t *ints,
		    uint32_t n_ints, const int64_t *addrs, uint32_t n_addrs, const uint64_t *types, uint32_t n_types)
{
	uint64_t d = fake_track_datatype(b->m, handle, (int)c + b->mpich, 0, extent, ints, n_ints, addrs, n_addrs,
					 types, n_types);

	return fake_track_id(b->m, TRK_DATATYPE, d);
}

static enum acc_rc map_of(struct bed *b, uint64_t handle, uint64_t cap, struct rd_track_typemap *ret, int64_t at[MAX])
{
	struct acc_space sp;
	struct rd_track *t = NULL;
	struct mdl_handle h;

	ck_assert_int_eq(fake_space(b->m->f, &sp), ACC_OK);
	ck_assert_msg(rd_track_open(&sp, &t) == ACC_OK, "%s", sp.note.text);
	ck_assert_int_eq(rd_track_find(t, MDL_DATATYPE, handle, &h), ACC_OK);
	memset(ret, 0, sizeof(*ret));
	enum acc_rc rc = rd_track_typemap(t, &h, cap, ret);
	if (!rc) {
		uint64_t total = ret->total, n = ret->n;

		for (uint64_t i = 0; i < n && i < MAX; i++)
			at[i] = ret->entries[i].displacement;
		rd_track_typemap_free(t, ret);
		ret->total = total;
		ret->n = n;
	} else if (rc != ACC_NONE) {
		ck_assert_msg(sp.note.text[0], "a failure without words");
	}
	rd_track_close(t);
	acc_space_deinit(&sp);
	return rc;
}

static void expect(struct bed *b, uint64_t handle, const int64_t *at, uint64_t n)
{
	struct rd_track_typemap map;
	int64_t seen[MAX] = { 0 };

	ck_assert_int_eq(map_of(b, handle, MAX, &map, seen), ACC_OK);
	ck_assert_uint_eq(map.total, n);
	ck_assert_uint_eq(map.n, n);
	for (uint64_t i = 0; i < n; i++)
		ck_assert_msg(seen[i] == at[i], "0x%x: element %d at %d, expected %d", (int)handle, (int)i,
			      (int)seen[i], (int)at[i]);
}

#define ARRAY(...) (const int64_t[]){ __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)

START_TEST(test_constructors)
{
	struct bed b = bed(_i);
	uint64_t both[] = { b.ints, b.chars };

	expect(&b, 0x10, ARRAY(0));
	add(&b, 0x20, MDL_CONTIGUOUS, 12, ARRAY(3), NULL, 0, &b.ints, 1);
	expect(&b, 0x20, ARRAY(0, 4, 8));
	add(&b, 0x21, MDL_VECTOR, 0, ARRAY(2, 2, 3), NULL, 0, &b.ints, 1);
	expect(&b, 0x21, ARRAY(0, 4, 12, 16));
	add(&b, 0x22, MDL_HVECTOR, 0, ARRAY(2, 1), ARRAY(-9), &b.ints, 1);
	expect(&b, 0x22, ARRAY(0, -9));
	add(&b, 0x23, MDL_INDEXED, 0, ARRAY(3, 1, 0, 2, 5, 9, 1), NULL, 0, &b.ints, 1);
	expect(&b, 0x23, ARRAY(20, 4, 8));
	add(&b, 0x24, MDL_HINDEXED, 0, ARRAY(2, 1, 2), ARRAY(7, 100), &b.ints, 1);
	expect(&b, 0x24, ARRAY(7, 100, 104));
	add(&b, 0x25, MDL_INDEXED_BLOCK, 0, ARRAY(2, 2, 4, 0), NULL, 0, &b.ints, 1);
	expect(&b, 0x25, ARRAY(16, 20, 0, 4));
	add(&b, 0x26, MDL_HINDEXED_BLOCK, 0, ARRAY(2, 1), ARRAY(3, 1), &b.ints, 1);
	expect(&b, 0x26, ARRAY(3, 1));
	add(&b, 0x27, MDL_STRUCT, 8, ARRAY(2, 1, 1), ARRAY(0, 4), both, 2);
	expect(&b, 0x27, ARRAY(0, 4));
	uint64_t resized = add(&b, 0x28, MDL_RESIZED, 16, NULL, 0, ARRAY(0, 16), &b.ints, 1);
	add(&b, 0x29, MDL_CONTIGUOUS, 32, ARRAY(2), NULL, 0, &resized, 1);
	expect(&b, 0x29, ARRAY(0, 16));
	add(&b, 0x2a, MDL_DUP, 4, NULL, 0, NULL, 0, &b.ints, 1);
	expect(&b, 0x2a, ARRAY(0));
	add(&b, 0x2b, MDL_CONTIGUOUS, 0, ARRAY(0), NULL, 0, &b.ints, 1);
	expect(&b, 0x2b, NULL, 0);
	fake_track_destroy(b.m);
}
END_TEST

static uint64_t add_predefined(struct bed *b, uint64_t handle, const char *name, int64_t size, int64_t extent)
{
	uint64_t d = fake_track_datatype(b->m, handle, b->mpich, size, extent, NULL, 0, NULL, 0, NULL, 0);

	fake_put_chars(b->m->f, d, F_trk_datatype_name, name);
	fake_put_u(b->m->f, d, F_trk_datatype_predefined, 1);
	return d;
}

/* The predefined pairs are structures of C; those of Fortran two of a kind. */
START_TEST(test_pairs)
{
	struct bed b = bed(_i);
	struct rd_track_typemap map;
	int64_t at[MAX];
	int long_double = b.m->f->word_bytes == 4 ? 12 : 16;

	uint64_t d = add_predefined(&b, 0x80, "MPI_SHORT_INT", 6, 8);
	uint64_t pair = fake_track_id(b.m, TRK_DATATYPE, d);
	ck_assert_int_eq(map_of(&b, 0x80, 9, &map, at), ACC_NONE); /* the record of MPI_SHORT is missing */
	uint64_t parts = add_predefined(&b, 0x81, "MPI_SHORT", 2, 2);
	ck_assert_int_eq(map_of(&b, 0x80, 9, &map, at), ACC_NONE);
	add_predefined(&b, 0x82, "MPI_INT", 4, 4);
	expect(&b, 0x80, ARRAY(0, 4));
	add(&b, 0x83, MDL_CONTIGUOUS, 24, ARRAY(3), NULL, 0, &pair, 1);
	expect(&b, 0x83, ARRAY(0, 4, 8, 12, 16, 20));
	add_predefined(&b, 0x84, "MPI_DOUBLE", 8, 8);
	add_predefined(&b, 0x85, "MPI_DOUBLE_INT", 12, 16);
	expect(&b, 0x85, ARRAY(0, 8));
	add_predefined(&b, 0x86, "MPI_LONG_DOUBLE", long_double, long_double);
	add_predefined(&b, 0x87, "MPI_LONG_DOUBLE_INT", long_double + 4, 2 * long_double);
	expect(&b, 0x87, ARRAY(0, long_double));
	add_predefined(&b, 0x88, "MPI_2INT", 8, 8);
	expect(&b, 0x88, ARRAY(0, 4));
	add_predefined(&b, 0x89, "MPI_REAL", 4, 4);
	add_predefined(&b, 0x8a, "MPI_2REAL", 8, 8);
	expect(&b, 0x8a, ARRAY(0, 4));
	add_predefined(&b, 0x8c, "MPI_INTEGER", 0, 0); /* a library without Fortran */
	add_predefined(&b, 0x8d, "MPI_2INTEGER", 0, 0);
	expect(&b, 0x8d, ARRAY(0));
	add_predefined(&b, 0x8e, "MPI_DOUBLE_PRECISION", 0, 0);
	add_predefined(&b, 0x8f, "MPI_2DOUBLE_PRECISION", 16, 16);
	expect(&b, 0x8f, ARRAY(0, 8));
	/* a name set by the program does not make a type a predefined pair */
	d = add_predefined(&b, 0x8b, "MPI_FLOAT_INT", 6, 8);
	fake_put_u(b.m->f, d, F_trk_datatype_predefined, 0);
	expect(&b, 0x8b, ARRAY(0));
	fake_put_u(b.m->f, parts, F_trk_datatype_size, 0);
	ck_assert_int_eq(map_of(&b, 0x83, 9, &map, at), ACC_ECORRUPT);
	fake_put_i(b.m->f, parts, F_trk_datatype_size, -1); /* before MPI_Init */
	ck_assert_int_eq(map_of(&b, 0x83, 9, &map, at), ACC_NONE);
	fake_track_destroy(b.m);
}
END_TEST

START_TEST(test_arrays)
{
	struct bed b = bed(_i);
	int64_t c = b.mpich ? 56 : 0, fortran = c + 1, block = b.mpich ? 121 : 0, dflt = b.mpich ? -49767 : -1;

	/* rows 1 and 2, columns 1 and 2 of 4 x 3 */
	add(&b, 0x30, MDL_SUBARRAY, 48, ARRAY(2, 4, 3, 2, 2, 1, 1, c), NULL, 0, &b.ints, 1);
	expect(&b, 0x30, ARRAY(16, 20, 28, 32));
	add(&b, 0x31, MDL_SUBARRAY, 48, ARRAY(2, 4, 3, 2, 2, 1, 1, fortran), NULL, 0, &b.ints, 1);
	expect(&b, 0x31, ARRAY(20, 24, 36, 40));
	/* 5 rows in blocks over 2 processes, 4 columns one by one over 2; process 1 of 4 is (0, 1) */
	add(&b, 0x32, MDL_DARRAY, 80, ARRAY(4, 1, 2, 5, 4, block, block + 1, dflt, dflt, 2, 2, c), NULL, 0, &b.ints, 1);
	expect(&b, 0x32, ARRAY(4, 12, 20, 28, 36, 44));
	/* process 2 is (1, 0): the two rows that are left */
	add(&b, 0x33, MDL_DARRAY, 80, ARRAY(4, 2, 2, 5, 4, block, block + 1, dflt, dflt, 2, 2, c), NULL, 0, &b.ints, 1);
	expect(&b, 0x33, ARRAY(48, 56, 64, 72));
	/* cyclic in blocks of 2, not distributed, first dimension fastest */
	add(&b, 0x34, MDL_DARRAY, 40, ARRAY(2, 1, 2, 5, 2, block + 1, block + 2, 2, dflt, 2, 1, fortran), NULL, 0,
	    &b.ints, 1);
	expect(&b, 0x34, ARRAY(8, 12, 28, 32));
	fake_track_destroy(b.m);
}
END_TEST

START_TEST(test_long)
{
	struct bed b = bed(_i);
	struct rd_track_typemap map;
	int64_t at[MAX];
	uint64_t type = b.ints;

	/* a million ints: as many as are wanted, and the number of all */
	add(&b, 0x40, MDL_CONTIGUOUS, 4000000, ARRAY(1000000), NULL, 0, &b.ints, 1);
	ck_assert_int_eq(map_of(&b, 0x40, 10, &map, at), ACC_OK);
	ck_assert_uint_eq(map.total, 1000000);
	ck_assert_uint_eq(map.n, 10);
	ck_assert_int_eq(at[9], 36);
	ck_assert_int_eq(map_of(&b, 0x40, 0, &map, at), ACC_OK);
	ck_assert_uint_eq(map.n, 0);
	ck_assert_int_eq(map_of(&b, 0x40, 1000000, &map, at), ACC_OK);
	ck_assert_uint_eq(map.n, 1000000);
	/* 2^16 of 2^16 of ... more than can be counted; and nothing of as many */
	for (int i = 0; i < 6; i++)
		type = add(&b, 0x50 + i, MDL_CONTIGUOUS, 0, ARRAY(65536), NULL, 0, &type, 1);
	ck_assert_int_eq(map_of(&b, 0x55, 3, &map, at), ACC_OK);
	ck_assert_uint_eq(map.total, UINT64_MAX);
	ck_assert_uint_eq(map.n, 3);
	type = add(&b, 0x60, MDL_CONTIGUOUS, 0, ARRAY(0), NULL, 0, &b.ints, 1);
	for (int i = 1; i < 4; i++)
		type = add(&b, 0x60 + i, MDL_CONTIGUOUS, 0, ARRAY(0x7fffffff), NULL, 0, &type, 1);
	ck_assert_int_eq(map_of(&b, 0x63, 3, &map, at), ACC_OK);
	ck_assert_uint_eq(map.total, 0);
	fake_track_destroy(b.m);
}
END_TEST

START_TEST(test_senseless)
{
	struct bed b = bed(_i);
	struct rd_track_typemap map;
	int64_t at[MAX];
	uint64_t next = b.m->next_id + 1, unknown = 4711, two[] = { b.ints, b.ints };

	add(&b, 0x70, MDL_CONTIGUOUS, 4, ARRAY(1), NULL, 0, &next, 1); /* of itself */
	ck_assert_int_eq(map_of(&b, 0x70, 9, &map, at), ACC_ECORRUPT);
	add(&b, 0x71, MDL_CONTIGUOUS, 4, ARRAY(1), NULL, 0, &unknown, 1);
	ck_assert_int_eq(map_of(&b, 0x71, 9, &map, at), ACC_NONE);
	add(&b, 0x72, MDL_CONTIGUOUS, 4, ARRAY(-1), NULL, 0, &b.ints, 1);
	ck_assert_int_eq(map_of(&b, 0x72, 9, &map, at), ACC_ECORRUPT);
	add(&b, 0x73, MDL_STRUCT, 4, ARRAY(3, 1, 1), ARRAY(0, 4), two, 2);
	ck_assert_int_eq(map_of(&b, 0x73, 9, &map, at), ACC_ECORRUPT);
	add(&b, 0x74, MDL_VECTOR, 4, ARRAY(2, -1, 1), NULL, 0, &b.ints, 1);
	ck_assert_int_eq(map_of(&b, 0x74, 9, &map, at), ACC_ECORRUPT);
	add(&b, 0x75, MDL_SUBARRAY, 4, ARRAY(1, 4, 5, 0, b.mpich ? 56 : 0), NULL, 0, &b.ints, 1);
	ck_assert_int_eq(map_of(&b, 0x75, 9, &map, at), ACC_ECORRUPT);
	add(&b, 0x76, (enum mdl_combiner)30, 4, NULL, 0, NULL, 0, NULL, 0);
	ck_assert_int_eq(map_of(&b, 0x76, 9, &map, at), ACC_NONE);
	add(&b, 0x77, MDL_INDEXED, 4, ARRAY(0x7fffffff, 1, 1), NULL, 0, &b.ints, 1);
	ck_assert_int_eq(map_of(&b, 0x77, 9, &map, at), ACC_ECORRUPT);
	fake_track_destroy(b.m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("track typemap");
	TCase *tcase = tcase_create("typemap");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_constructors, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_pairs, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_arrays, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_long, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_senseless, 0, N_TARGETS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
