/* SPDX-License-Identifier: BSD-3-Clause */
/* access/pack.c: layout packs, which may be anybody's text. */
#include "../../access/pack.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "mpidbg-layout 1\nword-bytes 8\nbyte-order little\n"

/* The debugger's allocator, with its fuse and its balance. */
static struct acc_pack_alloc alloc_of(struct fake *f)
{
	return (struct acc_pack_alloc){ .alloc = fake_ops.alloc, .release = fake_ops.release, .ctx = f };
}

/* Parse from memory that ends where the text ends, so that a sanitizer sees a byte too many. */
static enum acc_rc parse(struct fake *f, const char *text, size_t n, struct acc_note *note, struct acc_pack **ret)
{
	struct acc_pack_alloc alloc = alloc_of(f);
	char *exact = malloc(n ? n : 1);

	ck_assert_ptr_nonnull(exact);
	memcpy(exact, text, n);
	acc_note_clear(note);

	enum acc_rc rc = acc_pack_parse(&alloc, exact, n, note, ret);
	memset(exact, 'Z', n); /* nothing may refer to it */
	free(exact);
	return rc;
}

static void destroy(struct fake *f, struct acc_pack *pack)
{
	struct acc_pack_alloc alloc = alloc_of(f);

	acc_pack_destroy(&alloc, pack);
}

START_TEST(test_a_whole_pack)
{
	static const char text[] = "# made for a test\n"
				   "mpidbg-layout 1\n"
				   "implementation openmpi\n"
				   "version 4.1.4\n"
				   "system Debian 12 x86-64\n"
				   "word-bytes 4\n"
				   "byte-order big\n"
				   "made-by a person, \xc3\xbc\n"
				   "\n"
				   "field b_t y 4 4\n"
				   "field b_t x 0 4\n"
				   "field a_t z 0 0\n"
				   "type b_t 8\n"
				   "type a_t 1\n"
				   "# in between\n"
				   "witness uint sym 0 8 18446744073709551615\n"
				   "witness uint sym 12 1 255\n"
				   "witness string text  two spaces before";
	struct fake *f = fake_create(8, false, NULL);
	struct acc_note note = { .rc = ACC_OK };
	struct acc_pack *pack;

	ck_assert_msg(!parse(f, text, sizeof(text) - 1, &note, &pack), "%s", note.text);
	ck_assert_str_eq(pack->implementation, "openmpi");
	ck_assert_str_eq(pack->version, "4.1.4");
	ck_assert_str_eq(pack->system, "Debian 12 x86-64");
	ck_assert_str_eq(pack->made_by, "a person, \xc3\xbc");
	ck_assert_uint_eq(pack->word_bytes, 4);
	ck_assert(pack->big_endian);
	ck_assert_uint_eq(pack->n_types, 2);
	ck_assert_str_eq(pack->types[0].name, "a_t");
	ck_assert_str_eq(pack->types[1].name, "b_t");
	ck_assert_uint_eq(pack->n_fields, 3);
	ck_assert_str_eq(pack->fields[0].name, "z");
	ck_assert_str_eq(pack->fields[1].name, "x");
	ck_assert_str_eq(pack->fields[2].name, "y");
	ck_assert_uint_eq(acc_pack_type(pack, "b_t")->bytes, 8);
	ck_assert_ptr_null(acc_pack_type(pack, "c_t"));
	ck_assert_ptr_null(acc_pack_type(pack, ""));
	ck_assert_uint_eq(acc_pack_field(pack, "b_t", "y")->offset, 4);
	ck_assert_uint_eq(acc_pack_field(pack, "b_t", "y")->bytes, 4);
	ck_assert_ptr_null(acc_pack_field(pack, "b_t", "z"));
	ck_assert_ptr_null(acc_pack_field(pack, "", ""));
	ck_assert_uint_eq(pack->n_witnesses, 3);
	ck_assert_int_eq(pack->witnesses[0].kind, ACC_WITNESS_UINT);
	ck_assert_str_eq(pack->witnesses[0].symbol, "sym");
	ck_assert_uint_eq(pack->witnesses[0].offset, 0);
	ck_assert_uint_eq(pack->witnesses[0].width, 8);
	ck_assert_uint_eq(pack->witnesses[0].value, UINT64_MAX);
	ck_assert_uint_eq(pack->witnesses[1].offset, 12);
	ck_assert_int_eq(pack->witnesses[2].kind, ACC_WITNESS_STRING);
	ck_assert_str_eq(pack->witnesses[2].text, " two spaces before");
	ck_assert_uint_eq(f->n_live, 1);
	destroy(f, pack);
	destroy(f, NULL);
	fake_destroy(f);
}
END_TEST

