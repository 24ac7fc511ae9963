/* SPDX-License-Identifier: BSD-3-Clause */
/* readers/tracked/vars.c and the words for it: MPI_T in the registry, true and damaged. */
#include "../../mpidbg/var_words.h"
#include "../../readers/tracked/registry.h"
#include "../support/fake_vars.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

enum { N_TARGETS = 4 };

struct bed {
	struct fake_track *m;
	struct fake_vars f;
	struct acc_space sp;
	struct rd_track *t;
	struct rd_track_vars v;
};

static void make(struct bed *b, int i)
{
	memset(b, 0, sizeof(*b));
	b->m = fake_track_create(i & 1 ? 4 : 8, i & 2, "Open MPI");
	fake_vars_init(&b->f, b->m);
	fake_vars_all(&b->f);
	uint64_t world = fake_track_add(b->m, TRK_COMM, 0x100);
	fake_put_chars(b->m->f, world, F_trk_comm_name, "MPI_COMM_WORLD");
	fake_put_i(b->m->f, world, F_trk_comm_size, 1);
	ck_assert_int_eq(fake_space(b->m->f, &b->sp), ACC_OK);
	ck_assert_msg(rd_track_open(&b->sp, &b->t) == ACC_OK, "%s", b->sp.note.text);
}

static void destroy(struct bed *b)
{
	rd_track_close(b->t);
	acc_space_deinit(&b->sp);
	fake_track_destroy(b->m);
}

static const char *text(struct bed *b, uint64_t addr)
{
	static char ret[256];

	ck_assert_int_eq(rd_track_var_text(&b->v, addr, ret, sizeof(ret)), ACC_OK);
	return ret;
}

static const char *value(struct bed *b, const struct mdl_variable *var)
{
	static char ret[256];

	ck_assert_int_eq(mpidbg_var_value(&b->v, var, ret, sizeof(ret)), ACC_OK);
	return ret;
}

START_TEST(test_cvars)
{
	static const char *const names[] = { "MPI2DD_TRACK_WHERE", "eager_limit", "tcp_if", "gone", "ratio", "mode" };
	static const char *const values[] = { "7", "65536", "lo,eth0", NULL, "0.5", "2" };
	struct bed b;
	struct mdl_variable var;
	char words[64];

	make(&b, _i);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	ck_assert(b.v.about.known && b.v.about.host == MDL_VARS_READ && b.v.about.n_dropped == 0);
	ck_assert_int_eq(b.v.about.read_at.value, 4711);
	ck_assert_str_eq(text(&b, b.v.about.why), "MPI_Init");
	ck_assert_uint_eq(rd_track_vars_high(&b.v, MDL_CVARS), 6);
	for (uint64_t i = 0; i < 6; i++) {
		ck_assert_int_eq(rd_track_variable(&b.v, MDL_CVARS, i, &var), ACC_OK);
		ck_assert_str_eq(text(&b, var.name), names[i]);
		ck_assert_str_eq(text(&b, var.description), "What it is.");
		ck_assert(!var.unsettled && var.of_mpi == (i != 0) && var.verbosity.value == 9);
		ck_assert_int_eq(var.scope.value, i ? 6 : 2);
		ck_assert_int_eq(var.read_at.known, i ? MDL_KNOWN : MDL_NOT_APPLICABLE);
		if (values[i])
			ck_assert_str_eq(value(&b, &var), values[i]);
		else
			ck_assert_int_eq(mpidbg_var_value(&b.v, &var, words, sizeof(words)), ACC_NONE);
	}
	ck_assert_str_eq(text(&b, var.enumeration), "modes");
	ck_assert_str_eq(text(&b, var.item), "fast");
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_CVARS, 3, &var), ACC_OK);
	ck_assert_str_eq(var.value.why, "not accessible: its component is unloaded, or its memory reused");
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_CVARS, 6, &var), ACC_NONE);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_EVENTS, 0, &var), ACC_EINVAL);
	/* a record that was not looked at, and one that is being written */
	fake_put_u(b.m->f, b.f.records[MDL_CVARS] + b.f.stride[MDL_CVARS], F_trk_cvar_state, TRK_FREE);
	fake_put_u(b.m->f, b.f.records[MDL_CVARS], F_trk_cvar_sequence, 3);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_CVARS, 1, &var), ACC_NONE);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_CVARS, 0, &var), ACC_OK);
	ck_assert(var.unsettled);
	destroy(&b);
}
END_TEST

