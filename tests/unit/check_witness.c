/* SPDX-License-Identifier: BSD-3-Clause */
/* access/witness.c: does the target confirm a pack? */
#include "../../access/witness.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

struct scene {
	struct fake *f;
	struct acc_space sp;
	struct acc_witness_result result;
};

/* A process with a number and a text, and a pack that knows them. */
static void make(struct scene *s, int i)
{
	s->f = demo_fake_laid_out(i);

	uint64_t number = fake_alloc(s->f, 64, 8);
	fake_write_u(s->f, number + 12, 4, 0xfffffffe);
	fake_write_u(s->f, number + 16, 2, 0x8001);
	fake_symbol(s->f, "number", number);
	fake_symbol(s->f, "text", fake_string(s->f, "4.1.4 and more"));
	fake_witness_u(s->f, "number", 12, 4, 0xfffffffe);
	fake_witness_u(s->f, "number", 16, 2, 0x8001);
	fake_witness_string(s->f, "text", "4.1.4 and more");
	ck_assert_int_eq(fake_space(s->f, &s->sp), ACC_OK);
}

static enum acc_rc check(struct scene *s)
{
	memset(&s->result, 0xff, sizeof(s->result));
	return acc_witness_check(&s->sp, fake_pack(s->f, "demo", "1"), &s->result);
}

static void check_counts(const struct scene *s, unsigned agree, unsigned absent, unsigned disagree, const char *first)
{
	ck_assert_uint_eq(s->result.n_agree, agree);
	ck_assert_uint_eq(s->result.n_absent, absent);
	ck_assert_uint_eq(s->result.n_disagree, disagree);
	ck_assert_str_eq(s->result.first, first);
	ck_assert_int_eq(s->sp.note.rc, ACC_OK);
}

START_TEST(test_all_agree)
{
	struct scene s;

	make(&s, _i);
	ck_assert_int_eq(check(&s), ACC_OK);
	check_counts(&s, 3, 0, 0, "");
	fake_destroy(s.f);
}
END_TEST

START_TEST(test_absent)
{
	struct scene s;

	make(&s, _i);
	fake_symbol_remove(s.f, "number");
	ck_assert_int_eq(check(&s), ACC_OK);
	check_counts(&s, 1, 2, 0, "");
	fake_symbol_remove(s.f, "text");
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	check_counts(&s, 0, 3, 0, "none of the pack's 3 witnesses is in the process");
	fake_destroy(s.f);
}
END_TEST

START_TEST(test_no_witness_at_all)
{
	struct scene s;

	s.f = demo_fake_laid_out(_i);
	ck_assert_int_eq(fake_space(s.f, &s.sp), ACC_OK);
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	check_counts(&s, 0, 0, 0, "none of the pack's 0 witnesses is in the process");
	fake_destroy(s.f);
}
END_TEST

START_TEST(test_disagree)
{
	struct scene s;

	make(&s, _i);
	fake_witness_u(s.f, "number", 20, 1, 160);
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	check_counts(&s, 3, 0, 1, "number+20 is 0, the pack says 160");

	/* A text that begins alike; a target's text cannot do anything to a terminal. */
	fake_symbol(s.f, "text", fake_string(s.f, "4.1.4 and more\x1b[2J"));
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	ck_assert_uint_eq(s.result.n_disagree, 2);
	fake_symbol_remove(s.f, "number");
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	check_counts(&s, 0, 3, 1, "text is \"4.1.4 and more?[2J\", the pack says \"4.1.4 and more\"");
	fake_symbol(s.f, "text", fake_string(s.f, "4.1.4 and"));
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	fake_destroy(s.f);
}
END_TEST

START_TEST(test_unreadable)
{
	struct scene s;
	uint64_t top;

	make(&s, _i);
	top = s.f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
	fake_symbol(s.f, "number", 8192);
	ck_assert_int_eq(check(&s), ACC_EREAD);
	check_counts(&s, 1, 0, 0, "number+12 cannot be read");
	fake_map(s.f, 0, 4096);
	fake_symbol(s.f, "number", top - 3); /* the offset wraps to what can be read */
	ck_assert_int_eq(check(&s), ACC_EREAD);
	fake_symbol(s.f, "text", 8192);
	fake_symbol_remove(s.f, "number");
	ck_assert_int_eq(check(&s), ACC_EREAD);
	check_counts(&s, 0, 2, 0, "text cannot be read");

	/* A disagreement takes precedence, because it names the wrong pack. */
	fake_symbol(s.f, "number", fake_alloc(s.f, 64, 8));
	ck_assert_int_eq(check(&s), ACC_EWITNESS);
	check_counts(&s, 0, 0, 2, "number+12 is 0, the pack says 4294967294");
	fake_destroy(s.f);
}
END_TEST

/* A pack of a machine of another kind is refused before anything is read. */
START_TEST(test_other_machine)
{
	for (int other = 0; other < DEMO_N_TARGETS; other++) {
		struct scene s;
		struct fake *g = demo_fake_laid_out(other);

		if (other == _i) {
			fake_destroy(g);
			continue;
		}
		make(&s, _i);
		ck_assert_int_eq(acc_witness_check(&s.sp, fake_pack(g, "demo", "1"), &s.result), ACC_EWITNESS);
		ck_assert_ptr_nonnull(
			strstr(s.result.first, other & 1 ? "the pack is for 4-byte" : "the pack is for 8-byte"));
		ck_assert_uint_eq(s.f->n_reads, 0);
		fake_destroy(g);
		fake_destroy(s.f);
	}
}
END_TEST

START_TEST(test_every_read_fails_once)
{
	struct scene s;
	int64_t fuse = 0;

	make(&s, _i);
	for (;; fuse++) {
		fake_fuse(&s.f->reads, fuse, true);

		enum acc_rc rc = check(&s);
		if (!s.f->reads.n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			break;
		}
		ck_assert_int_eq(rc, ACC_EREAD);
		ck_assert_uint_lt(s.result.n_agree, 3);
	}
	ck_assert_int_ge(fuse, 3);
	fake_destroy(s.f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("witness");
	TCase *tc = tcase_create("witness");

	tcase_add_loop_test(tc, test_all_agree, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_absent, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_no_witness_at_all, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_disagree, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_unreadable, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_other_machine, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_every_read_fails_once, 0, DEMO_N_TARGETS);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
