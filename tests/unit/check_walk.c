/* SPDX-License-Identifier: BSD-3-Clause */
/* access/walk.c: lists and pointer arrays of a target that may be damaged. */
#include "../../access/walk.h"
#include "../../access/limits.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>

enum { NEXT = 16, ITEM_BYTES = 32 };

/* n items of 32 bytes, linked in order; the last one's next is `end`. */
static uint64_t make_list(struct fake *f, uint64_t n, uint64_t end)
{
	uint64_t first = fake_alloc(f, (n ? n : 1) * ITEM_BYTES, 16);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t item = first + i * ITEM_BYTES;

		fake_write_ptr(f, item + NEXT, i + 1 < n ? item + ITEM_BYTES : end);
	}
	return first;
}

/* Walk to the end. The k-th item must be first + k * ITEM_BYTES, for k below n_check. */
static enum acc_rc walk_all(struct acc_space *sp, uint64_t first, uint64_t sentinel, uint64_t cap, uint64_t n_check,
			    uint64_t *n)
{
	struct acc_walk w;
	uint64_t item = 1;
	enum acc_rc rc;

	acc_walk_init(&w, sp, first, sentinel, NEXT, cap);
	*n = 0;
	while ((rc = acc_walk_next(&w, &item)) == ACC_OK) {
		if (*n < n_check)
			ck_assert_uint_eq(item, first + *n * ITEM_BYTES);
		++*n;
		ck_assert_uint_eq(w.n, *n);
	}

	/* The end stays the end, and the output is left alone. */
	uint64_t before = item;
	ck_assert_int_eq(acc_walk_next(&w, &item), rc);
	ck_assert_uint_eq(item, before);
	return rc;
}

START_TEST(test_whole_list)
{
	for (uint64_t n = 0; n <= 70; n += 1 + n / 3) {
		struct fake *f = demo_fake(_i);
		struct acc_space sp;
		uint64_t head = fake_alloc(f, ITEM_BYTES, 16), seen;

		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		/* NULL-terminated, and circular through a head. */
		ck_assert_int_eq(walk_all(&sp, n ? make_list(f, n, 0) : 0, 0, 0, n, &seen), ACC_NONE);
		ck_assert_uint_eq(seen, n);
		ck_assert_int_eq(walk_all(&sp, n ? make_list(f, n, head) : head, head, 0, n, &seen), ACC_NONE);
		ck_assert_uint_eq(seen, n);
		fake_destroy(f);
	}
}
END_TEST

enum { PREV = 24 };

/* A circular list whose pointers or number contradict each other: all items that can be reached, then ACC_ECORRUPT. */
START_TEST(test_compare)
{
	enum { N = 7, HEAD = N };
	static const struct {
		unsigned offset, at, to; /* what is changed */
		uint64_t length, n;
		enum acc_rc end;
	} rows[] = {
		{ NEXT, 0, 1, N, N, ACC_NONE },
		{ NEXT, 0, 1, UINT64_MAX, N, ACC_NONE },
		/* stopped while the list was changed */
		{ NEXT, 0, 1, N - 1, N, ACC_NONE },
		{ NEXT, 0, 1, N + 1, N, ACC_NONE },
		{ NEXT, 0, 1, N - 2, N, ACC_ECORRUPT },
		{ NEXT, 0, 1, N + 2, N, ACC_ECORRUPT },
		{ NEXT, 1, HEAD, N, 2, ACC_ECORRUPT },
		{ NEXT, 5, HEAD, UINT64_MAX, 6, ACC_ECORRUPT },
		{ NEXT, HEAD, HEAD, N, 0, ACC_ECORRUPT },
		{ NEXT, 1, 3, N, 6, ACC_ECORRUPT },
		{ PREV, 4, 2, N, N, ACC_ECORRUPT },
		{ PREV, HEAD, 2, N, N, ACC_ECORRUPT },
	};
	struct fake *f = demo_fake(_i);
	uint64_t first = fake_alloc(f, (N + 1) * ITEM_BYTES, 16), head = first + HEAD * ITEM_BYTES;
	struct acc_space sp;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		for (uint64_t i = 0; i <= N; i++) {
			fake_write_ptr(f, first + i * ITEM_BYTES + NEXT, first + (i + 1) % (N + 1) * ITEM_BYTES);
			fake_write_ptr(f, first + i * ITEM_BYTES + PREV, first + (i + N) % (N + 1) * ITEM_BYTES);
		}
		fake_write_ptr(f, first + rows[r].at * ITEM_BYTES + rows[r].offset, first + rows[r].to * ITEM_BYTES);
		struct acc_walk w;
		uint64_t start, item, n = 0;
		enum acc_rc rc;

		ck_assert_int_eq(acc_read_ptr(&sp, head + NEXT, &start), ACC_OK);
		acc_walk_init(&w, &sp, start, head, NEXT, 0);
		acc_walk_compare(&w, PREV, rows[r].length);
		while ((rc = acc_walk_next(&w, &item)) == ACC_OK)
			n++;
		ck_assert_msg(rc == rows[r].end && n == rows[r].n, "row %zu: %d, %d items", r, (int)rc, (int)n);
		ck_assert_int_eq(acc_walk_next(&w, &item), rc);
	}
	fake_destroy(f);
}
END_TEST