START_TEST(test_others)
{
	struct bed b;
	struct mdl_variable var;
	struct mdl_category c;
	struct mdl_event e;
	struct mdl_registration r;
	int64_t two[2];

	make(&b, _i);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_PVARS, 0, &var), ACC_OK);
	ck_assert_str_eq(value(&b, &var), "MPI_COMM_WORLD: 3");
	ck_assert_str_eq(mpidbg_class_word(var.var_class), "level");
	ck_assert(var.continuous.value == 1 && var.readonly.value == 0);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_PVARS, 1, &var), ACC_OK);
	ck_assert_str_eq(value(&b, &var), "1, 2, 3");
	ck_assert_int_eq(rd_track_category(&b.v, 1, &c), ACC_OK);
	ck_assert(c.parent.value == 0 && c.members[0].n == 2 && c.members[1].n == 0);
	ck_assert_int_eq(rd_track_numbers(b.t, &c.members[0], 4, 0, 2, two), ACC_OK);
	ck_assert(two[0] == 1 && two[1] == 2);
	ck_assert_int_eq(rd_track_category(&b.v, 0, &c), ACC_OK);
	ck_assert_int_eq(c.parent.known, MDL_NOT_APPLICABLE);
	ck_assert_int_eq(rd_track_event(&b.v, 0, &e), ACC_OK);
	ck_assert(e.ordered && e.elements.n == 2);
	ck_assert_str_eq(text(&b, e.source), "watchdog");
	ck_assert_int_eq(rd_track_registration(&b.v, 0, &r), ACC_OK);
	ck_assert(r.handle == 0x77 && r.raised.value == 5 && r.dropped.value == 2 && !r.freed);
	ck_assert(r.callbacks[2].value == 0x4000 && r.callbacks[0].known == MDL_NOT_APPLICABLE);
	destroy(&b);
}
END_TEST

/* Two cells, of which more may be in use, and two that are taken away. */
static uint64_t add_cells(struct bed *b, uint32_t index, unsigned width, enum trk_var_type type)
{
	struct fake *f = b->m->f;
	uint64_t r = fake_vars_row(&b->f, MDL_PVARS, index), cells = fake_alloc(f, 64, 8);

	for (unsigned i = 0; i < 4; i++)
		fake_write_u(f, cells + 16 * i, width, (uint64_t)1000 >> i); /* 1000, 500, 250, 125 */
	fake_vars_text(&b->f, r, F_trk_pvar_name, "cells");
	fake_put_u(f, r, F_trk_pvar_type, type);
	fake_put_u(f, r, F_trk_pvar_value_state, TRK_VALUE_KNOWN);
	fake_put_u(f, r, F_trk_pvar_count, 1);
	fake_put_u(f, r, F_trk_pvar_value, 7);
	fake_put_u(f, r, F_trk_pvar_read_at, 4711);
	fake_put_u(f, r, F_trk_pvar_cells, cells);
	fake_put_u(f, r, F_trk_pvar_cell_bytes, width);
	fake_put_u(f, r, F_trk_pvar_n_cells, 2);
	fake_put_u(f, r, F_trk_pvar_cell_stride, 16);
	return r;
}

static const char *second(struct bed *b, struct mdl_variable *var)
{
	acc_note_clear(&b->sp.note);
	ck_assert_int_eq(rd_track_variable(&b->v, MDL_PVARS, 2, var), ACC_OK);
	return var->value.known == MDL_UNAVAILABLE ? var->value.why : value(b, var);
}