START_TEST(test_an_empty_pack)
{
	struct fake *f = fake_create(8, false, NULL);
	struct acc_note note;
	struct acc_pack *pack;

	ck_assert_int_eq(parse(f, HEAD, strlen(HEAD), &note, &pack), ACC_OK);
	ck_assert_str_eq(pack->implementation, "");
	ck_assert_str_eq(pack->version, "");
	ck_assert_str_eq(pack->system, "");
	ck_assert_str_eq(pack->made_by, "");
	ck_assert_uint_eq(pack->n_types + pack->n_fields + pack->n_witnesses, 0);
	ck_assert_ptr_null(acc_pack_type(pack, "x"));
	ck_assert_ptr_null(acc_pack_field(pack, "x", "y"));
	destroy(f, pack);
	fake_destroy(f);
}
END_TEST

static const struct {
	const char *text;
	const char *note; /* how the note starts */
} bad[] = {
	{ "", "line 1: not a layout pack" },
	{ "\n", "line 2: not a layout pack" },
	{ "ELF", "line 1: not a layout pack" },
	{ "mpidbg-layout 2\n", "line 1: a layout pack of a version" },
	{ "mpidbg-layout 1 \n", "line 1: a layout pack of a version" },
	{ "mpidbg-layout", "line 1: not a layout pack" },
	{ "word-bytes 8\nmpidbg-layout 1\n", "line 1: not a layout pack" },
	{ "mpidbg-layout 1\nbyte-order little\n", "line 3: word-bytes or byte-order is missing" },
	{ "mpidbg-layout 1\nword-bytes 8\n", "line 3: word-bytes or byte-order is missing" },
	{ "mpidbg-layout 1\nword-bytes 16\n", "line 2: word-bytes" },
	{ "mpidbg-layout 1\nword-bytes  8\n", "line 2: word-bytes" },
	{ "mpidbg-layout 1\nword-bytes\n", "line 2: the value is missing" },
	{ "mpidbg-layout 1\nword-bytes \n", "line 2: the value is missing" },
	{ "mpidbg-layout 1\nbyte-order middle\n", "line 2: byte-order" },
	{ HEAD "mpidbg-layout 1\n", "line 4: unknown keyword" },
	{ HEAD "colour red\n", "line 4: unknown keyword" },
	{ HEAD " type a 4\n", "line 4: a space" },
	{ HEAD "Type a 4\n", "line 4: unknown keyword" },
	{ HEAD "types a 4\n", "line 4: unknown keyword" },
	{ HEAD "version 1\nversion 1\n", "line 5: this line occurs twice" },
	{ HEAD "word-bytes 8\n", "line 4: this line occurs twice" },
	{ HEAD "type a 4\r\n", "line 4: a control character" },
	{ HEAD "type\ta 4\n", "line 4: a control character" },
	{ HEAD "# \x1b[31m\n", "line 4: a control character" },
	{ HEAD "# \x7f\n", "line 4: a control character" },
	{ HEAD "type\n", "line 4: expected: type" },
	{ HEAD "type \n", "line 4: expected: type" },
	{ HEAD "type a\n", "line 4: expected: type" },
	{ HEAD "type a \n", "line 4: expected: type" },
	{ HEAD "type  a 4\n", "line 4: expected: type" },
	{ HEAD "type a  4\n", "line 4: expected: type" },
	{ HEAD "type a 4 \n", "line 4: expected: type" },
	{ HEAD "type a 4 4\n", "line 4: expected: type" },
	{ HEAD "type \xc3\xa4 4\n", "line 4: expected: type" },
	{ HEAD "type a 0\n", "line 4: expected: type" },
	{ HEAD "type a -4\n", "line 4: expected: type" },
	{ HEAD "type a +4\n", "line 4: expected: type" },
	{ HEAD "type a 04\n", "line 4: expected: type" },
	{ HEAD "type a 0x4\n", "line 4: expected: type" },
	{ HEAD "type a 4k\n", "line 4: expected: type" },
	{ HEAD "type a 1048577\n", "line 4: expected: type" },
	{ HEAD "type a 2147483648\n", "line 4: expected: type" },
	{ HEAD "type a 4294967300\n", "line 4: expected: type" },
	{ HEAD "type a 18446744073709551616\n", "line 4: expected: type" },
	{ HEAD "type a 99999999999999999999999\n", "line 4: expected: type" },
	{ HEAD "type a 4\ntype b 4\ntype a 4\n", "line 6: this type occurs twice" },
	{ HEAD "field\n", "line 4: expected: field" },
	{ HEAD "field a\n", "line 4: expected: field" },
	{ HEAD "field a x\n", "line 4: expected: field" },
	{ HEAD "field a x 0\n", "line 4: expected: field" },
	{ HEAD "field a x 0 4 4\n", "line 4: expected: field" },
	{ HEAD "field a x 0 -1\n", "line 4: expected: field" },
	{ HEAD "field a x 2147483648 1\n", "line 4: expected: field" },
	{ HEAD "field a x 0 4\n", "line 4: a field of a type that has no line" },
	{ HEAD "type a 8\nfield a x 5 4\n", "line 5: a field that is not within its type" },
	{ HEAD "type a 8\nfield a x 0 9\n", "line 5: a field that is not within its type" },
	{ HEAD "type a 8\nfield a x 9 0\n", "line 5: a field that is not within its type" },
	{ HEAD "type a 8\nfield a x 0 4\nfield a x 4 4\n", "line " },
	{ HEAD "witness\n", "line 4: expected: witness" },
	{ HEAD "witness uint\n", "line 4: expected: witness" },
	{ HEAD "witness int s 0 4 1\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 4\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 3 1\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 0 1\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 16 1\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 1 256\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 4 4294967296\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 8 18446744073709551616\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 2147483648 8 1\n", "line 4: expected: witness" },
	{ HEAD "witness uint s 0 4 1 1\n", "line 4: expected: witness" },
	{ HEAD "witness string\n", "line 4: expected: witness" },
	{ HEAD "witness string s\n", "line 4: expected: witness" },
	{ HEAD "witness string s \n", "line 4: expected: witness" },
	{ HEAD "witness one-of s\n", "line 4: expected: witness" },
	{ HEAD "witness string s a\nwitness string s b\n", "line " },
	{ HEAD "witness uint s 0 4 1\nwitness string s a\nwitness uint s 0 8 2\n", "line " },
};

