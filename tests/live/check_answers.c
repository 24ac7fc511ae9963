/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg print and handles on programs that print the expected answers themselves (tests/programs/answers.h), under
 * both MPIs, live and from a core.
 */
#include "../support/answers.h"
#include "../support/job.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 300 };

static const struct answers_case {
	const char *name;
	const char *program[ANSWERS_MPIS]; /* NULL: not run under this MPI */
	int ranks;
	const char *environment;
	unsigned least; /* minimum number of expected answers */
	bool core;      /* check a core, too */
} cases[] = {
	{ "requests", { "programs/request_lives", "programs-mpich/request_lives" }, 2, NULL, 40, true },
	{ "requests of many threads",
	  { "programs/request_lives", "programs-mpich/request_lives" },
	  2,
	  "THREAD_LEVEL=multiple",
	  40,
	  false },
	{ "odd communicators", { "programs/odd_comms", "programs-mpich/odd_comms" }, 3, NULL, 10, false },
	{ "sessions", { NULL, "programs-mpich/sessions_alone" }, 2, NULL, 12, true },
	{ "leaks", { "programs/leaks", "programs-mpich/leaks" }, 1, "MPI2DD_TRACK_WHERE=3", 6, true },
	{ "full", { "programs/in_call", "programs-mpich/in_call" }, 1, "STAY=copy MPI2DD_TRACK_COMM=8", 3, true },
	{ "local", { "programs/in_call", "programs-mpich/in_call" }, 1, "STAY=local", 2, true },
	{ "mpif.h", { "programs-fortran/%s/emit_mpif", "programs-fortran/%s/emit_mpif" }, 2, NULL, 16, false },
	{ "mpi", { "programs-fortran/%s/emit_mpi", "programs-fortran/%s/emit_mpi" }, 2, NULL, 16, false },
	{ "mpi_f08", { "programs-fortran/%s/emit_f08", "programs-fortran/%s/emit_f08" }, 2, NULL, 16, true },
	{ "mpif.h places",
	  { "programs-fortran/%s/emit_mpif", "programs-fortran/%s/emit_mpif" },
	  2,
	  "MPI2DD_TRACK_WHERE=4",
	  15,
	  false },
	{ "mpi places",
	  { "programs-fortran/%s/emit_mpi", "programs-fortran/%s/emit_mpi" },
	  2,
	  "MPI2DD_TRACK_WHERE=4",
	  15,
	  false },
	{ "mpi_f08 places",
	  { "programs-fortran/%s/emit_f08", "programs-fortran/%s/emit_f08" },
	  2,
	  "MPI2DD_TRACK_WHERE=4",
	  15,
	  true },
	{ "merge", { "programs/merged", NULL }, 2, "MPI2DD_TRACK_WHERE=2", 9, true },
	{ "C++ places", { "programs-cxx/%s/places", "programs-cxx/%s/places" }, 1, "MPI2DD_TRACK_WHERE=4", 4, true },
	{ "C++ inlined",
	  { "programs-cxx/%s/places_inlined", "programs-cxx/%s/places_inlined" },
	  1,
	  "MPI2DD_TRACK_WHERE=4",
	  4,
	  true },
	{ "C++", { "programs-cxx/%s/kinds", "programs-cxx/%s/kinds" }, 2, NULL, 36, true },
};
enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

START_TEST(test_answers)
{
	const struct answers_case *c = &cases[_i / ANSWERS_MPIS];
	enum answers_mpi mpi = _i % ANSWERS_MPIS;
	unsigned n_live, n_core = 0;
	struct answers t;

	if (!c->program[mpi] || answers_lacks(mpi, c->program[mpi]))
		return;
	if (!strcmp(c->name, "sessions") && !job_mpich_has_mpi4()) {
		puts("MPICH 3 has no sessions");
		return;
	}
	answers_start(&t, mpi, c->program[mpi], c->ranks, c->environment);
	ck_assert_uint_ge(t.n, c->least);
	n_live = answers_ask(&t, false);
	if (c->core) {
		answers_core(&t);
		n_core = answers_ask(&t, true);
	}
	size_t n = t.n;
	answers_stop(&t);
	ck_assert_msg(!n_live && !n_core, "%s: of %zu answers %u differ live, %u from the core", c->program[mpi], n,
		      n_live, n_core);
}
END_TEST

/* Without debug information a call site is a function and an offset; if none was recorded, the output says so. */
START_TEST(test_no_places)
{
	char path[SCRATCH_MAX], command[1200];
	struct mpidbg_run r;
	struct answers t;

	close(scratch_file(path, "stripped"));
	snprintf(command, sizeof command, "strip -g -o %s %s/programs%s/leaks && chmod +x %s", path,
		 getenv("MPIDBG_BUILD"), _i ? "-mpich" : "", path);
	ck_assert_int_eq(system(command), 0);
	answers_start(&t, _i, path, 1, "MPI2DD_TRACK_WHERE=2");
	answers_run(&r, &t, "handles comm --leaks", false);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "7 communicators by MPI_Comm_dup in leave_comms+0x") &&
			      strstr(r.out, "called from main+0x"),
		      "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	answers_stop(&t);
	answers_start(&t, _i, path, 1, NULL);
	answers_run(&r, &t, "handles comm --leaks", false);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "7 communicators by MPI_Comm_dup\n") &&
			      strstr(r.out, "MPI2DD_TRACK_WHERE=1"),
		      "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	answers_stop(&t);
	unlink(path);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("answers");

	for (int i = 0; i < N_CASES; i++) {
		TCase *tcase = tcase_create(cases[i].name);

		tcase_set_timeout(tcase, TIMEOUT_S);
		tcase_add_loop_test(tcase, test_answers, i * ANSWERS_MPIS, (i + 1) * ANSWERS_MPIS);
		if (!strcmp(cases[i].name, "leaks"))
			tcase_add_loop_test(tcase, test_no_places, 0, ANSWERS_MPIS);
		suite_add_tcase(suite, tcase);
	}
	return suite_run(suite);
}
