/* SPDX-License-Identifier: BSD-3-Clause */
/* access/layout.c and access/obj.c: from names to offsets to values, with every source and every way to fail. */
#include "../../access/layout.h"
#include "../support/demo.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

static const enum fake_by ways[] = { FAKE_BY_TYPES, FAKE_BY_PACK };

/* _i of a loop test: target, and the way in bit 2. */
enum { N_CASES = 2 * DEMO_N_TARGETS };

static enum fake_by way_of(int i)
{
	return ways[i / DEMO_N_TARGETS];
}

static struct fake *make(int i, struct acc_space *sp)
{
	struct fake *f = demo_fake_laid_out(i % DEMO_N_TARGETS);

	ck_assert_int_eq(fake_space(f, sp), ACC_OK);
	return f;
}

static struct fake *make_resolved(int i, struct acc_space *sp, struct acc_layout *layout)
{
	struct fake *f = make(i, sp);

	ck_assert_int_eq(fake_resolve(f, sp, way_of(i), layout), ACC_OK);
	return f;
}

static void destroy(struct fake *f, struct acc_space *sp, struct acc_layout *layout)
{
	acc_layout_deinit(sp, layout);
	acc_space_deinit(sp);
	fake_destroy(f);
}

/* ---- resolving ------------------------------------------------------------------------------------- */

START_TEST(test_every_row)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make_resolved(_i, &sp, &layout);
	enum acc_source source = way_of(_i) == FAKE_BY_PACK ? ACC_SRC_PACK : ACC_SRC_DEBUGGER;

	ck_assert_ptr_eq(layout.schema, &demo_schema);
	ck_assert_int_eq(layout.pack != NULL, source == ACC_SRC_PACK);
	for (unsigned t = 0; t < DEMO_N_TYPES; t++) {
		uint32_t lo = UINT32_MAX, hi = 0;

		ck_assert_uint_eq(acc_layout_bytes(&layout, t), fake_type_bytes(f, t));
		ck_assert_uint_eq(layout.types[t].source, source);
		for (unsigned i = 0; i < DEMO_N_FIELDS; i++) {
			const struct acc_field_row *row = &demo_schema.fields[i];
			const struct acc_field_at *at = &layout.fields[i];

			if (row->type != t)
				continue;
			ck_assert(acc_layout_has(&layout, i));
			ck_assert_uint_eq(at->source, source);
			ck_assert_uint_eq(at->offset, fake_field_offset(f, i));
			ck_assert_uint_eq(at->width, row->kind == ACC_EMBED ? 0 : fake_field_width(f, i));
			if (row->kind == ACC_EMBED)
				continue;
			if (at->offset < lo)
				lo = at->offset;
			if (at->offset + at->width > hi)
				hi = at->offset + at->width;
		}
		ck_assert_uint_eq(layout.types[t].lo, lo);
		ck_assert_uint_eq(layout.types[t].hi, hi);
	}
	destroy(f, &sp, &layout);
}
END_TEST

START_TEST(test_needed_and_not)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make(_i, &sp);

	fake_hide_field(f, F_demo_node_t_maybe);
	fake_hide_type(f, T_demo_maybe_t);
	ck_assert_int_eq(fake_resolve(f, &sp, way_of(_i), &layout), ACC_OK);
	ck_assert(!acc_layout_has(&layout, F_demo_node_t_maybe));
	ck_assert(!acc_layout_has(&layout, F_demo_maybe_t_x));
	ck_assert_uint_eq(acc_layout_bytes(&layout, T_demo_maybe_t), 0);
	ck_assert_str_eq(acc_source_text(layout.types[T_demo_maybe_t].source), "none");
	ck_assert_int_eq(sp.note.rc, ACC_OK);
	acc_layout_deinit(&sp, &layout);

	fake_hide_field(f, F_demo_node_t_a_u16);
	memset(&layout, 0xff, sizeof(layout));
	ck_assert_int_eq(fake_resolve(f, &sp, way_of(_i), &layout), ACC_EFIELD);
	ck_assert_ptr_null(layout.types);
	ck_assert_ptr_null(layout.fields);
	ck_assert_str_eq(sp.note.text, "demo_node_t.a_u16: no source describes this field");
	ck_assert_int_eq(sp.note.rc, ACC_EFIELD);
	acc_layout_deinit(&sp, &layout);
	acc_layout_deinit(&sp, NULL);

	acc_note_clear(&sp.note);
	fake_hide_type(f, T_demo_wide_t);
	ck_assert_int_eq(fake_resolve(f, &sp, way_of(_i), &layout), ACC_EFIELD);
	ck_assert_str_eq(sp.note.text, "demo_wide_t: no source describes this type");

	acc_note_clear(&sp.note);
	ck_assert_int_eq(fake_resolve(f, &sp, FAKE_BY_NOBODY, &layout), ACC_EFIELD);
	ck_assert_str_eq(sp.note.text, "demo_base_t: no source describes this type");
	ck_assert_uint_eq(f->n_live, 0);
	destroy(f, &sp, &layout);
}
END_TEST