/* _i = 10 * tail + length of the loop - 1 */
START_TEST(test_cycle)
{
	uint64_t tail = _i / 10, length = _i % 10 + 1, n = tail + length, seen;
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	uint64_t first = make_list(f, n, 0);

	fake_write_ptr(f, first + (n - 1) * ITEM_BYTES + NEXT, first + tail * ITEM_BYTES);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(walk_all(&sp, first, 0, 0, n, &seen), ACC_ECORRUPT);
	ck_assert_uint_ge(seen, n);
	ck_assert_uint_le(seen, 4 * n + 4);
	/* A head that the cycle does not pass does not help. */
	ck_assert_int_eq(walk_all(&sp, first, fake_alloc(f, 64, 16), 0, n, &seen), ACC_ECORRUPT);
	fake_destroy(f);
}
END_TEST

START_TEST(test_cap)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	uint64_t first = make_list(f, 20, 0), n;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(walk_all(&sp, first, 0, 20, 20, &n), ACC_NONE);
	ck_assert_uint_eq(n, 20);
	ck_assert_int_eq(walk_all(&sp, first, 0, 19, 20, &n), ACC_ELIMIT);
	ck_assert_uint_eq(n, 19);
	ck_assert_int_eq(walk_all(&sp, first, 0, 1, 20, &n), ACC_ELIMIT);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(walk_all(&sp, first, 0, UINT64_MAX, 20, &n), ACC_NONE);
	fake_destroy(f);
}
END_TEST

START_TEST(test_damaged_pointer)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	uint64_t head = fake_alloc(f, ITEM_BYTES, 16), first = make_list(f, 5, head), third = first + 2 * ITEM_BYTES, n;
	uint64_t top = f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
	const struct {
		uint64_t value;
		enum acc_rc rc;
	} damages[] = {
		{ 0, ACC_ECORRUPT },         /* NULL in a circular list */
		{ first + 1, ACC_ECORRUPT }, /* misaligned */
		{ first + 2, ACC_ECORRUPT },
		{ top, ACC_ECORRUPT },
		{ top - 7, ACC_ECORRUPT }, /* its next pointer would wrap */
		{ top - NEXT - 7, ACC_EREAD },
		{ f->word_bytes, ACC_EREAD },
		{ first - (1 << 30), ACC_EREAD },
	};

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		fake_write_ptr(f, third + NEXT, damages[i].value);
		ck_assert_msg(walk_all(&sp, first, head, 0, 3, &n) == damages[i].rc, "damage %zu", i);
		ck_assert_uint_eq(n, 3);
	}
	fake_destroy(f);
}
END_TEST

START_TEST(test_unreadable_item)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	uint64_t first = make_list(f, 4, 0), n;

	/* The last item's next pointer is beyond the end of a mapping. */
	fake_write_ptr(f, first + 3 * ITEM_BYTES + NEXT, fake_alloc_last(f, NEXT));
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(walk_all(&sp, first, 0, 0, 4, &n), ACC_EREAD);
	ck_assert_uint_eq(n, 4);
	fake_destroy(f);
}
END_TEST