START_TEST(test_bad_packs)
{
	struct fake *f = fake_create(8, false, NULL);
	struct acc_pack *untouched = (struct acc_pack *)&bad, *pack = untouched;
	struct acc_note note;

	ck_assert_msg(parse(f, bad[_i].text, strlen(bad[_i].text), &note, &pack) == ACC_ECORRUPT, "%s", bad[_i].text);
	ck_assert_msg(!strncmp(note.text, bad[_i].note, strlen(bad[_i].note)), "\"%s\" is not \"%s\"", note.text,
		      bad[_i].note);
	ck_assert_int_eq(note.rc, ACC_ECORRUPT);
	ck_assert_ptr_eq(pack, untouched);
	fake_destroy(f);
}
END_TEST

START_TEST(test_long_lines_and_nuls)
{
	struct fake *f = fake_create(8, false, NULL);
	struct acc_note note;
	struct acc_pack *pack;
	char text[4096];

	for (int over = 0; over < 2; over++) {
		int n = snprintf(text, sizeof(text), HEAD "made-by %0*d\n", ACC_PACK_LINE_BYTES_MAX - 8 + over, 0);
		enum acc_rc rc = parse(f, text, n, &note, &pack);

		if (over) {
			ck_assert_int_eq(rc, ACC_ECORRUPT);
			ck_assert_str_eq(note.text, "line 4: too long");
		} else {
			ck_assert_int_eq(rc, ACC_OK);
			destroy(f, pack);
		}
	}

	static const char whole[] = HEAD "type a 4\nwitness string s text\n";
	for (size_t i = 0; i < sizeof(whole) - 1; i++) {
		memcpy(text, whole, sizeof(whole));
		text[i] = '\0';
		ck_assert_int_eq(parse(f, text, sizeof(whole) - 1, &note, &pack), ACC_ECORRUPT);
		ck_assert_ptr_nonnull(strstr(note.text, "a control character"));
	}
	fake_destroy(f);
}
END_TEST