START_TEST(test_source_texts)
{
	ck_assert_str_eq(acc_source_text(ACC_SRC_NONE), "none");
	ck_assert_str_eq(acc_source_text(ACC_SRC_SELF), "self");
	ck_assert_str_eq(acc_source_text(ACC_SRC_DEBUGGER), "debugger");
	ck_assert_str_eq(acc_source_text(ACC_SRC_PACK), "pack");
	ck_assert_str_eq(acc_source_text((enum acc_source)77), "none");
}
END_TEST

/* A target with its own description: all of demo_base_t, and the row of demo_node_t.a_u64 that the test sets. */
struct self_answer {
	uint64_t base_bytes, magic_offset;
	unsigned magic_width;
	bool knows_type;
};

static bool self_type(void *ctx, const char *type, uint64_t *bytes)
{
	const struct self_answer *a = ctx;

	if (!a->knows_type || strcmp(type, "demo_base_t"))
		return false;
	*bytes = a->base_bytes;
	return true;
}

static bool self_field(void *ctx, const char *type, const char *field, uint64_t *offset, unsigned *width)
{
	const struct self_answer *a = ctx;

	if (strcmp(type, "demo_base_t") || strcmp(field, "magic"))
		return false;
	*offset = a->magic_offset;
	*width = a->magic_width;
	return true;
}

START_TEST(test_order_of_sources)
{
	/* Descriptions by the target, and whether they are accepted. */
	static const struct {
		struct self_answer answer;
		enum acc_source type, field;
	} cases[] = {
		{ { 100, 96, 4, true }, ACC_SRC_SELF, ACC_SRC_SELF },
		{ { 100, 97, 4, true }, ACC_SRC_SELF, ACC_SRC_NONE }, /* not within the type */
		{ { 100, 100, 4, true }, ACC_SRC_SELF, ACC_SRC_NONE },
		{ { 100, UINT64_MAX, 4, true }, ACC_SRC_SELF, ACC_SRC_NONE },
		{ { 100, UINT64_MAX - 3, 4, true }, ACC_SRC_SELF, ACC_SRC_NONE },
		{ { 100, (UINT64_C(1) << 32) + 4, 4, true }, ACC_SRC_SELF, ACC_SRC_NONE },
		{ { 100, 0, 8, true }, ACC_SRC_SELF, ACC_SRC_NONE }, /* a wrong width */
		{ { 100, 0, 0, true }, ACC_SRC_SELF, ACC_SRC_NONE },
		{ { 0, 0, 4, true }, ACC_SRC_DEBUGGER, ACC_SRC_SELF }, /* a senseless size */
		{ { ACC_TYPE_BYTES_MAX, 0, 4, true }, ACC_SRC_SELF, ACC_SRC_SELF },
		{ { ACC_TYPE_BYTES_MAX + 1, 0, 4, true }, ACC_SRC_DEBUGGER, ACC_SRC_SELF },
		{ { UINT64_C(1) << 31, 0, 4, true }, ACC_SRC_DEBUGGER, ACC_SRC_SELF },
		{ { UINT64_MAX, 0, 4, true }, ACC_SRC_DEBUGGER, ACC_SRC_SELF },
		{ { 100, 96, 4, false }, ACC_SRC_DEBUGGER, ACC_SRC_DEBUGGER }, /* 96 is outside of 16 bytes */
		{ { 100, 0, 4, false }, ACC_SRC_DEBUGGER, ACC_SRC_SELF },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct acc_space sp;
		struct acc_layout layout;
		struct fake *f = make(_i, &sp);
		struct self_answer answer = cases[i].answer;
		struct acc_self self = { self_type, self_field, &answer };

		/* The debugger would describe demo_base_t with a size of its own: then its field is not for us. */
		enum acc_rc rc = acc_layout_resolve(&sp, &demo_schema, &self, NULL, &layout);
		if (cases[i].field == ACC_SRC_NONE) {
			ck_assert_msg(rc == ACC_EFIELD, "case %zu", i);
		} else {
			ck_assert_msg(rc == ACC_OK, "case %zu: %s", i, sp.note.text);
			ck_assert_msg(layout.types[T_demo_base_t].source == cases[i].type, "case %zu", i);
			ck_assert_msg(layout.fields[F_demo_base_t_magic].source == cases[i].field, "case %zu", i);
			if (cases[i].field == ACC_SRC_SELF)
				ck_assert_uint_eq(layout.fields[F_demo_base_t_magic].offset, answer.magic_offset);
		}
		destroy(f, &sp, &layout);
	}
}
END_TEST

