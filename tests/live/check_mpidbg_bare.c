/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handle interface as a debugger calls it, on processes without the in-target library: what facts_windows and
 * facts_types say of their windows and datatypes against mpidbg_..._query(), the handles of a kind, Fortran handles.
 */
#include "../../host/host.h"
#include "../../include/mpidbg.h"
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, WINDOW_FACTS = 55, SHARED_WINDOW_FACTS = 3, TYPE_FACTS = 90 };

static struct host_plugin plugin;
static struct host_session session;

#define CALL(name, ...) (((__typeof__(&name))entry(#name))(__VA_ARGS__))
#define NOBODY          NULL, NULL

static void *entry(const char *name)
{
	void *f = dlsym(plugin.dl, name);

	ck_assert_msg(f != NULL, "the DLL does not export %s", name);
	return f;
}

/* ---- facts -------------------------------------------------------------------------------------------------- */

/* @return does the interface have a member for this key? *ret is its value */
static bool of_win(const struct mpidbg_win_info_t *w, const char *key, int64_t *ret)
{
	if (!strcmp(key, "base"))
		*ret = (int64_t)w->win_base;
	else if (!strcmp(key, "size"))
		*ret = w->win_size;
	else if (!strcmp(key, "displacement_unit"))
		*ret = w->win_displacement_unit;
	else if (!strcmp(key, "posted"))
		*ret = (w->win_bitflags & MPIDBG_WIN_INFO_POSTED) != 0;
	else if (!strcmp(key, "lock_all"))
		*ret = (w->win_bitflags & MPIDBG_WIN_INFO_LOCK_ALL) != 0;
	else if (!strcmp(key, "fence_open"))
		*ret = (w->win_bitflags & MPIDBG_WIN_INFO_FENCE) != 0;
	else
		return false;
	return true;
}

static bool of_type(const struct mpidbg_datatype_info_t *t, const char *key, int64_t *ret)
{
	if (!strcmp(key, "size"))
		*ret = t->type_size;
	else if (!strcmp(key, "extent"))
		*ret = t->type_extent;
	else if (!strcmp(key, "lower_bound"))
		*ret = t->type_lower_bound;
	else if (!strcmp(key, "true_lower_bound"))
		*ret = t->type_true_lower_bound;
	else if (!strcmp(key, "true_extent"))
		*ret = t->type_true_extent;
	else
		return false;
	return true;
}

/* The value of a fact: 12, "0x55d0", true. */
static int64_t value_of(const char *json)
{
	json += *json == '"';
	return *json == 't' ? 1 : *json == 'f' ? 0 : (int64_t)strtoull(json, NULL, 0);
}

static bool is_listed(int kind, mqs_taddr_t handle)
{
	mqs_taddr_t *handles;
	size_t n;
	bool found = false;

	ck_assert_int_eq(CALL(mpidbg_get_handles, session.process, kind, 0, &handles, &n, NULL), MPIDBG_SUCCESS);
	for (size_t i = 0; i < n; i++)
		found |= handles[i] == handle;
	CALL(mpidbg_free, handles);
	return found;
}

/* @return 1: compared */
static unsigned check_win(uint64_t handle, const char *key, const char *json)
{
	struct mpidbg_win_info_t *w = NULL;
	int64_t seen;
	mqs_taddr_t c;

	if (!strcmp(key, "fortran")) {
		ck_assert_int_eq(CALL(mpidbg_win_f2c, NOBODY, session.process, NULL, (mqs_taddr_t)value_of(json), &c),
				 MPIDBG_SUCCESS);
		ck_assert_uint_eq(c, handle);
		ck_assert(is_listed(MPIDBG_WIN, handle));
		return 1;
	}
	int rc = CALL(mpidbg_win_query, NOBODY, session.process, NULL, handle, &w);
	ck_assert_msg(rc == MPIDBG_SUCCESS, "window 0x%" PRIx64 ": %s", handle,
		      CALL(mpidbg_error_string, session.process));
	ck_assert_uint_eq(w->win_object.c_handle, handle);
	ck_assert_str_eq(w->win_object.made_by, ""); /* only the in-target library knows */
	bool known = of_win(w, key, &seen);
	if (known)
		ck_assert_msg(seen == value_of(json), "window 0x%" PRIx64 ": %s: %s, seen %" PRId64, handle, key, json,
			      seen);
	CALL(mpidbg_free_info, MPIDBG_WIN, w);
	return known;
}