START_TEST(test_size_of_a_pack)
{
	struct fake *f = fake_create(8, false, NULL);
	char *text = malloc(ACC_PACK_BYTES_MAX + 1);
	struct acc_note note;
	struct acc_pack *pack;

	ck_assert_ptr_nonnull(text);
	memset(text, '\n', ACC_PACK_BYTES_MAX + 1);
	memcpy(text, HEAD, sizeof(HEAD) - 1);
	ck_assert_int_eq(parse(f, text, ACC_PACK_BYTES_MAX + 1, &note, &pack), ACC_ECORRUPT);
	ck_assert_uint_eq(f->allocs.n_calls, 0);
	ck_assert_int_eq(parse(f, text, ACC_PACK_BYTES_MAX, &note, &pack), ACC_OK);
	destroy(f, pack);
	free(text);
	fake_destroy(f);
}
END_TEST

/* Cut everywhere: a pack or an error, and never a byte beyond. */
START_TEST(test_cut_everywhere)
{
	static const char whole[] = HEAD
		"implementation x\ntype a 16\ntype b 8\nfield a x 0 4\nfield a y 4 4\nfield b x 0 8\n"
		"witness uint s 0 4 7\nwitness string t u\n";
	struct fake *f = fake_create(8, false, NULL);
	struct acc_note note;

	for (size_t n = 0; n < sizeof(whole); n++) {
		struct acc_pack *pack = NULL;
		enum acc_rc rc = parse(f, whole, n, &note, &pack);

		ck_assert(rc == ACC_OK || rc == ACC_ECORRUPT);
		ck_assert_int_eq(rc == ACC_OK, pack != NULL);
		destroy(f, pack);
	}
	ck_assert_uint_eq(f->n_live, 0);
	fake_destroy(f);
}
END_TEST

/* Any order of lines gives the same pack. */
START_TEST(test_unsorted)
{
	enum { N_TYPES = 200, N_FIELDS = 5 };
	struct fake *f = fake_create(8, false, NULL);
	struct acc_note note;
	struct acc_pack *pack;
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	ck_assert_ptr_nonnull(out);
	fputs(HEAD, out);
	for (unsigned k = 0; k < N_TYPES; k++) {
		unsigned t = _i == 0 ? k : _i == 1 ? N_TYPES - 1 - k : k * 77 % N_TYPES;

		for (unsigned m = 0; m < N_FIELDS; m++)
			fprintf(out, "field t%u f%u %u 4\n", t, m * 3 % N_FIELDS, (t + m * 3 % N_FIELDS) * 4);
		fprintf(out, "type t%u %u\nwitness uint w%u 0 4 %u\n", t, 8000 + t, t, t);
	}
	fclose(out);
	ck_assert_msg(!parse(f, text, n, &note, &pack), "%s", note.text);
	ck_assert_uint_eq(pack->n_types, N_TYPES);
	ck_assert_uint_eq(pack->n_fields, N_TYPES * N_FIELDS);
	ck_assert_uint_eq(pack->n_witnesses, N_TYPES);
	for (size_t i = 1; i < pack->n_types; i++)
		ck_assert_int_lt(strcmp(pack->types[i - 1].name, pack->types[i].name), 0);
	for (unsigned t = 0; t < N_TYPES; t++) {
		char type[16], field[16];

		snprintf(type, sizeof(type), "t%u", t);
		ck_assert_uint_eq(acc_pack_type(pack, type)->bytes, 8000 + t);
		for (unsigned m = 0; m < N_FIELDS; m++) {
			snprintf(field, sizeof(field), "f%u", m);
			ck_assert_uint_eq(acc_pack_field(pack, type, field)->offset, (t + m) * 4);
		}
	}
	destroy(f, pack);
	free(text);
	fake_destroy(f);
}
END_TEST