/* The pack fills in what the debugger does not know, when the two agree on the type. */
START_TEST(test_pack_completes_the_debugger)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make(_i, &sp), *other = demo_fake(_i);
	const struct acc_pack *pack = fake_pack(f, "demo", "1");

	fake_hide_field(f, F_demo_node_t_a_u16);
	ck_assert_int_eq(acc_layout_resolve(&sp, &demo_schema, NULL, pack, &layout), ACC_OK);
	ck_assert_uint_eq(layout.fields[F_demo_node_t_a_u16].source, ACC_SRC_PACK);
	ck_assert_uint_eq(layout.fields[F_demo_node_t_a_u16].offset, fake_field_offset(f, F_demo_node_t_a_u16));
	ck_assert_uint_eq(layout.fields[F_demo_node_t_a_u32].source, ACC_SRC_DEBUGGER);
	ck_assert_ptr_eq(layout.pack, pack);
	acc_layout_deinit(&sp, &layout);

	/* A pack of another library: its demo_node_t has another size. */
	fake_lay_out(other);
	ck_assert_uint_ne(fake_type_bytes(other, T_demo_node_t), fake_type_bytes(f, T_demo_node_t));
	ck_assert_int_eq(acc_layout_resolve(&sp, &demo_schema, NULL, fake_pack(other, "demo", "2"), &layout),
			 ACC_EFIELD);
	ck_assert_str_eq(sp.note.text, "demo_node_t.a_u16: no source describes this field");
	fake_destroy(other);
	destroy(f, &sp, &layout);
}
END_TEST

/* Debuggers without the callbacks, and with senseless answers. */
static int64_t answer_bytes, answer_offset;

static int64_t odd_type_bytes(void *ctx, void *type)
{
	(void)ctx, (void)type;
	return answer_bytes;
}

static int64_t odd_field_offset(void *ctx, void *type, const char *field)
{
	(void)ctx, (void)type, (void)field;
	return answer_offset;
}

