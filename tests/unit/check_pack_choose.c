/* SPDX-License-Identifier: BSD-3-Clause */
/* access/pack_choose.c: of many packs the one that describes the target. */
#include "../../access/pack_choose.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { N_WITNESSES = 4 };

/* A target of version 4.1.4 with two classes, of 96 and 160 bytes. */
struct scene {
	struct fake *f;
	struct acc_space sp;
	struct acc_pack_choice choice;
	const struct acc_schema *schema; /* NULL: no row is needed */
};

/* A pack for these versions, with these sizes; 0: it has no such witness. */
struct sample {
	struct acc_pack pack;
	struct acc_pack_witness witnesses[N_WITNESSES];
};

static void make(struct scene *s)
{
	s->schema = NULL;
	s->f = demo_fake_laid_out(0);
	uint64_t classes = fake_alloc(s->f, 64, 8);
	fake_write_u(s->f, classes, 8, 96);
	fake_write_u(s->f, classes + 8, 8, 160);
	fake_symbol(s->f, "a_class", classes);
	fake_symbol(s->f, "b_class", classes + 8);
	fake_symbol(s->f, "version", fake_string(s->f, "4.1.4"));
	ck_assert_int_eq(fake_space(s->f, &s->sp), ACC_OK);
}

static void number(struct sample *ret, const char *symbol, uint64_t value)
{
	if (value)
		ret->witnesses[ret->pack.n_witnesses++] = (struct acc_pack_witness){
			.kind = ACC_WITNESS_UINT, .symbol = symbol, .width = 8, .value = value
		};
}

static const struct acc_pack *fill(const struct scene *s, struct sample *ret, const char *versions, uint64_t a,
				   uint64_t b)
{
	memset(ret, 0, sizeof(*ret));
	ret->pack = (struct acc_pack){ .implementation = "demo",
				       .version = versions ? versions : "",
				       .system = "",
				       .made_by = "",
				       .word_bytes = s->sp.sizes.pointer_bytes,
				       .big_endian = s->sp.big_endian,
				       .witnesses = ret->witnesses };
	if (versions)
		ret->witnesses[ret->pack.n_witnesses++] = (struct acc_pack_witness){ .kind = ACC_WITNESS_ONE_OF,
										     .symbol = "version",
										     .text = versions };
	number(ret, "a_class", a);
	number(ret, "b_class", b);
	return &ret->pack;
}

static const struct acc_pack *choose(struct scene *s, const struct acc_pack *const *packs, size_t n,
				     const char *version)
{
	memset(&s->choice, 0xff, sizeof(s->choice));
	acc_pack_choose(&s->sp, packs, n, "demo", s->schema, version, &s->choice);
	ck_assert_int_eq(s->sp.note.rc, ACC_OK);
	return s->choice.pack;
}

/* One pack for a range of releases, among packs for others and for the same release configured otherwise. */
START_TEST(test_one_fits)
{
	struct scene s;
	struct sample older, newer, debug, other, right;

	make(&s);
	const struct acc_pack *packs[] = {
		fill(&s, &older, "4.0.6 4.0.7", 96, 160),   NULL,
		fill(&s, &newer, "4.1.40 14.1.4", 96, 160), fill(&s, &debug, "4.1.3 4.1.4 4.1.5", 112, 176),
		fill(&s, &other, "4.1.4", 96, 160),         fill(&s, &right, "4.1.3 4.1.4 4.1.5", 96, 160)
	};
	other.pack.implementation = "another";
	ck_assert_ptr_eq(choose(&s, packs, 6, NULL), &right.pack);
	ck_assert_ptr_eq(s.choice.nearest, &right.pack);
	ck_assert_ptr_null(s.choice.another);
	ck_assert_uint_eq(s.choice.result.n_agree, 3);
	ck_assert_str_eq(s.choice.result.first, "");
	fake_destroy(s.f);
}
END_TEST

START_TEST(test_two_fit)
{
	struct scene s;
	struct sample few, many, same;

	make(&s);
	/* the one with more witnesses, wherever it stands */
	const struct acc_pack *packs[] = { fill(&s, &few, "4.1.4", 96, 0), fill(&s, &many, "4.1.4", 96, 160),
					   fill(&s, &same, "4.1.4", 96, 160) };
	ck_assert_ptr_eq(choose(&s, packs, 2, NULL), &many.pack);
	ck_assert_ptr_eq(s.choice.another, &few.pack);
	ck_assert_ptr_eq(choose(&s, packs + 1, 2, NULL), &many.pack);
	ck_assert_ptr_eq(s.choice.another, &same.pack);
	fake_destroy(s.f);
}
END_TEST

