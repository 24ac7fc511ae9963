/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/jobs/{refs,texts,plain_text}.c: many addresses, few reads; and which bytes are text. */
#include "../../access/limits.h"
#include "../../readers/jobs/plain_text.h"
#include "../../readers/jobs/texts.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- refs ------------------------------------------------------------------------------------------- */

struct visits {
	const struct fake *f;
	uint64_t last_addr;
	size_t n, n_unread;
	bool seen[5000];
};

static enum acc_rc visit(void *ctx, const struct rd_ref *ref, const unsigned char *bytes, size_t n)
{
	struct visits *v = ctx;
	unsigned char there;

	ck_assert_uint_ge(ref->addr, v->last_addr);
	ck_assert(!v->seen[ref->slot]);
	v->seen[ref->slot] = true;
	v->last_addr = ref->addr;
	v->n++;
	v->n_unread += n == 0;
	if (n) {
		fake_peek(v->f, ref->addr, &there, 1);
		ck_assert_uint_eq(bytes[0], there);
		ck_assert(fake_mapped(v->f, ref->addr, n));
	}
	return ACC_OK;
}

/* In any order, with repetitions and islands, some of which cannot be read: each is visited once, in order. */
START_TEST(test_refs)
{
	enum { N = 3000 };
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_refs r;
	struct visits v = { .f = f };
	uint64_t seed = 12345, n_unmapped = 0;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_refs_init(&r, &sp, N), ACC_OK);
	for (unsigned k = 0; k < 4; k++)
		fake_map(f, 0x10000000 + k * 0x1000000, 0x8000);
	for (unsigned k = 0; k < 4; k++)
		for (unsigned i = 0; i < 0x8000; i++)
			fake_write_u(f, 0x10000000 + k * 0x1000000 + i, 1, (k * 31 + i) & 0xff);
	for (uint32_t i = 0; i < N; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;

		uint64_t addr = 0x10000000 + (seed >> 40) % 5 * 0x1000000 + (seed >> 20) % 0x8000;
		n_unmapped += addr >= 0x14000000;
		rd_refs_add(&r, addr, i);
	}
	rd_refs_add(&r, 0x10000000, 1); /* one more than was said: not taken */
	ck_assert_uint_eq(r.n, N);
	ck_assert_int_eq(rd_refs_visit(&r, visit, &v), ACC_OK);
	ck_assert_uint_eq(v.n, N);
	ck_assert_uint_eq(v.n_unread, n_unmapped);
	ck_assert_uint_gt(n_unmapped, 0);
	ck_assert_uint_le(sp.stats.n_reads - sp.stats.n_failed, 64);
	rd_refs_deinit(&r);
	rd_refs_deinit(&r);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* The ends of the address space. */
START_TEST(test_refs_ends)
{
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_refs r;
	struct visits v = { .f = f };
	uint64_t last = f->word_bytes == 8 ? UINT64_MAX : UINT32_MAX;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_refs_init(&r, &sp, 8), ACC_OK);
	rd_refs_add(&r, last, 0);
	rd_refs_add(&r, last - 1, 1);
	rd_refs_add(&r, last - 5000, 2);
	rd_refs_add(&r, 1, 3);
	rd_refs_add(&r, UINT64_MAX, 4);
	rd_refs_add(&r, UINT64_C(0x100000000), 5);
	ck_assert_int_eq(rd_refs_visit(&r, visit, &v), ACC_OK);
	ck_assert_uint_eq(v.n, 6);
	ck_assert_uint_eq(v.n_unread, 6);
	rd_refs_deinit(&r);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* Nothing can be read: that costs a bounded number of reads, and each is still visited. */
START_TEST(test_refs_unreadable)
{
	enum { N = 1 << 17 };
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_texts t;

	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_texts_init(&t, &sp, N), ACC_OK);
	for (uint32_t i = 0; i < N; i++)
		rd_texts_want(&t, i, 0x10000 + (uint64_t)i * 0x3000);
	ck_assert_int_eq(rd_texts_read(&t), ACC_OK);
	for (uint32_t i = 0; i < N; i++)
		ck_assert_str_eq(rd_texts_at(&t, i), "");
	ck_assert(rd_refs_spent(&t.refs));
	/* Of each that was read by itself, its bytes are tried as well. */
	ck_assert_uint_le(sp.stats.n_failed, N + 4 * ACC_FAILED_READS_MAX);
	rd_texts_deinit(&t);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

