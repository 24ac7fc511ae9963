/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers/openmpi on a recorded process (fuzz/record_mpich --openmpi), which is tests/programs/handles.c: its objects are
 * there, and words of tables, objects and the heap can be anything.
 */
#include "../../fuzz/fuzz.h"
#include "../../fuzz/recorded.h"
#include "../../readers/tracked/tracked.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file[] = "fuzz/seeds/mpich/openmpi";

enum { STRIDE = 97, PAGES = 5, TIMEOUT_S = 300 };

static uint8_t *load(size_t *n)
{
	FILE *f = fopen(file, "rb");
	struct stat st;

	ck_assert_msg(f != NULL, "%s", file);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	*n = (size_t)st.st_size;
	uint8_t *data = malloc(*n);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(fread(data, 1, *n, f), *n);
	fclose(f);
	return data;
}

/* Objects of a kind that are live and not predefined. */
static unsigned count(struct rd_track *t, enum mdl_handle_kind kind)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	unsigned n = 0;

	if (rd_track_first(t, kind, RD_TRACK_LIVE, &it))
		return 0;
	while (rd_track_next(&it, &h) == ACC_OK)
		n += !h.predefined;
	ck_assert_uint_eq(it.n_bad, 0);
	return n;
}

/* As it was recorded. */
START_TEST(test_whole)
{
	static struct recorded r;
	static const struct acc_sizes sizes = { .short_bytes = 2,
						.int_bytes = 4,
						.long_bytes = 8,
						.long_long_bytes = 8,
						.pointer_bytes = 8,
						.bool_bytes = 1,
						.size_bytes = 8 };
	static const enum mdl_handle_kind kinds[] = {
		MDL_COMM, MDL_GROUP, MDL_DATATYPE, MDL_INFO, MDL_OP, MDL_REQUEST
	};
	struct rd_process *p = NULL;
	struct rd_objects objects;
	struct rd_track *t = NULL;
	struct acc_space sp;
	size_t n;
	uint8_t *data = load(&n);

	recorded_take(&r, data, n);
	ck_assert_int_eq(acc_space_init(&sp, &recorded_ops, &r, &sizes, false), ACC_OK);
	ck_assert_msg(rd_open(&sp, recorded_packs(), &p) == ACC_OK, "%s", sp.note.text);
	ck_assert_str_eq(rd_library(p)->version, "4.1.4");
	ck_assert_int_eq(rd_objects_open(p, &objects), ACC_OK);
	ck_assert_int_eq(rd_track_open_objects(&sp, rd_library(p), RD_TRACK_OPENMPI, &objects, &t), ACC_OK);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		ck_assert_msg(count(t, kinds[i]) > 0, "no object of kind %d", (int)kinds[i]);
	count(t, MDL_KEYVAL);
	ck_assert_uint_ge(rd_track_count(t, MDL_KEYVAL).n_slots, 12); /* predefined ones */
	rd_track_close(t);
	rd_close(p);
	acc_space_deinit(&sp);
	ck_assert_uint_eq(r.n_live, 0);
	free(data);
}
END_TEST

/*
 * Every STRIDE-th word of what is not zero (unless make check-all wants all of these, every third one), in turn: nothing, all
 * ones, odd, its neighbour, itself, nowhere.
 */
START_TEST(test_words)
{
	static struct recorded r;
	static const uint64_t bad[] = { 0, UINT64_MAX, 1, 0x7fffffff, 0x100000000, 0x10000 };
	size_t n, turn = 0, stride = STRIDE * suite_stride(3);
	uint8_t *data = load(&n);

	recorded_take(&r, data, n);
	ck_assert_uint_gt(r.n_pages, 20);
	for (unsigned p = 0; p < r.n_pages; p++) {
		size_t bytes = 0;

		for (unsigned i = 0; i < RECORDED_PAGE / RECORDED_LINE; i++)
			bytes += (r.pages[p].bits >> i & 1) * RECORDED_LINE;
		for (size_t at = turn * 31 % stride * 8; at + 8 <= bytes; at += stride * 8, turn++) {
			uint8_t *word = data + (r.pages[p].lines - data) + at;
			uint64_t before, now;

			memcpy(&before, word, 8);
			now = turn % 8 < 6 ? bad[turn % 8] : turn % 8 == 6 ? before + 1 : r.pages[p].addr + at;
			memcpy(word, &now, 8);
			ck_assert_int_eq(fuzz_mpich(data, n), 0);
			memcpy(word, &before, 8);
		}
		turn++;
	}
	free(data);
}
END_TEST

/* A page at a time cannot be read. */
START_TEST(test_pages)
{
	static struct recorded r;
	size_t n;
	uint8_t *data = load(&n);

	recorded_take(&r, data, n);
	for (unsigned p = 0; p < r.n_pages; p += PAGES) {
		uint8_t *addr = data + (r.pages[p].lines - data) - 16;
		uint8_t before[8];

		memcpy(before, addr, sizeof before);
		memset(addr, 0x11, sizeof before);
		ck_assert_int_eq(fuzz_mpich(data, n), 0);
		memcpy(addr, before, sizeof before);
	}
	free(data);
}
END_TEST

int main(void)
{
	if (access(file, R_OK) != 0) {
		puts("fuzz/seeds: not here (run from the top folder of the source)");
		return 77;
	}
	Suite *s = suite_create("ompi_damage");
	TCase *tc = tcase_create("damage");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_test(tc, test_whole);
	tcase_add_test(tc, test_words);
	tcase_add_test(tc, test_pages);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