START_TEST(test_every_read_fails_once)
{
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		struct fake *f = demo_fake(_i);
		struct acc_space sp;
		uint64_t first = make_list(f, 9, 0), n;

		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		for (int64_t fuse = 0;; fuse++) {
			fake_fuse(&f->reads, fuse, for_ever);

			enum acc_rc rc = walk_all(&sp, first, 0, 0, 9, &n);
			if (!f->reads.n_failed) {
				ck_assert_int_eq(rc, ACC_NONE);
				ck_assert_int_eq(fuse, 9);
				break;
			}
			ck_assert_int_eq(rc, ACC_EREAD);
			ck_assert_uint_eq(n, (uint64_t)fuse);
		}
		fake_destroy(f);
	}
}
END_TEST

/* ---- slots ----------------------------------------------------------------------------------------- */

START_TEST(test_slots)
{
	const uint64_t counts[] = { 0, 1, ACC_SLOTS_BLOCK - 1, ACC_SLOTS_BLOCK, ACC_SLOTS_BLOCK + 1, 1000 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct fake *f = demo_fake(_i);
		struct acc_space sp;
		struct acc_slots s;
		uint64_t n = counts[i], addr = fake_alloc_last(f, (n ? n : 1) * f->word_bytes), value = 99;

		for (uint64_t k = 0; k < n; k++)
			fake_write_ptr(f, addr + k * f->word_bytes, k % 7 ? 0x80000000 + k : 0);
		ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
		ck_assert_int_eq(acc_slots_init(&s, &sp, addr, n), ACC_OK);
		for (uint64_t k = 0; k < n; k++) {
			ck_assert_int_eq(acc_slots_next(&s, &value), ACC_OK);
			ck_assert_uint_eq(value, k % 7 ? 0x80000000 + k : 0);
			ck_assert_uint_eq(s.i - 1, k);
		}
		value = 99;
		ck_assert_int_eq(acc_slots_next(&s, &value), ACC_NONE);
		ck_assert_int_eq(acc_slots_next(&s, &value), ACC_NONE);
		ck_assert_uint_eq(value, 99);
		ck_assert_uint_eq(f->n_reads, (n + ACC_SLOTS_BLOCK - 1) / ACC_SLOTS_BLOCK);
		fake_destroy(f);
	}
}
END_TEST

/* The array claims 100 slots but the mapping ends after 10: the ten are returned. */
START_TEST(test_slots_at_the_end_of_a_mapping)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct acc_slots s;
	uint64_t addr = fake_alloc_last(f, 10 * f->word_bytes), value;

	for (int k = 0; k < 10; k++)
		fake_write_ptr(f, addr + k * f->word_bytes, 4096 + k);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(acc_slots_init(&s, &sp, addr, 100), ACC_OK);
	for (int k = 0; k < 10; k++) {
		ck_assert_int_eq(acc_slots_next(&s, &value), ACC_OK);
		ck_assert_uint_eq(value, 4096 + k);
	}
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_EREAD);
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_EREAD);
	fake_destroy(f);
}
END_TEST

START_TEST(test_slots_limits)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct acc_slots s;
	uint64_t top = f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX, value;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(acc_slots_init(&s, &sp, 4096, ACC_SLOTS_MAX), ACC_OK);
	ck_assert_int_eq(acc_slots_init(&s, &sp, 4096, ACC_SLOTS_MAX + 1), ACC_ELIMIT);
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_ELIMIT);
	ck_assert_int_eq(acc_slots_init(&s, &sp, 4096, UINT64_MAX), ACC_ELIMIT);
	ck_assert_int_eq(acc_slots_init(&s, &sp, 0, 3), ACC_OK);
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_EREAD);

	/* An array that would go on at address 0. */
	fake_map(f, 0, 4096);
	fake_map(f, top - 4095, 4096);
	ck_assert_int_eq(acc_slots_init(&s, &sp, top - 2 * f->word_bytes + 1, 5), ACC_OK);
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_OK);
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_OK);
	ck_assert_int_eq(acc_slots_next(&s, &value), ACC_EREAD);
	fake_destroy(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *tc = tcase_create("walk");

	tcase_set_timeout(tc, 5); /* a hang is a failure */
	tcase_add_loop_test(tc, test_whole_list, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_compare, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_cycle, 0, 100);
	tcase_add_loop_test(tc, test_cap, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_damaged_pointer, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_unreadable_item, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_every_read_fails_once, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_slots, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_slots_at_the_end_of_a_mapping, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_slots_limits, 0, DEMO_N_TARGETS);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