/* ---- texts ------------------------------------------------------------------------------------------ */

/* At the end of a mapping, across pages, across spans; the lots do not mix. */
START_TEST(test_texts)
{
	enum { N = 2001 }; /* odd: the mapping ends within a page */
	struct fake *f = demo_fake(_i);
	struct acc_space sp;
	struct rd_texts t;
	uint64_t base = 0x20000000;
	char text[64];

	fake_map(f, base, N * 2048 + 10);
	ck_assert_int_eq(fake_space(f, &sp), ACC_OK);
	ck_assert_int_eq(rd_texts_init(&t, &sp, N), ACC_OK);
	for (int lot = 0; lot < 2; lot++) {
		rd_texts_begin(&t);
		for (uint32_t i = 0; i < N; i++) {
			uint64_t addr = base + (uint64_t)(i + 1) * 2048 - 9;

			snprintf(text, sizeof(text), "text%d-%06u", lot, i);
			fake_write(f, addr, text, strlen(text) + 1);
			if (i % 2 == 0 || lot == 0)
				rd_texts_want(&t, N - 1 - i, addr);
		}
		ck_assert_int_eq(rd_texts_read(&t), ACC_OK);
		for (uint32_t i = 0; i < N; i++) {
			snprintf(text, sizeof(text), "text%d-%06u", lot, i);
			ck_assert_str_eq(rd_texts_at(&t, N - 1 - i), i % 2 == 0 || lot == 0 ? text : "");
		}
		rd_texts_copy(&t, 3, 1);
		ck_assert_str_eq(rd_texts_at(&t, 3), rd_texts_at(&t, 1));
	}
	/* The page that the mapping ends in, found by halves. */
	ck_assert_uint_le(sp.stats.n_failed, 2 * 16);
	ck_assert_uint_le(sp.stats.n_reads, 100);
	rd_texts_deinit(&t);
	acc_space_deinit(&sp);
	fake_destroy(f);
}
END_TEST

START_TEST(test_plain_text)
{
	static const struct {
		const char *text;
		bool plain, with_lines;
	} rows[] = {
		{ "", true, true },
		{ "node0", true, true },
		{ "/a/path with spaces/~and/(signs)#!", true, true },
		{ "12345678\x7f", false, false },
		{ "1234567\x7f", false, false },
		{ "1234\x1f"
		  "678",
		  false, false },
		{ "\x01", false, false },
		{ "line\nline\tend\r", false, true },
		{ "esc\x1b[0m", false, false },
		{ "/opt/j\xc3\xbcrgen/\xe2\x82\xac/\xf0\x9f\x90\x9b", true, true },
		{ "\xc3", false, false },
		{ "abcdefg\xc3", false, false },
		{ "\xc3\x28", false, false },
		{ "\x80", false, false },
		{ "\xff\xfe", false, false },
		{ "\xc0\x80", false, false },
		{ "\xe2\x82", false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(rd_plain_text(rows[i].text, strlen(rows[i].text), false) == rows[i].plain, "row %zu", i);
		ck_assert_msg(rd_plain_text(rows[i].text, strlen(rows[i].text), true) == rows[i].with_lines, "row %zu",
			      i);
	}
	/* Every byte, at every place of a word. */
	for (unsigned byte = 1; byte < 0x80; byte++) {
		for (size_t at = 0; at < 16; at++) {
			char text[17] = "abcdefghijklmnop";

			text[at] = (char)byte;
			ck_assert_int_eq(rd_plain_text(text, 16, false), byte >= 0x20 && byte < 0x7f);
		}
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("mpi2dd_texts");
	TCase *tc = tcase_create("mpi2dd_texts");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_refs, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_refs_ends, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_refs_unreadable, 0, 2);
	tcase_add_loop_test(tc, test_texts, 0, DEMO_N_TARGETS);
	tcase_add_test(tc, test_plain_text);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
