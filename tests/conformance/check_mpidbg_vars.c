/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T through the built DLL: every function on a process that does not exist,
 * with good, wrong and NULL arguments, and with reads and memory that fail.
 */
#include "../support/fake_mqs.h"
#include "../support/fake_vars.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <string.h>

enum { N_TARGETS = 4 };

struct bed {
	struct fake_track *m;
	struct fake_vars f;
	struct fake_mqs *d;
};

static void *entry(struct bed *b, const char *name)
{
	void *f = dlsym(b->d->dl, name);

	ck_assert_msg(f != NULL, "the DLL does not export %s", name);
	return f;
}

#define CALL(b, name, ...) (((__typeof__(&name))entry(b, #name))(__VA_ARGS__))

static struct bed bed(int i)
{
	struct bed b = { .m = fake_track_create(i & 1 ? 4 : 8, i & 2, "MPICH") };

	fake_vars_init(&b.f, b.m);
	fake_vars_all(&b.f);
	b.d = fake_mqs_create(b.m->f);
	ck_assert_int_eq(CALL(&b, mpidbg_init_once, &b.d->basic), MPIDBG_SUCCESS);
	ck_assert_int_eq(CALL(&b, mpidbg_init_per_image, b.d->image, &b.d->image_callbacks, NULL), MPIDBG_SUCCESS);
	ck_assert_int_eq(CALL(&b, mpidbg_init_per_process, b.d->process, &b.d->process_callbacks, NULL),
			 MPIDBG_SUCCESS);
	return b;
}

static void leave(struct bed *b)
{
	CALL(b, mpidbg_finalize_per_process, b->d->process, NULL);
	CALL(b, mpidbg_finalize_per_image, b->d->image, NULL);
	fake_mqs_destroy(b->d);
	fake_track_destroy(b->m);
}

START_TEST(test_cvars)
{
	struct bed b = bed(_i);
	struct mpidbg_cvar_t *c;
	size_t n = 0;

	ck_assert_int_eq(CALL(&b, mpidbg_get_cvars, b.d->process, &c, &n), MPIDBG_SUCCESS);
	ck_assert_uint_eq(n, 6);
	ck_assert(c[0].cvar_index == 0 && c[0].cvar_origin == MPIDBG_ORIGIN_MPI2DD && c[0].cvar_time == 0);
	ck_assert_str_eq(c[0].cvar_name, "MPI2DD_TRACK_WHERE");
	ck_assert_str_eq(c[0].cvar_value, "7");
	ck_assert_int_eq(c[0].cvar_scope, MPIDBG_SCOPE_LOCAL);
	ck_assert(c[1].cvar_number == 65536 && c[1].cvar_scope == MPIDBG_SCOPE_ALL_EQ && c[1].cvar_verbosity == 9);
	ck_assert(c[1].cvar_origin == MPIDBG_ORIGIN_MPI && c[1].cvar_time == 4711 && c[1].cvar_type == MPIDBG_VAR_INT);
	ck_assert_str_eq(c[1].cvar_description, "What it is.");
	ck_assert_str_eq(c[2].cvar_value, "lo,eth0");
	ck_assert(c[2].cvar_type == MPIDBG_VAR_CHAR && !c[2].cvar_why && !c[2].cvar_enum && !c[2].cvar_item);
	ck_assert_ptr_null(c[3].cvar_value);
	ck_assert_str_eq(c[3].cvar_why, "not accessible: its component is unloaded, or its memory reused");
	ck_assert(c[4].cvar_type == MPIDBG_VAR_DOUBLE && c[4].cvar_real == 0.5);
	ck_assert_str_eq(c[5].cvar_enum, "modes");
	ck_assert_str_eq(c[5].cvar_item, "fast");
	CALL(&b, mpidbg_free, c);
	leave(&b);
}
END_TEST