START_TEST(test_odd_debuggers)
{
	static const struct {
		int64_t bytes, offset;
	} answers[] = {
		{ -1, -1 },
		{ -1, 0 },
		{ 0, 0 },
		{ 16, -1 },
		{ 16, 16 },
		{ 16, 13 },
		{ 3, 0 },
		{ 1 << 21, 0 },
		{ INT32_MAX, 0 },
		{ 16, 1 << 21 },
		{ 16, INT32_MAX },
		{ 16, INT32_MIN },
		{ INT64_MAX, 0 },
		{ INT64_MIN, 0 },
		{ 16, INT64_MAX },
		{ INT64_C(1) << 32, 0 },
		{ 16, INT64_C(1) << 32 },
	};
	struct acc_target_ops ops = fake_ops;
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make(_i, &sp);

	sp.ops = &ops;
	ops.type_bytes = odd_type_bytes;
	ops.field_offset = odd_field_offset;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		answer_bytes = answers[i].bytes;
		answer_offset = answers[i].offset;
		ck_assert_msg(acc_layout_resolve(&sp, &demo_schema, NULL, NULL, &layout) == ACC_EFIELD, "answer %zu",
			      i);
	}
	ops.type_bytes = NULL;
	ck_assert_int_eq(acc_layout_resolve(&sp, &demo_schema, NULL, NULL, &layout), ACC_EFIELD);
	ops = fake_ops;
	ops.field_offset = NULL;
	ck_assert_int_eq(acc_layout_resolve(&sp, &demo_schema, NULL, NULL, &layout), ACC_EFIELD);
	ops = fake_ops;
	ops.type = NULL;
	ck_assert_int_eq(acc_layout_resolve(&sp, &demo_schema, NULL, NULL, &layout), ACC_EFIELD);
	ck_assert_int_eq(acc_layout_resolve(&sp, &demo_schema, NULL, fake_pack(f, "demo", "1"), &layout), ACC_OK);
	destroy(f, &sp, &layout);
}
END_TEST

/* Widths of a pack must be those of the kind. */
START_TEST(test_widths_of_a_pack)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make(_i, &sp);

	for (unsigned i = 0; i < DEMO_N_FIELDS; i++) {
		const struct acc_field_row *row = &demo_schema.fields[i];
		uint32_t right = f->fields[i].bytes;

		f->fields[i].bytes = right - 1;
		enum acc_rc rc = fake_resolve(f, &sp, FAKE_BY_PACK, &layout);
		if (row->kind == ACC_CHARS || row->kind == ACC_EMBED || !row->needed) {
			ck_assert_int_eq(rc, ACC_OK);
			ck_assert_uint_eq(layout.fields[i].width, row->kind == ACC_CHARS ? right - 1 : 0);
			ck_assert_int_eq(acc_layout_has(&layout, i), row->needed);
		} else {
			ck_assert_msg(rc == ACC_EFIELD, "%s.%s", row->type_name, row->name);
		}
		acc_layout_deinit(&sp, &layout);
		f->fields[i].bytes = right;
	}
	destroy(f, &sp, &layout);
}
END_TEST

START_TEST(test_resolving_without_memory)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make(_i, &sp);
	int64_t fuse = 0;

	for (;; fuse++) {
		fake_fuse(&f->allocs, fuse, false);

		enum acc_rc rc = fake_resolve(f, &sp, way_of(_i), &layout);
		if (!f->allocs.n_failed) {
			ck_assert_int_eq(rc, ACC_OK);
			break;
		}
		ck_assert_int_eq(rc, ACC_ENOMEM);
		ck_assert_int_eq(sp.note.rc, ACC_ENOMEM);
		ck_assert_ptr_null(layout.types);
		ck_assert_uint_eq(f->n_live, 0);
		acc_note_clear(&sp.note);
	}
	ck_assert_int_eq(fuse, 2);
	destroy(f, &sp, &layout);
}
END_TEST

/* ---- objects --------------------------------------------------------------------------------------- */

/* A node with a value in every field. */
static uint64_t make_node(struct fake *f)
{
	uint64_t node = fake_new(f, T_demo_node_t);

	fake_put_u(f, node, F_demo_node_t_next, 0x80000010);
	fake_put_i(f, node, F_demo_node_t_an_int, -2);
	fake_put_u(f, node, F_demo_node_t_a_uint, UINT32_MAX - 1);
	fake_put_i(f, node, F_demo_node_t_an_i32, INT32_MIN);
	fake_put_u(f, node, F_demo_node_t_a_u8, 200);
	fake_put_u(f, node, F_demo_node_t_a_u16, 0xfffe);
	fake_put_u(f, node, F_demo_node_t_a_u32, UINT32_MAX);
	fake_put_u(f, node, F_demo_node_t_a_u64, UINT64_MAX - 5);
	fake_put_u(f, node, F_demo_node_t_a_bool, 1);
	fake_put_i(f, node, F_demo_node_t_an_enum, -1);
	fake_put_u(f, node, F_demo_node_t_a_size, UINT64_C(1) << 31);
	fake_put_i(f, node, F_demo_node_t_a_ssize, -4096);
	fake_put_u(f, node, F_demo_node_t_a_word, 1);
	fake_put_chars(f, node, F_demo_node_t_name, "a name");
	fake_put_u(f, node, F_demo_node_t_maybe, 42);
	return node;
}

