/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of communicators that uses the registry: facts stored in two places are compared. */
#include "../../readers/tracked/reader.h"
#include "../support/fake_track.h"
#include "../support/suite.h"

#include "../../readers/reader.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { N_COMMS = 5 };

static struct fake_track *target(void)
{
	struct fake_track *m = fake_track_create(8, false, "MPICH");

	for (int i = 0; i < N_COMMS; i++) {
		uint64_t comm = fake_track_add(m, TRK_COMM, 0x44000000 + (uint64_t)i);
		fake_put_i(m->f, comm, F_trk_comm_size, 4);
		fake_put_i(m->f, comm, F_trk_comm_rank, 1);
		fake_put_i(m->f, comm, F_trk_comm_remote_size, -1);
	}
	return m;
}

static uint64_t count_of(const struct fake_track *m)
{
	return fake_get_u(m->f, m->slabs, F_trk_slab_n_live);
}

/* Walk all. @return how the walk ended; *n communicators were listed before */
static enum acc_rc walk(struct fake_track *m, unsigned *n, char *words, size_t size)
{
	struct acc_space sp;
	struct rd_process *p;
	struct rd_comm_iter it;
	struct mdl_comm comm;

	*n = 0;
	ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
	ck_assert_int_eq(rd_open(&sp, NULL, &p), ACC_OK);
	enum acc_rc rc = rd_comm_first(p, false, &it);
	while (!rc && !(rc = rd_comm_next(&it, &comm)))
		++*n;
	snprintf(words, size, "%s", sp.note.text);
	/* the iteration has ended: a further call returns the same */
	ck_assert_int_ne(rd_comm_next(&it, &comm), ACC_OK);
	rd_close(p);
	acc_space_deinit(&sp);
	return rc;
}

/* One more or less is between two instructions of the program; more is damage. */
static const struct {
	int off;
	enum acc_rc rc;
} counts[] = { { 0, ACC_NONE }, { 1, ACC_NONE }, { -1, ACC_NONE }, { 2, ACC_ECORRUPT }, { -2, ACC_ECORRUPT } };

START_TEST(test_count_of_the_head)
{
	struct fake_track *m = target();
	char words[ACC_NOTE_BYTES];
	unsigned n;

	ck_assert_uint_eq(count_of(m), N_COMMS);
	fake_put_u(m->f, m->slabs, F_trk_slab_n_live, (uint64_t)N_COMMS + (uint64_t)counts[_i].off);
	ck_assert_int_eq(walk(m, &n, words, sizeof(words)), counts[_i].rc);
	ck_assert_uint_eq(n, N_COMMS);
	ck_assert_int_eq(strstr(words, "its memory is damaged") != NULL, counts[_i].rc == ACC_ECORRUPT);
	fake_track_destroy(m);
}
END_TEST

/* The head has fewer records than exist: the missing ones are reported. */
START_TEST(test_records_left_out)
{
	struct fake_track *m = target();
	char words[ACC_NOTE_BYTES];
	unsigned n;

	fake_put_u(m->f, m->slabs, F_trk_slab_high, 1);
	ck_assert_int_eq(walk(m, &n, words, sizeof(words)), ACC_ECORRUPT);
	ck_assert_uint_eq(n, 1);
	ck_assert_ptr_nonnull(strstr(words, "1 live records, and the registry counts 5"));
	fake_track_destroy(m);
}
END_TEST

/* One more record than the capacity. */
START_TEST(test_too_high)
{
	struct fake_track *m = target();
	uint64_t capacity = fake_get_u(m->f, m->slabs, F_trk_slab_capacity);
	struct acc_space sp;
	struct rd_process *p = NULL;

	for (uint64_t over = 0; over < 2; over++) {
		fake_put_u(m->f, m->slabs, F_trk_slab_high, capacity + over);
		ck_assert_int_eq(fake_space(m->f, &sp), ACC_OK);
		ck_assert_int_eq(rd_open(&sp, NULL, &p) == ACC_OK, over == 0);
		ck_assert(over == 0 || strstr(sp.note.text, "trk_slab.high"));
		rd_close(p);
		p = NULL;
		acc_space_deinit(&sp);
	}
	fake_track_destroy(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("track reader");
	TCase *tc = tcase_create("counts");

	tcase_add_loop_test(tc, test_count_of_the_head, 0, sizeof(counts) / sizeof(counts[0]));
	tcase_add_test(tc, test_records_left_out);
	tcase_add_test(tc, test_too_high);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