START_TEST(test_cells)
{
	struct bed b;
	struct mdl_variable var;
	bool wide = _i & 1;

	make(&b, _i);
	struct fake *f = b.m->f;
	uint64_t r = add_cells(&b, 2, wide ? 8 : 4, TRK_VAR_UNSIGNED_LONG_LONG);
	uint64_t cells = fake_get_u(f, r, F_trk_pvar_cells), word = fake_alloc(f, 4, 4);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	ck_assert_str_eq(second(&b, &var), "1500");
	ck_assert_int_eq(var.read_at.known, MDL_NOT_APPLICABLE);
	/* one is in use; more than there are */
	fake_put_u(f, r, F_trk_pvar_in_use, word);
	fake_write_u(f, word, 4, 1);
	ck_assert_str_eq(second(&b, &var), "1000");
	fake_write_u(f, word, 4, 1000000);
	ck_assert_str_eq(second(&b, &var), "1500");
	fake_put_u(f, r, F_trk_pvar_in_use, 0);
	fake_put_u(f, r, F_trk_pvar_minus, cells + 32);
	ck_assert_str_eq(second(&b, &var), "1125");
	/* less than nothing is nothing */
	fake_put_u(f, r, F_trk_pvar_minus, cells);
	fake_put_u(f, r, F_trk_pvar_cells, cells + 32);
	ck_assert_str_eq(second(&b, &var), "0");
	fake_put_u(f, r, F_trk_pvar_minus, 0);
	fake_put_u(f, r, F_trk_pvar_cells, cells);
	fake_put_u(f, r, F_trk_pvar_type, TRK_VAR_DOUBLE);
	fake_put_u(f, r, F_trk_pvar_divisor, 1000);
	ck_assert_str_eq(second(&b, &var), "1.5");
	fake_put_u(f, r, F_trk_pvar_divisor, 0);
	ck_assert_str_eq(second(&b, &var), "1500");
	fake_put_u(f, r, F_trk_pvar_type, TRK_VAR_UNSIGNED_LONG_LONG);
	/* both bits are wanted */
	fake_put_u(f, r, F_trk_pvar_counting, word);
	fake_put_u(f, r, F_trk_pvar_counting_mask, 6);
	fake_write_u(f, word, 4, 5);
	ck_assert_str_eq(second(&b, &var), "not counting: no handle is started");
	fake_write_u(f, word, 4, 7);
	ck_assert_str_eq(second(&b, &var), "1500");
	destroy(&b);
}
END_TEST

/* If a value is unreadable or invalid, the value of the last refresh is used, with its time. */
START_TEST(test_bad_cells)
{
	static const struct {
		unsigned field;
		uint64_t value;
	} cases[] = {
		{ F_trk_pvar_cells, 0 },       { F_trk_pvar_cells, 0x10 },          { F_trk_pvar_cell_bytes, 3 },
		{ F_trk_pvar_n_cells, 0 },     { F_trk_pvar_n_cells, 5000 },        { F_trk_pvar_minus, 0x10 },
		{ F_trk_pvar_in_use, 0x10 },   { F_trk_pvar_cell_stride, 1 << 20 }, { F_trk_pvar_counting, 0x10 },
		{ F_trk_pvar_cell_bytes, 16 },
	};
	struct bed b;
	struct mdl_variable var;

	make(&b, _i);
	struct fake *f = b.m->f;
	uint64_t r = add_cells(&b, 2, 8, TRK_VAR_UNSIGNED_LONG_LONG);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t before = fake_get_u(f, r, cases[i].field);

		fake_put_u(f, r, cases[i].field, cases[i].value);
		ck_assert_msg(strcmp(second(&b, &var), "7") == 0 && var.read_at.value == 4711, "case %zu", i);
		fake_put_u(f, r, cases[i].field, before);
	}
	ck_assert_str_eq(second(&b, &var), "1500");
	destroy(&b);
}
END_TEST