/* _i: N_CASES, times outside or within a bracket. */
START_TEST(test_every_kind)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make_resolved(_i % N_CASES, &sp, &layout);
	uint64_t node = make_node(f);
	struct acc_obj o;
	char name[32];

	if (_i >= N_CASES)
		acc_space_begin(&sp);
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, node);
	ck_assert_int_eq(o.rc, ACC_OK);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_next), 0x80000010);
	ck_assert_int_eq(acc_get_i(&o, F_demo_node_t_an_int), -2);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_an_int), UINT32_MAX - 1);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_uint), UINT32_MAX - 1);
	ck_assert_int_eq(acc_get_i(&o, F_demo_node_t_an_i32), INT32_MIN);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_u8), 200);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_u16), 0xfffe);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_u32), UINT32_MAX);
	ck_assert_int_eq(acc_get_i(&o, F_demo_node_t_a_u32), -1);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_u64), UINT64_MAX - 5);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_bool), 1);
	ck_assert_int_eq(acc_get_i(&o, F_demo_node_t_an_enum), -1);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_size), UINT64_C(1) << 31);
	ck_assert_int_eq(acc_get_i(&o, F_demo_node_t_a_ssize), -4096);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_node_t_a_word), 1);
	ck_assert_int_eq(acc_get_i(&o, F_demo_node_t_maybe), 42);
	ck_assert_uint_eq(acc_get_addr(&o, F_demo_node_t_body), fake_field_addr(f, node, F_demo_node_t_body));
	ck_assert_uint_eq(acc_get_addr(&o, F_demo_node_t_next), fake_field_addr(f, node, F_demo_node_t_next));
	acc_get_chars(&o, F_demo_node_t_name, name, sizeof(name));
	ck_assert_str_eq(name, "a name");
	acc_get_chars(&o, F_demo_node_t_name, name, 4);
	ck_assert_str_eq(name, "a n");
	acc_get_chars(&o, F_demo_node_t_name, name, 1);
	ck_assert_str_eq(name, "");
	acc_get_chars(&o, F_demo_node_t_name, name, 0);
	ck_assert_int_eq(o.rc, ACC_OK);
	ck_assert_uint_eq(f->n_reads, 1); /* the whole object came with one read */
	ck_assert_uint_eq(sp.stats.n_objects, 1);
	ck_assert_uint_eq(sp.stats.object_bytes, fake_type_bytes(f, T_demo_node_t));
	destroy(f, &sp, &layout);
}
END_TEST

/* An array of 16 bytes without a NUL, at the very end of a mapping. */
START_TEST(test_chars_without_end)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make_resolved(_i, &sp, &layout);
	uint64_t node = fake_alloc_last(f, layout.types[T_demo_node_t].hi);
	struct acc_obj o;
	char name[32], exact[16];

	node &= ~UINT64_C(3);
	fake_write(f, node + fake_field_offset(f, F_demo_node_t_name), "0123456789abcdef", 16);
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, node);
	acc_get_chars(&o, F_demo_node_t_name, name, sizeof(name));
	ck_assert_str_eq(name, "0123456789abcdef");
	acc_get_chars(&o, F_demo_node_t_name, exact, sizeof(exact));
	ck_assert_str_eq(exact, "0123456789abcde");
	ck_assert_int_eq(o.rc, ACC_OK);
	destroy(f, &sp, &layout);
}
END_TEST

