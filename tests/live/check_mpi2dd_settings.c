/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings that make no sense: the starter says so and goes on, the library uses something else and tells mpidbg. And a
 * starter within a starter.
 */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/starter_run.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 120 };

static char build[PATH_MAX];

static const char
	not_understood[] = "MPI2DD_TRACK_COMM=abc was not understood: a number from 0 to 16777216; 4096 is used";
static const char too_large[] = "MPI2DD_TRACK_WHERE=1000 is too large: a number from 0 to 32; 32 is used";
static const char no_such[] = "MPI2DD_TRAK: there is no such setting: did you mean MPI2DD_TRACK?";

/* How often the starter has said something. */
static int said(const struct starter_run *r, const char *line)
{
	char whole[400];
	int n = 0;

	snprintf(whole, sizeof(whole), "mpi2dd-run: %s\n", line);
	for (const char *p = r->err; (p = strstr(p, whole)); p++)
		n++;
	return n;
}

START_TEST(test_starter)
{
	static struct starter_run r;

	starter_do(&r,
		   "env MPI2DD_TRACK_COMM=abc MPI2DD_TRACK_WHERE=1000 MPI2DD_TRAK=0 MPI2DD_VARS=host "
		   "%s/mpi2dd-run --mpi openmpi -- sh -c 'echo ran; exit 5'",
		   getenv("MPIDBG_BUILD"));
	ck_assert_msg(starter_code(&r) == 5 && strcmp(r.out, "ran\n") == 0, "exit %d: %s%s", starter_code(&r), r.out,
		      r.err);
	ck_assert_msg(said(&r, not_understood) == 1 && said(&r, too_large) == 1 && said(&r, no_such) == 1, "%s", r.err);
	ck_assert_ptr_null(strstr(r.err, "MPI2DD_VARS"));
	/* nothing to say */
	starter_do(&r, "env MPI2DD_TRACK_COMM=5 MPI2DD_GATE=0 %s/mpi2dd-run --mpi openmpi -- true",
		   getenv("MPIDBG_BUILD"));
	ck_assert_msg(starter_code(&r) == 0 && r.err[0] == '\0', "exit %d: %s", starter_code(&r), r.err);
}
END_TEST

static json_t *cvar(const json_t *process, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(process, "cvars"), i, entry)
	{
		const char *seen = json_string_value(json_object_get(entry, "name"));
		if (seen && strcmp(seen, name) == 0)
			return json_object_get(entry, "value");
	}
	return NULL;
}

static bool has(const struct facts *t, const char *line)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->lines[i], line) == 0)
			return true;
	return false;
}

static size_t find(const json_t *array, const char *text)
{
	json_t *one;
	size_t i, n = 0;

	json_array_foreach(array, i, one) n += strcmp(json_string_value(one), text) == 0;
	return n;
}

START_TEST(test_library)
{
	struct facts t;
	json_t *answer;

	setenv("MPIT_STAGE", "late", 1);
	setenv("MPI2DD_TRACK_COMM", "abc", 1);
	setenv("MPI2DD_TRACK_WHERE", "1000", 1);
	setenv("MPI2DD_TRAK", "0", 1);
	facts_start((enum facts_mpi)_i, "mpit_stages", 1, &t);
	/* what MPI_T returns to the program, and what mpidbg shows */
	ck_assert(has(&t, "value MPI2DD_TRACK_COMM 4096") && has(&t, "value MPI2DD_TRACK_WHERE 32"));
	const json_t *process = facts_ask(&t, &answer, "vars", "MPI2DD_TRACK_*", NULL);
	ck_assert_int_eq(json_integer_value(cvar(process, "MPI2DD_TRACK_COMM")), 4096);
	ck_assert_int_eq(json_integer_value(cvar(process, "MPI2DD_TRACK_WHERE")), 32);
	const json_t *refused = json_object_get(process, "settings_refused");
	ck_assert_uint_eq(json_array_size(refused), 3);
	ck_assert_uint_eq(find(refused, not_understood), 1);
	ck_assert_uint_eq(find(refused, too_large), 1);
	ck_assert_uint_eq(find(refused, no_such), 1);
	json_decref(answer);
	char *text = facts_text(&t, "doctor", NULL, NULL);
	ck_assert_msg(strstr(text, not_understood) && strstr(text, too_large) && strstr(text, no_such), "%s", text);
	free(text);
	facts_stop(&t);
}
END_TEST

START_TEST(test_nested)
{
	static struct starter_run r;
	starter_do(&r,
		   "R --mpi openmpi --hang 77 -- %s/mpi2dd-run --mpi openmpi --hang 55 -- sh -c 'echo $MPI2DD_HANG'",
		   build);
	ck_assert_msg(starter_code(&r) == 0 && strcmp(r.out, "55\n") == 0, "exit %d: %s%s", starter_code(&r), r.out,
		      r.err);
	ck_assert_int_eq(said(&r, "inside another mpi2dd-run with --hang 77, which does not see this job: this one "
				  "watches it, with --hang 55"),
			 1);
	starter_do(&r, "R --mpi openmpi --hang 77 -- %s/mpi2dd-run --mpi openmpi -- sh -c 'echo $MPI2DD_HANG'", build);
	ck_assert_msg(starter_code(&r) == 0 && strcmp(r.out, "\n") == 0, "exit %d: %s%s", starter_code(&r), r.out,
		      r.err);
	ck_assert_int_eq(said(&r, "inside another mpi2dd-run with --hang 77, which does not see this job: nobody "
				  "watches it; use --hang SECONDS here"),
			 1);
	/* without --hang there is nothing to report */
	starter_do(&r, "R --mpi openmpi -- %s/mpi2dd-run --mpi openmpi --hang 55 -- true", build);
	ck_assert_msg(starter_code(&r) == 0 && r.err[0] == '\0', "exit %d: %s", starter_code(&r), r.err);
}
END_TEST

/* The inner one works as requested, the outer one does nothing. */
START_TEST(test_nested_hang)
{
	static struct starter_run r;

	starter_make_fifo("go");
	starter_start(
		&r,
		"sh -c 'cd %s && exec %s/mpi2dd-run --mpi %s --hang 1 -- %s/mpi2dd-run --hang 1 --on-hang break %s "
		"-n 2 %s/%s/stall 3 1 go 2>&1'",
		starter_dir, build, _i ? "mpich" : "openmpi", build,
		_i ? "mpirun.mpich" : "mpirun.openmpi --oversubscribe", build, _i ? "programs-mpich" : "programs");
	starter_await(&r, "the job hangs");
	starter_open_fifo("go");
	starter_wait(&r);
	ck_assert_msg(starter_code(&r) == 0, "exit %d: %s", starter_code(&r), r.out);
	const char *first = strstr(r.out, "the job hangs");
	ck_assert_msg(first && !strstr(first + 1, "the job hangs"), "%s", r.out);
	ck_assert_msg(strstr(r.out, "this one watches it, with --hang 1") != NULL, "%s", r.out);
}
END_TEST

int main(void)
{
	job_require();
	if (!realpath(getenv("MPIDBG_BUILD"), build))
		return 1;
	Suite *suite = suite_create("mpi2dd settings");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_checked_fixture(tcase, starter_setup, starter_teardown);
	tcase_add_test(tcase, test_starter);
	tcase_add_loop_test(tcase, test_library, 0, FACTS_N_MPIS);
	tcase_add_test(tcase, test_nested);
	tcase_add_loop_test(tcase, test_nested_hang, 0, FACTS_N_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