/* Counters of objects: those of the live object, not of an earlier one with the same handle. */
START_TEST(test_object_cells)
{
	struct bed b;
	struct mdl_variable var;
	struct mdl_handle world;

	make(&b, _i);
	struct fake *f = b.m->f;
	uint64_t r = b.f.records[MDL_PVARS], cell = fake_alloc(f, 8, 8);
	uint64_t list = fake_alloc(f, sizeof(struct trk_object_cell), 8);
	uint64_t span = fake_field_addr(f, r, F_trk_pvar_object_cells);
	fake_put_u(f, r, F_trk_pvar_origin, 0);
	ck_assert_int_eq(rd_track_find(b.t, MDL_COMM, 0x100, &world), ACC_OK);
	fake_write_u(f, cell, 8, 99);
	fake_write_u(f, list, 8, cell);
	fake_write_u(f, list + 8, 8, world.id);
	fake_write_u(f, span, 8, list);
	fake_write_u(f, span + 8, 4, 1);
	fake_write_u(f, span + 12, 4, 1);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_PVARS, 0, &var), ACC_OK);
	ck_assert_str_eq(value(&b, &var), "MPI_COMM_WORLD: 99");
	ck_assert_int_eq(var.read_at.known, MDL_NOT_APPLICABLE);
	fake_write_u(f, list + 8, 8, world.id + 1);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_PVARS, 0, &var), ACC_OK);
	ck_assert_str_eq(value(&b, &var), "");
	destroy(&b);
}
END_TEST

/* Nothing mirrored, and a registry that knows nothing of it. */
START_TEST(test_none)
{
	struct bed b;

	make(&b, _i);
	fake_put_u(b.m->f, b.m->registry, F_trk_registry_n_var_tables, 0);
	fake_put_u(b.m->f, b.m->registry, F_trk_registry_vars_read_at, 0);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	ck_assert(!b.v.about.known && b.v.about.read_at.known == MDL_UNAVAILABLE);
	ck_assert_uint_eq(rd_track_vars_high(&b.v, MDL_CVARS), 0);
	ck_assert_int_eq(rd_track_vars(NULL, &b.v), ACC_EINVAL);
	b.t->layout.fields[F_trk_registry_var_tables].source = ACC_SRC_NONE;
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_NONE);
	destroy(&b);
}
END_TEST

static void read_all(struct bed *b)
{
	struct mdl_variable var;
	struct mdl_category c;
	struct mdl_event e;
	struct mdl_registration r;
	char words[512];

	acc_note_clear(&b->sp.note);
	if (rd_track_vars(b->t, &b->v))
		return;
	for (int kind = MDL_CVARS; kind <= MDL_PVARS; kind++)
		for (uint64_t i = 0; i < rd_track_vars_high(&b->v, (enum mdl_var_kind)kind) && i < 100; i++)
			if (!rd_track_variable(&b->v, (enum mdl_var_kind)kind, i, &var)) {
				mpidbg_var_value(&b->v, &var, words, sizeof(words));
				rd_track_var_text(&b->v, var.name, words, sizeof(words));
			}
	for (uint64_t i = 0; i < rd_track_vars_high(&b->v, MDL_CATEGORIES) && i < 100; i++)
		rd_track_category(&b->v, i, &c);
	for (uint64_t i = 0; i < rd_track_vars_high(&b->v, MDL_EVENTS) && i < 100; i++)
		rd_track_event(&b->v, i, &e);
	for (uint64_t i = 0; i < rd_track_vars_high(&b->v, MDL_REGISTRATIONS) && i < 100; i++)
		rd_track_registration(&b->v, i, &r);
}