/* A span larger than the copy: fields are read one by one. */
START_TEST(test_wide)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make_resolved(_i, &sp, &layout);
	uint64_t wide = fake_new(f, T_demo_wide_t);
	struct acc_obj o;
	char text[16];

	fake_put_u(f, wide, F_demo_wide_t_first, 7);
	fake_put_u(f, wide, F_demo_wide_t_last, UINT64_C(1) << 63);
	fake_put_chars(f, wide, F_demo_wide_t_text, "12345678");
	acc_obj_load(&o, &sp, &layout, T_demo_wide_t, wide);
	ck_assert_int_eq(o.rc, ACC_OK);
	ck_assert_uint_eq(f->n_reads, 0);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_wide_t_first), 7);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_wide_t_last), UINT64_C(1) << 63);
	acc_get_chars(&o, F_demo_wide_t_text, text, sizeof(text));
	ck_assert_str_eq(text, "12345678");
	acc_get_chars(&o, F_demo_wide_t_text, text, 3);
	ck_assert_str_eq(text, "12");
	ck_assert_int_eq(o.rc, ACC_OK);
	ck_assert_uint_eq(f->read_bytes, 4 + 8 + 8 + 2);

	/* Its end is not readable: the first fields are. */
	uint64_t half = fake_alloc_last(f, 64);
	acc_obj_load(&o, &sp, &layout, T_demo_wide_t, half);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_wide_t_first), 0);
	ck_assert_int_eq(o.rc, ACC_OK);
	ck_assert_uint_eq(acc_get_u(&o, F_demo_wide_t_last), 0);
	ck_assert_int_eq(o.rc, ACC_EREAD);
	acc_get_chars(&o, F_demo_wide_t_text, text, sizeof(text));
	ck_assert_str_eq(text, "");
	ck_assert_ptr_nonnull(strstr(sp.note.text, "demo_wide_t.last at 0x"));
	destroy(f, &sp, &layout);
}
END_TEST

/* Every get after a failure is 0 and changes nothing. */
static void check_dead(struct acc_obj *o, enum acc_rc rc)
{
	char name[8] = "before";

	ck_assert_int_eq(o->rc, rc);
	ck_assert_uint_eq(acc_get_u(o, F_demo_node_t_a_u64), 0);
	ck_assert_int_eq(acc_get_i(o, F_demo_node_t_an_int), 0);
	ck_assert_uint_eq(acc_get_addr(o, F_demo_node_t_body), 0);
	acc_get_chars(o, F_demo_node_t_name, name, sizeof(name));
	ck_assert_str_eq(name, "");
	ck_assert_int_eq(o->rc, rc);
	ck_assert_int_eq(o->sp->note.rc, rc);
	acc_note_clear(&o->sp->note);
}

START_TEST(test_bad_addresses)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make_resolved(_i, &sp, &layout);
	uint64_t node = make_node(f), top = f->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
	struct acc_obj o;

	acc_obj_load(&o, &sp, &layout, T_demo_node_t, 0);
	ck_assert_str_eq(sp.note.text, "demo_node_t at 0x0: makes no sense");
	check_dead(&o, ACC_ECORRUPT);
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, node + 2);
	check_dead(&o, ACC_ECORRUPT);
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, 0x1000);
	ck_assert_str_eq(sp.note.text, "demo_node_t at 0x1000: cannot be read");
	check_dead(&o, ACC_EREAD);
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, top - 3);
	check_dead(&o, ACC_EREAD);
	acc_obj_load(&o, &sp, &layout, DEMO_N_TYPES, node);
	ck_assert_int_eq(o.rc, ACC_EINVAL);
	acc_note_clear(&sp.note);
	if (f->word_bytes == 4) {
		acc_obj_load(&o, &sp, &layout, T_demo_node_t, UINT64_C(1) << 32);
		check_dead(&o, ACC_ECORRUPT);
	}
	/* The address of a member would be beyond the last address. */
	fake_map(f, top - 4095, 4096);
	acc_obj_load(&o, &sp, &layout, T_demo_wide_t, top - 3);
	ck_assert_int_eq(o.rc, ACC_OK);
	ck_assert_uint_eq(acc_get_addr(&o, F_demo_wide_t_last), 0);
	ck_assert_int_eq(o.rc, ACC_ECORRUPT);
	ck_assert_uint_eq(sp.stats.n_objects, 1);
	destroy(f, &sp, &layout);
}
END_TEST