START_TEST(test_no_memory)
{
	struct fake *f = fake_create(8, false, NULL);
	struct acc_note note;
	struct acc_pack *pack = NULL;

	fake_fuse(&f->allocs, 0, true);
	ck_assert_int_eq(parse(f, HEAD, strlen(HEAD), &note, &pack), ACC_ENOMEM);
	ck_assert_int_eq(note.rc, ACC_ENOMEM);
	ck_assert_ptr_null(pack);
	fake_destroy(f);
}
END_TEST

/* The fake's pack text is parsed to the same layout: other tests rely on this. */
START_TEST(test_the_pack_of_a_fake)
{
	struct fake *f = demo_fake_laid_out(_i);

	fake_witness_u(f, "sym", 4, 4, 99);
	fake_witness_string(f, "text", "some words");

	const struct acc_pack *pack = fake_pack(f, "demo", "1.2");
	ck_assert_str_eq(pack->implementation, "demo");
	ck_assert_str_eq(pack->version, "1.2");
	ck_assert_uint_eq(pack->word_bytes, f->word_bytes);
	ck_assert_int_eq(pack->big_endian, f->big_endian);
	ck_assert_uint_eq(pack->n_types, DEMO_N_TYPES);
	ck_assert_uint_eq(pack->n_fields, DEMO_N_FIELDS);
	ck_assert_uint_eq(pack->n_witnesses, 2);

	/* And laid out as that pack, another fake is the same. */
	struct fake *g = demo_fake(_i);
	fake_lay_out_as(g, pack);
	for (unsigned i = 0; i < DEMO_N_FIELDS; i++)
		ck_assert_uint_eq(fake_field_offset(g, i), fake_field_offset(f, i));
	fake_destroy(g);
	fake_destroy(f);
}
END_TEST

/* tools/embed_packs generates the compiled-in tables: they equal the parser's result. */
static void same_pack(const struct acc_pack *a, const struct acc_pack *b)
{
	ck_assert_str_eq(a->implementation, b->implementation);
	ck_assert_str_eq(a->version, b->version);
	ck_assert_str_eq(a->system, b->system);
	ck_assert_str_eq(a->made_by, b->made_by);
	ck_assert_uint_eq(a->word_bytes, b->word_bytes);
	ck_assert_int_eq(a->big_endian, b->big_endian);
	ck_assert_uint_eq(a->n_types, b->n_types);
	ck_assert_uint_eq(a->n_fields, b->n_fields);
	ck_assert_uint_eq(a->n_witnesses, b->n_witnesses);
	for (size_t i = 0; i < a->n_types; i++) {
		ck_assert_str_eq(a->types[i].name, b->types[i].name);
		ck_assert_uint_eq(a->types[i].bytes, b->types[i].bytes);
	}
	for (size_t i = 0; i < a->n_fields; i++) {
		ck_assert_str_eq(a->fields[i].type, b->fields[i].type);
		ck_assert_str_eq(a->fields[i].name, b->fields[i].name);
		ck_assert_uint_eq(a->fields[i].offset, b->fields[i].offset);
		ck_assert_uint_eq(a->fields[i].bytes, b->fields[i].bytes);
	}
	for (size_t i = 0; i < a->n_witnesses; i++) {
		const struct acc_pack_witness *v = &a->witnesses[i], *w = &b->witnesses[i];

		ck_assert_int_eq(v->kind, w->kind);
		ck_assert_str_eq(v->symbol, w->symbol);
		ck_assert_uint_eq(v->offset, w->offset);
		ck_assert_uint_eq(v->width, w->width);
		ck_assert_uint_eq(v->value, w->value);
		ck_assert_pstr_eq(v->text, w->text);
	}
}