static unsigned check_type(uint64_t handle, const char *key, const char *json)
{
	struct mpidbg_datatype_info_t *t = NULL;
	int64_t seen;

	int rc = CALL(mpidbg_datatype_query, NOBODY, session.process, NULL, handle, &t);
	ck_assert_msg(rc == MPIDBG_SUCCESS, "datatype 0x%" PRIx64 ": %s", handle,
		      CALL(mpidbg_error_string, session.process));
	ck_assert_uint_eq(t->type_object.c_handle, handle);
	bool known = of_type(t, key, &seen);
	if (known)
		ck_assert_msg(seen == value_of(json), "datatype 0x%" PRIx64 ": %s: %s, seen %" PRId64, handle, key,
			      json, seen);
	CALL(mpidbg_free_info, MPIDBG_DATATYPE, t);
	return known;
}

/* ---- a program ---------------------------------------------------------------------------------------------- */

static unsigned compare(const struct facts *t)
{
	char kind[16], key[64];
	unsigned n = 0;
	uint64_t handle;
	int value;

	for (size_t i = 0; i < t->n; i++)
		if (sscanf(t->lines[i], "fact %15s 0x%" SCNx64 " %63s %n", kind, &handle, key, &value) == 3) {
			if (!strcmp(kind, "win"))
				n += check_win(handle, key, t->lines[i] + value);
			else if (!strcmp(kind, "datatype"))
				n += check_type(handle, key, t->lines[i] + value);
		}
	return n;
}

/* Debian sid's MPICH 5.0.2 does not allocate one (tests/programs/facts_windows.c). */
static bool has_shared_window(const struct facts *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (strstr(t->lines[i], " flavor \"shared\""))
			return true;
	return false;
}

static const struct {
	const char *program;
	int n;
	unsigned at_least;
} programs[] = { { "facts_windows", 3, WINDOW_FACTS }, { "facts_types", 2, TYPE_FACTS } };

START_TEST(test_queries)
{
	const int program = _i / FACTS_N_MPIS, mpi = _i % FACTS_N_MPIS;
	struct host_error err = { 0 };
	struct host_target *target;
	struct mpidbg_win_info_t *w = NULL;
	struct facts t;
	char path[512];

	if (mpi == FACTS_MPICH && !job_mpich_is_read()) {
		puts("MPICH: not run: its device is not ch4, and its memory is not read");
		return;
	}
	snprintf(path, sizeof(path), "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
	facts_bare = true;
	facts_start((enum facts_mpi)mpi, programs[program].program, programs[program].n, &t);
	ck_assert_msg(host_open_live(t.rank0, &target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(&plugin, target, NULL, &session, &err) == HOST_OK, "%s", err.text);
	unsigned at_least = programs[program].at_least;
	if (at_least == WINDOW_FACTS && !has_shared_window(&t))
		at_least -= SHARED_WINDOW_FACTS;
	ck_assert_uint_ge(compare(&t), at_least);
	ck_assert_int_ne(CALL(mpidbg_win_query, NOBODY, session.process, NULL, 0x1234567, &w), MPIDBG_SUCCESS);
	ck_assert_ptr_null(w);
	host_session_close(&session);
	host_close(target);
	facts_stop(&t);
	host_plugin_unload(&plugin);
}
END_TEST

/* A process without MPI has no capabilities, which is not the same as none. */
START_TEST(test_no_mpi)
{
	struct host_error err = { 0 };
	struct host_target *target;
	unsigned caps = 77;
	char path[512];

	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		execlp("sleep", "sleep", "100", (char *)NULL);
		_exit(9);
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)child);
	for (char name[32] = ""; strcmp(name, "sleep\n") != 0; job_nap()) {
		FILE *f = fopen(path, "re");
		ck_assert_ptr_nonnull(f);
		ck_assert_ptr_nonnull(fgets(name, sizeof(name), f));
		fclose(f);
	}
	snprintf(path, sizeof(path), "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_open_live(child, &target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(&plugin, target, NULL, &session, &err) == HOST_OK, "%s", err.text);
	for (int kind = MPIDBG_COMM; kind < MPIDBG_N_HANDLE_KINDS; kind++) {
		ck_assert_int_eq(CALL(mpidbg_get_capabilities, session.process, kind, &caps), MPIDBG_ERR_NOT_SUPPORTED);
		ck_assert_ptr_nonnull(strstr(CALL(mpidbg_error_string, session.process), "no MPI library"));
	}
	ck_assert_uint_eq(caps, 77);
	host_session_close(&session);
	host_close(target);
	host_plugin_unload(&plugin);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("mpidbg_bare");
	TCase *tcase = tcase_create("queries");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_queries, 0, sizeof(programs) / sizeof(programs[0]) * FACTS_N_MPIS);
	tcase_add_test(tcase, test_no_mpi);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
