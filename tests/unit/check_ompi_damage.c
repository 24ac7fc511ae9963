/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readers/openmpi on a recorded process (fuzz/record_mpich --openmpi), which is tests/programs/handles.c: its objects
 * are there, and words of tables, objects and the heap can be anything.
 */
#include "../../fuzz/fuzz.h"
#include "../../fuzz/recorded.h"
#include "../../readers/tracked/tracked.h"
#include "../support/damage.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "fuzz/recordings/openmpi";

enum { STRIDE = 97, PAGES = 5, TIMEOUT_S = 300 };

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
	uint8_t *data = damage_load(file, &n);

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

START_TEST(test_words)
{
	size_t n;
	uint8_t *data = damage_load(file, &n);

	ck_assert_uint_gt(damage_words(data, n, STRIDE * suite_stride(3), DAMAGE_SPREAD), 0);
	free(data);
}
END_TEST

START_TEST(test_pages)
{
	size_t n;
	uint8_t *data = damage_load(file, &n);

	damage_pages(data, n, PAGES);
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