/* Each byte of head, tables and records with other bits: an answer or a failure with words, and nothing else. */
START_TEST(test_damaged)
{
	static const unsigned char masks[] = { 0xff, 0x80, 0x01 };
	struct bed b;

	make(&b, _i);
	const struct {
		uint64_t addr;
		uint64_t bytes;
	} parts[] = {
		{ fake_field_addr(b.m->f, b.m->registry, F_trk_registry_var_tables), 8 },
		{ fake_field_addr(b.m->f, b.m->registry, F_trk_registry_n_var_tables), 4 },
		{ fake_field_addr(b.m->f, b.m->registry, F_trk_registry_vars_host), 4 },
		{ fake_field_addr(b.m->f, b.m->registry, F_trk_registry_vars_why), 8 },
		{ b.f.tables, (uint64_t)b.f.table_bytes * MDL_N_VAR_KINDS },
		{ b.f.records[MDL_CVARS], (uint64_t)b.f.stride[MDL_CVARS] * 6 },
		{ b.f.records[MDL_PVARS], (uint64_t)b.f.stride[MDL_PVARS] * 2 },
		{ b.f.records[MDL_CATEGORIES], (uint64_t)b.f.stride[MDL_CATEGORIES] * 2 },
		{ b.f.records[MDL_EVENTS], b.f.stride[MDL_EVENTS] },
		{ b.f.records[MDL_REGISTRATIONS], b.f.stride[MDL_REGISTRATIONS] },
	};
	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
		for (uint64_t at = parts[p].addr; at < parts[p].addr + parts[p].bytes; at++)
			for (size_t k = 0; k < sizeof(masks); k++) {
				unsigned char byte = 0;

				ck_assert_int_eq(acc_read(&b.sp, at, 1, &byte), ACC_OK);
				fake_write_u(b.m->f, at, 1, byte ^ masks[k]);
				read_all(&b);
				fake_write_u(b.m->f, at, 1, byte);
			}
	read_all(&b);
	ck_assert_uint_eq(rd_track_vars_high(&b.v, MDL_CVARS), 6);
	destroy(&b);
}
END_TEST

START_TEST(test_senseless)
{
	struct bed b;
	struct mdl_variable var;

	make(&b, _i);
	struct fake *f = b.m->f;
	uint64_t cvar = b.f.records[MDL_CVARS], last = b.f.tables + (uint64_t)4 * b.f.table_bytes;
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_OK);
	fake_put_u(f, cvar, F_trk_cvar_state, 99);
	ck_assert_int_eq(rd_track_variable(&b.v, MDL_CVARS, 0, &var), ACC_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(b.sp.note.text, "trk_cvar.state"));
	acc_note_clear(&b.sp.note);
	fake_put_u(f, last, F_trk_slab_high, FAKE_VARS_CAPACITY + 1);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(b.sp.note.text, "trk_slab.high"));
	fake_put_u(f, last, F_trk_slab_high, 6);
	acc_note_clear(&b.sp.note);
	fake_put_u(f, b.m->registry, F_trk_registry_n_var_tables, 1000);
	ck_assert_int_eq(rd_track_vars(b.t, &b.v), ACC_ECORRUPT);
	destroy(&b);
}
END_TEST

START_TEST(test_names)
{
	static const struct {
		const char *pattern, *name;
		bool fits;
	} cases[] = {
		{ NULL, "anything", true },
		{ "", "anything", true },
		{ "EAGER", "btl_tcp_eager_limit", true },
		{ "eager", "MPIR_CVAR_EAGER", true },
		{ "eagre", "btl_tcp_eager_limit", false },
		{ "*eager*", "btl_tcp_eager_limit", true },
		{ "eager*", "btl_tcp_eager_limit", false },
		{ "btl_*_limit", "btl_tcp_eager_limit", true },
		{ "btl_???_eager_limit", "btl_tcp_eager_limit", true },
		{ "btl_??_eager_limit", "btl_tcp_eager_limit", false },
		{ "[a-c]tl*", "btl_x", true },
		{ "[!a-c]tl*", "btl_x", false },
		{ "[", "a[b", false },
		{ "*[b", "a[b", true },
		{ "a]", "a]", true },
		{ "[]a]x", "]x", true },
		{ "*\\*", "ends with *", true },
		{ "*\\*", "ends without", false },
		{ "*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  false },
		{ "*", "", true },
		{ "?", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(mpidbg_name_fits(cases[i].pattern, cases[i].name) == cases[i].fits, "%s: %s",
			      cases[i].pattern, cases[i].name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("track vars");
	TCase *tcase = tcase_create("vars");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_cvars, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_others, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_cells, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_bad_cells, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_object_cells, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_none, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_damaged, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_senseless, 0, N_TARGETS);
	tcase_add_test(tcase, test_names);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