/* One that lacks a needed row is chosen only if nothing else fits, and is mentioned otherwise. */
START_TEST(test_lacks_row)
{
	static const struct acc_type_row types[] = { { "a_t", true }, { "b_t", false } };
	static const struct acc_field_row rows[] = { { 0, "a_t", "first", ACC_INT, 1, true },
						     { 1, "b_t", "second", ACC_INT, 1, false } };
	static const struct acc_schema schema = {
		.name = "demo", .types = types, .n_types = 2, .fields = rows, .n_fields = 2
	};
	static const struct acc_pack_type has_types[] = { { .name = "a_t", .bytes = 8 } };
	static const struct acc_pack_field has_fields[] = {
		{ .type = "a_t", .name = "first", .offset = 0, .bytes = 4 }
	};
	struct scene s;
	struct sample lacks, whole;

	make(&s);
	s.schema = &schema;
	const struct acc_pack *packs[] = { fill(&s, &lacks, "4.1.4", 96, 160), fill(&s, &whole, "4.1.4", 96, 0),
					   &lacks.pack };
	whole.pack.types = has_types;
	whole.pack.n_types = 1;
	whole.pack.fields = has_fields;
	whole.pack.n_fields = 1;
	for (int i = 0; i < 2; i++) { /* in either order */
		ck_assert_ptr_eq(choose(&s, packs + i, 2, NULL), &whole.pack);
		ck_assert_ptr_eq(s.choice.another, &lacks.pack);
	}
	ck_assert_ptr_eq(choose(&s, packs, 1, NULL), &lacks.pack);
	s.schema = NULL;
	ck_assert_ptr_eq(choose(&s, packs, 2, NULL), &lacks.pack);
	fake_destroy(s.f);
}
END_TEST

START_TEST(test_nearest)
{
	struct scene s;
	struct sample far, near, narrow;

	make(&s);
	const struct acc_pack *packs[] = { fill(&s, &narrow, "4.1.4", 96, 160), fill(&s, &far, "4.1.4", 97, 161),
					   fill(&s, &near, "4.1.9", 96, 160) };
	narrow.pack.word_bytes = 12 - narrow.pack.word_bytes;
	ck_assert_ptr_null(choose(&s, packs, 3, NULL));
	ck_assert_ptr_eq(s.choice.nearest, &near.pack);
	ck_assert_uint_eq(s.choice.result.n_agree, 2);
	ck_assert_uint_eq(s.choice.result.n_disagree, 1);
	ck_assert_str_eq(s.choice.result.first, "version is \"4.1.4\", the pack is for \"4.1.9\"");
	/* of two that are as near the one for the more similar version */
	struct sample older, similar;
	const struct acc_pack *two[] = { fill(&s, &older, "4.0.6 4.0.7", 96, 160),
					 fill(&s, &similar, "4.1.2 4.1.3", 96, 160) };
	ck_assert_ptr_null(choose(&s, two, 2, NULL));
	ck_assert_ptr_eq(s.choice.nearest, &similar.pack);
	/* one of another word size is named when there is no better one */
	ck_assert_ptr_null(choose(&s, packs, 1, NULL));
	ck_assert_ptr_eq(s.choice.nearest, &narrow.pack);
	ck_assert_ptr_nonnull(strstr(s.choice.result.first, "-byte words"));
	ck_assert_ptr_null(choose(&s, packs, 0, NULL));
	ck_assert_ptr_null(s.choice.nearest);
	fake_destroy(s.f);
}
END_TEST

/* A pack without a witness that could have disagreed is not believed. */
START_TEST(test_no_witness)
{
	struct scene s;
	struct sample none, absent;

	make(&s);
	const struct acc_pack *packs[] = { fill(&s, &none, NULL, 0, 0), fill(&s, &absent, NULL, 96, 0) };
	absent.witnesses[0].symbol = "no_such_class";
	ck_assert_ptr_null(choose(&s, packs, 2, NULL));
	ck_assert_ptr_null(choose(&s, packs, 2, "4.1.4"));
	ck_assert_ptr_nonnull(strstr(s.choice.result.first, "witnesses is in the process"));
	fake_destroy(s.f);
}
END_TEST

/* A core without read-only data: a version known from another source decides. */
START_TEST(test_version_from_elsewhere)
{
	struct scene s;
	struct sample first, second;

	make(&s);
	fake_symbol(s.f, "version", 0x40);
	const struct acc_pack *packs[] = { fill(&s, &first, "4.1.0 4.1.1", 96, 160),
					   fill(&s, &second, "4.1.2", 96, 160) };
	ck_assert_ptr_eq(choose(&s, packs, 2, NULL), &first.pack);
	ck_assert_ptr_eq(s.choice.another, &second.pack);
	ck_assert_ptr_eq(choose(&s, packs, 2, "4.1.2"), &second.pack);
	ck_assert_ptr_null(s.choice.another);
	ck_assert_ptr_null(choose(&s, packs, 2, "4.1.3"));
	ck_assert_ptr_eq(s.choice.nearest, &first.pack);
	ck_assert_str_eq(s.choice.result.first, "its version is 4.1.3, the pack is for 4.1.0 4.1.1");
	ck_assert(acc_pack_names(&first.pack, "4.1.1") && !acc_pack_names(&first.pack, "4.1"));
	fake_destroy(s.f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pack_choose");
	TCase *tc = tcase_create("choose");

	tcase_add_test(tc, test_one_fits);
	tcase_add_test(tc, test_two_fit);
	tcase_add_test(tc, test_lacks_row);
	tcase_add_test(tc, test_nearest);
	tcase_add_test(tc, test_no_witness);
	tcase_add_test(tc, test_version_from_elsewhere);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