START_TEST(test_others)
{
	struct bed b = bed(_i);
	struct mpidbg_pvar_t *p;
	struct mpidbg_category_t *c;
	struct mpidbg_event_t *e;
	struct mpidbg_registration_t *r;
	struct mpidbg_vars_state_t *s;
	int *members;
	size_t n = 0;

	ck_assert_int_eq(CALL(&b, mpidbg_get_pvars, b.d->process, &p, &n), MPIDBG_SUCCESS);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(p[0].pvar_value, "0x100: 3");
	ck_assert(p[0].pvar_bind == MPIDBG_BIND_COMM && p[0].pvar_class == MPIDBG_CLASS_LEVEL);
	ck_assert_str_eq(p[1].pvar_value, "1, 2, 3");
	ck_assert_str_eq(p[1].pvar_description, "");
	CALL(&b, mpidbg_free, p);
	ck_assert_int_eq(CALL(&b, mpidbg_get_categories, b.d->process, &c, &n), MPIDBG_SUCCESS);
	ck_assert_uint_eq(n, 2);
	ck_assert(c[0].cat_parent == -1 && c[1].cat_parent == 0 && c[1].cat_num_cvars == 2);
	CALL(&b, mpidbg_free, c);
	ck_assert_int_eq(CALL(&b, mpidbg_get_category_members, b.d->process, 1, MPIDBG_MEMBER_CVARS, &members, &n), 0);
	ck_assert(n == 2 && members[0] == 1 && members[1] == 2);
	CALL(&b, mpidbg_free, members);
	ck_assert_int_eq(CALL(&b, mpidbg_get_category_members, b.d->process, 1, MPIDBG_MEMBER_EVENTS, &members, &n), 0);
	ck_assert(n == 0 && !members);
	ck_assert_int_eq(CALL(&b, mpidbg_get_category_members, b.d->process, 2, 0, &members, &n), MPIDBG_ERR_NOT_FOUND);
	ck_assert_int_eq(CALL(&b, mpidbg_get_events, b.d->process, &e, &n), MPIDBG_SUCCESS);
	ck_assert(n == 1 && e[0].event_source_ordered && e[0].event_num_elements == 2);
	ck_assert(e[0].event_elements[1] == MPIDBG_VAR_INT);
	ck_assert_str_eq(e[0].event_name, "stall");
	ck_assert_str_eq(e[0].event_source, "watchdog");
	CALL(&b, mpidbg_free, e);
	ck_assert_int_eq(CALL(&b, mpidbg_get_registrations, b.d->process, &r, &n), MPIDBG_SUCCESS);
	ck_assert(n == 1 && r[0].reg_handle == 0x77 && r[0].reg_raised == 5 && r[0].reg_dropped == 2);
	ck_assert(r[0].reg_callbacks[2] == 0x4000 && r[0].reg_event == 0 && !r[0].reg_freed);
	CALL(&b, mpidbg_free, r);
	ck_assert_int_eq(CALL(&b, mpidbg_get_vars_state, b.d->process, &s), MPIDBG_SUCCESS);
	ck_assert(s->vars_time == 4711 && s->vars_n == 1 && s->vars_has_mpi && !s->vars_todo && !s->vars_n_dropped);
	ck_assert_str_eq(s->vars_why, "MPI_Init");
	CALL(&b, mpidbg_free, s);
	leave(&b);
}
END_TEST

/* The functions with one array, by name. */
typedef int list_fn(mqs_process *, void **, size_t *);
static const char *const lists[] = { "mpidbg_get_cvars", "mpidbg_get_pvars", "mpidbg_get_categories",
				     "mpidbg_get_events", "mpidbg_get_registrations" };
enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };

START_TEST(test_wrong)
{
	struct bed b = bed(_i);
	void *kept = &b, *ret = kept;
	struct mpidbg_vars_state_t *s;
	int *members;
	size_t n = 99;

	for (int k = 0; k < N_LISTS; k++) {
		list_fn *get = entry(&b, lists[k]);

		ck_assert_int_eq(get(NULL, &ret, &n), MPIDBG_ERR_OUT_OF_RANGE);
		ck_assert_int_eq(get(b.d->process, NULL, &n), MPIDBG_ERR_OUT_OF_RANGE);
		ck_assert_int_eq(get(b.d->process, &ret, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	}
	ck_assert_int_eq(CALL(&b, mpidbg_get_vars_state, b.d->process, NULL), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_get_vars_state, NULL, &s), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_get_category_members, b.d->process, -1, 0, &members, &n),
			 MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_int_eq(CALL(&b, mpidbg_get_category_members, b.d->process, 0, 4, &members, &n),
			 MPIDBG_ERR_OUT_OF_RANGE);
	/* nothing mirrored yet */
	fake_put_u(b.m->f, b.m->registry, F_trk_registry_n_var_tables, 0);
	for (int k = 0; k < N_LISTS; k++) {
		list_fn *get = entry(&b, lists[k]);

		ck_assert_int_eq(get(b.d->process, &ret, &n), MPIDBG_ERR_NOT_FOUND);
		ck_assert_ptr_nonnull(strstr(CALL(&b, mpidbg_error_string, b.d->process), "MPI_T was not read"));
	}
	/* no library */
	fake_symbol_remove(b.m->f, "MPI2DD_registry");
	CALL(&b, mpidbg_finalize_per_process, b.d->process, NULL);
	ck_assert_int_eq(CALL(&b, mpidbg_init_per_process, b.d->process, &b.d->process_callbacks, NULL), 0);
	for (int k = 0; k < N_LISTS; k++) {
		list_fn *get = entry(&b, lists[k]);

		ck_assert_int_eq(get(b.d->process, &ret, &n), MPIDBG_ERR_NOT_SUPPORTED);
		ck_assert_ptr_nonnull(strstr(CALL(&b, mpidbg_error_string, b.d->process), "mpi2dd-run"));
	}
	ck_assert(ret == kept && n == 99);
	leave(&b);
}
END_TEST

static int describe(struct bed *b, int format, const char *kind, const char *pattern, char **text)
{
	const struct mpidbg_options options = {
		.size = sizeof(options), .format = format, .all = 1, .kind = kind, .value = pattern
	};

	return CALL(b, mpidbg_describe, b->d->process, MPIDBG_WHAT_VARS, &options, text);
}

START_TEST(test_words)
{
	struct bed b = bed(_i);
	char *text = NULL;

	ck_assert_int_eq(describe(&b, MPIDBG_FORMAT_TEXT, NULL, NULL, &text), MPIDBG_SUCCESS);
	ck_assert_ptr_nonnull(strstr(text, "control variables: 6"));
	ck_assert_ptr_nonnull(strstr(text, "lo,eth0"));
	ck_assert_ptr_nonnull(
		strstr(text, "unavailable (not accessible: its component is unloaded, or its memory reused)"));
	ck_assert_ptr_nonnull(strstr(text, "2 fast"));
	ck_assert_ptr_nonnull(strstr(text, "raised 5, dropped 2"));
	CALL(&b, mpidbg_free, text);
	ck_assert_int_eq(describe(&b, MPIDBG_FORMAT_JSON, "cvars", "tcp", &text), MPIDBG_SUCCESS);
	ck_assert_ptr_nonnull(strstr(text, "\"lo,eth0\""));
	ck_assert_ptr_null(strstr(text, "eager_limit"));
	ck_assert_ptr_null(strstr(text, "\"pvars\""));
	CALL(&b, mpidbg_free, text);
	ck_assert_int_eq(describe(&b, MPIDBG_FORMAT_TEXT, NULL, "none*", &text), MPIDBG_ERR_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(CALL(&b, mpidbg_error_string, b.d->process), "fits \"none*\""));
	CALL(&b, mpidbg_free, text);
	ck_assert_int_eq(describe(&b, MPIDBG_FORMAT_TEXT, "nonsense", NULL, &text), MPIDBG_ERR_OUT_OF_RANGE);
	ck_assert_ptr_null(text);
	/* a bad record is left out, and said */
	fake_put_u(b.m->f, b.f.records[MDL_CVARS], F_trk_cvar_state, 77);
	ck_assert_int_eq(describe(&b, MPIDBG_FORMAT_TEXT, "cvars", NULL, &text), MPIDBG_ERR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(text, "control variables: 5"));
	ck_assert_ptr_nonnull(strstr(text, "1 skipped, the first: trk_cvar.state"));
	CALL(&b, mpidbg_free, text);
	leave(&b);
}
END_TEST

/* A debugger's text for the location of an address; ctx selects its form, NULL: none. */
static int place(void *ctx, uint64_t return_addr, char *ret, size_t size)
{
	if (ctx)
		snprintf(ret, size, ctx, (unsigned long long)return_addr);
	return ctx == NULL;
}

/* A callback is shown by the name of the function at its address;
 * the address is shown if there is no name, or with --all. */
START_TEST(test_callback)
{
	static const struct {
		const char *form, *words, *all, *json;
	} cases[] = {
		{ "told at x.c:7", "; callback told at x.c:7 (requires thread_safe)",
		  "; callback 0x4000 told at x.c:7 (requires", "{\"thread_safe\":\"told at x.c:7\"}" },
		{ "told+0x1", "; callback told (requires", "; callback 0x4000 told (", "{\"thread_safe\":\"told\"}" },
		{ "program+0x%llx", "; callback program+0x4000 (", "; callback 0x4000 program+0x4000 (",
		  "{\"thread_safe\":\"program+0x4000\"}" },
		{ "operator+0x%llxz", "; callback operator+0x4001z (", "; callback 0x4000 operator+0x4001z (",
		  "4001z" },
		{ NULL, "; callback 0x4000 (requires", "; callback 0x4000 (requires", "\"callback_places\":{}" },
	};
	struct bed b = bed(_i);

	for (size_t i = 0; i < 3 * sizeof(cases) / sizeof(cases[0]); i++) {
		const char *expected[] = { cases[i / 3].words, cases[i / 3].all, cases[i / 3].json };
		const struct mpidbg_options options = {
			.size = sizeof(options),
			.format = i % 3 == 2 ? MPIDBG_FORMAT_JSON : MPIDBG_FORMAT_TEXT,
			.all = i % 3 == 1,
			.place = place,
			.place_ctx = (void *)(uintptr_t)cases[i / 3].form,
		};
		char *text = NULL;

		CALL(&b, mpidbg_describe, b.d->process, MPIDBG_WHAT_VARS, &options, &text);
		ck_assert_msg(text && strstr(text, expected[i % 3]), "%s: no %s in\n%s", cases[i / 3].form,
			      expected[i % 3], text);
		CALL(&b, mpidbg_free, text);
	}
	leave(&b);
}
END_TEST

/* The n-th read, or allocation, fails: a code, words, nothing lost. */
START_TEST(test_faults)
{
	for (int what = 0; what < 2; what++) {
		struct bed b = bed(_i);
		struct fake_fuse *fuse = what ? &b.m->f->allocs : &b.m->f->reads;

		for (int k = 0; k < N_LISTS + 1; k++) {
			for (int64_t n = 0;; n++) {
				void *ret = NULL;
				char *text = NULL;
				size_t count;

				fake_fuse(fuse, n, what == 0);
				int code = k < N_LISTS ? ((list_fn *)entry(&b, lists[k]))(b.d->process, &ret, &count)
						       : describe(&b, MPIDBG_FORMAT_JSON, NULL, NULL, &text);
				bool failed = fuse->n_failed;
				fake_fuse_off(fuse);
				if (k < N_LISTS)
					ck_assert(!code == (ret != NULL));
				CALL(&b, mpidbg_free, ret);
				CALL(&b, mpidbg_free, text);
				if (!failed)
					break;
				ck_assert_int_lt(n, 20000);
			}
		}
		leave(&b);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mpidbg vars");
	TCase *tcase = tcase_create("vars");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_cvars, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_others, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_wrong, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_words, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_callback, 0, N_TARGETS);
	tcase_add_loop_test(tcase, test_faults, 0, N_TARGETS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