START_TEST(test_wrong_fields)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make(_i, &sp);
	uint64_t node = make_node(f);
	const struct {
		unsigned field;
		enum acc_rc rc;
	} cases[] = {
		{ F_demo_node_t_maybe, ACC_EFIELD }, { F_demo_base_t_magic, ACC_EINVAL },
		{ DEMO_N_FIELDS, ACC_EINVAL },       { UINT32_MAX, ACC_EINVAL },
		{ F_demo_node_t_name, ACC_EINVAL },  { F_demo_node_t_body, ACC_EINVAL },
	};
	struct acc_obj o;
	char name[8] = "before";

	fake_hide_field(f, F_demo_node_t_maybe);
	ck_assert_int_eq(fake_resolve(f, &sp, way_of(_i), &layout), ACC_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		acc_obj_load(&o, &sp, &layout, T_demo_node_t, node);
		ck_assert_uint_eq(acc_get_u(&o, cases[i].field), 0);
		check_dead(&o, cases[i].rc);
		acc_obj_load(&o, &sp, &layout, T_demo_node_t, node);
		ck_assert_int_eq(acc_get_i(&o, cases[i].field), 0);
		check_dead(&o, cases[i].rc);
	}
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, node);
	acc_get_chars(&o, F_demo_node_t_a_u64, name, sizeof(name));
	ck_assert_str_eq(name, "");
	check_dead(&o, ACC_EINVAL);
	acc_obj_load(&o, &sp, &layout, T_demo_node_t, node);
	ck_assert_uint_eq(acc_get_addr(&o, F_demo_node_t_maybe), 0);
	ck_assert_ptr_nonnull(strstr(sp.note.text, "demo_node_t.maybe at 0x"));
	check_dead(&o, ACC_EFIELD);
	destroy(f, &sp, &layout);
}
END_TEST

START_TEST(test_every_read_fails_once)
{
	struct acc_space sp;
	struct acc_layout layout;
	struct fake *f = make_resolved(_i, &sp, &layout);
	uint64_t node = make_node(f), wide = fake_new(f, T_demo_wide_t);
	int64_t fuse = 0;

	for (;; fuse++) {
		struct acc_obj a, b;

		fake_fuse(&f->reads, fuse, false);
		acc_obj_load(&a, &sp, &layout, T_demo_node_t, node);
		uint64_t value = acc_get_u(&a, F_demo_node_t_a_u64);
		acc_obj_load(&b, &sp, &layout, T_demo_wide_t, wide);
		acc_get_u(&b, F_demo_wide_t_first);
		acc_get_u(&b, F_demo_wide_t_last);
		if (!f->reads.n_failed) {
			ck_assert_int_eq(a.rc, ACC_OK);
			ck_assert_int_eq(b.rc, ACC_OK);
			break;
		}
		ck_assert_int_eq(a.rc, fuse == 0 ? ACC_EREAD : ACC_OK);
		ck_assert_uint_eq(value, fuse == 0 ? 0 : UINT64_MAX - 5);
		ck_assert_int_eq(b.rc, fuse == 0 ? ACC_OK : ACC_EREAD);
	}
	ck_assert_int_eq(fuse, 3);
	destroy(f, &sp, &layout);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layout");
	TCase *tc = tcase_create("layout");

	tcase_add_loop_test(tc, test_every_row, 0, N_CASES);
	tcase_add_loop_test(tc, test_needed_and_not, 0, N_CASES);
	tcase_add_test(tc, test_source_texts);
	tcase_add_loop_test(tc, test_order_of_sources, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_pack_completes_the_debugger, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_odd_debuggers, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_widths_of_a_pack, 0, DEMO_N_TARGETS);
	tcase_add_loop_test(tc, test_resolving_without_memory, 0, N_CASES);
	tcase_add_loop_test(tc, test_every_kind, 0, 2 * N_CASES);
	tcase_add_loop_test(tc, test_chars_without_end, 0, N_CASES);
	tcase_add_loop_test(tc, test_wide, 0, N_CASES);
	tcase_add_loop_test(tc, test_bad_addresses, 0, N_CASES);
	tcase_add_loop_test(tc, test_wrong_fields, 0, N_CASES);
	tcase_add_loop_test(tc, test_every_read_fails_once, 0, N_CASES);
	suite_add_tcase(suite, tc);

	return suite_run(suite);
}