START_TEST(test_builtins)
{
	struct fake *f = fake_create(8, false, NULL);

	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		struct acc_note note;
		struct acc_pack *pack;

		ck_assert_msg(!parse(f, b->text, b->n, &note, &pack), "%s: %s", b->file, note.text);
		ck_assert_str_ne(pack->implementation, "");
		ck_assert_str_ne(pack->version, "");
		ck_assert_uint_gt(pack->n_witnesses, 0);
		same_pack(pack, b->pack);
		destroy(f, pack);
	}
	fake_destroy(f);
}
END_TEST

/* Is there a process that both describe: does no witness of the one contradict one of the other? */
static bool fit_together(const struct acc_pack *a, const struct acc_pack *b)
{
	if (a->word_bytes != b->word_bytes || a->big_endian != b->big_endian)
		return false;
	for (size_t i = 0; i < a->n_witnesses; i++) {
		const struct acc_pack_witness *w = &a->witnesses[i];

		for (size_t j = 0; j < b->n_witnesses; j++) {
			const struct acc_pack_witness *v = &b->witnesses[j];
			bool agree = true;

			if (strcmp(w->symbol, v->symbol) != 0 || w->kind != v->kind)
				continue;
			if (w->kind == ACC_WITNESS_UINT)
				agree = w->offset != v->offset || w->width != v->width || w->value == v->value;
			else if (w->kind == ACC_WITNESS_STRING)
				agree = !strcmp(w->text, v->text);
			else
				for (const char *name = w->text; *name;
				     name += strcspn(name, " "), name += strspn(name, " ")) {
					char release[64];

					snprintf(release, sizeof(release), "%.*s", (int)strcspn(name, " "), name);
					agree = acc_pack_text_agrees(v, release);
					if (agree)
						break;
				}
			if (!agree)
				return false;
		}
	}
	return true;
}

/* At most one compiled-in pack matches an Open MPI: witnesses distinguish releases, machines and configurations. */
START_TEST(test_builtins_differ)
{
	struct fake *f = fake_create(8, false, NULL);
	size_t n = 0, n_builtin = 0;

	while (acc_pack_builtins[n_builtin].file)
		n_builtin++;
	struct acc_pack **packs = calloc(n_builtin + 1, sizeof(*packs));
	ck_assert(packs != NULL);
	for (const struct acc_pack_builtin *b = acc_pack_builtins; b->file; b++) {
		struct acc_note note;

		ck_assert_int_eq(parse(f, b->text, b->n, &note, &packs[n]), ACC_OK);
		for (size_t i = 0; i < n; i++)
			ck_assert_msg(strcmp(packs[i]->implementation, "openmpi") != 0 ||
					      strcmp(packs[n]->implementation, "openmpi") != 0 ||
					      !fit_together(packs[i], packs[n]),
				      "%s and %s fit the same process", acc_pack_builtins[i].file, b->file);
		n++;
	}
	ck_assert(n > 1 && fit_together(packs[0], packs[0])); /* the comparison itself */
	for (size_t i = 0; i < n; i++)
		destroy(f, packs[i]);
	free(packs);
	fake_destroy(f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pack");
	TCase *tc = tcase_create("pack");

	tcase_add_test(tc, test_a_whole_pack);
	tcase_add_test(tc, test_an_empty_pack);
	tcase_add_loop_test(tc, test_bad_packs, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, test_long_lines_and_nuls);
	tcase_add_test(tc, test_size_of_a_pack);
	tcase_add_test(tc, test_cut_everywhere);
	tcase_add_loop_test(tc, test_unsorted, 0, 3);
	tcase_add_test(tc, test_no_memory);
	tcase_add_loop_test(tc, test_the_pack_of_a_fake, 0, DEMO_N_TARGETS);
	tcase_add_test(tc, test_builtins);
	tcase_add_test(tc, test_builtins_differ);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
