/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg print and handles on programs that print the expected answers themselves (tests/programs/told.h), under both
 * MPIs, live and from a core.
 */
#include "../support/job.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/told.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 300 };

static const struct told_case {
	const char *name;
	const char *program[TOLD_MPIS]; /* NULL: not run under this MPI */
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
	{ "mpif.h", { "programs-fortran/%s/tell_mpif", "programs-fortran/%s/tell_mpif" }, 2, NULL, 16, false },
	{ "mpi", { "programs-fortran/%s/tell_mpi", "programs-fortran/%s/tell_mpi" }, 2, NULL, 16, false },
	{ "mpi_f08", { "programs-fortran/%s/tell_f08", "programs-fortran/%s/tell_f08" }, 2, NULL, 16, true },
	{ "mpif.h places",
	  { "programs-fortran/%s/tell_mpif", "programs-fortran/%s/tell_mpif" },
	  2,
	  "MPI2DD_TRACK_WHERE=4",
	  15,
	  false },
	{ "mpi places",
	  { "programs-fortran/%s/tell_mpi", "programs-fortran/%s/tell_mpi" },
	  2,
	  "MPI2DD_TRACK_WHERE=4",
	  15,
	  false },
	{ "mpi_f08 places",
	  { "programs-fortran/%s/tell_f08", "programs-fortran/%s/tell_f08" },
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

START_TEST(test_told)
{
	const struct told_case *c = &cases[_i / TOLD_MPIS];
	enum told_mpi mpi = _i % TOLD_MPIS;
	unsigned n_live, n_core = 0;
	struct told t;

	if (!c->program[mpi] || told_lacks(mpi, c->program[mpi]))
		return;
	told_start(&t, mpi, c->program[mpi], c->ranks, c->environment);
	ck_assert_uint_ge(t.n, c->least);
	n_live = told_ask(&t, false);
	if (c->core) {
		told_core(&t);
		n_core = told_ask(&t, true);
	}
	size_t n = t.n;
	told_stop(&t);
	ck_assert_msg(!n_live && !n_core, "%s: of %zu answers %u differ live, %u from the core", c->program[mpi], n,
		      n_live, n_core);
}
END_TEST

/* Without debug information a call site is a function and an offset; if none was recorded, the output says so. */
START_TEST(test_no_places)
{
	char path[SCRATCH_MAX], command[1200];
	struct mpidbg_run r;
	struct told t;

	close(scratch_file(path, "stripped"));
	snprintf(command, sizeof command, "strip -g -o %s %s/programs%s/leaks && chmod +x %s", path,
		 getenv("MPIDBG_BUILD"), _i ? "-mpich" : "", path);
	ck_assert_int_eq(system(command), 0);
	told_start(&t, _i, path, 1, "MPI2DD_TRACK_WHERE=2");
	told_run(&r, &t, "handles comm --leaks", false);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "7 communicators by MPI_Comm_dup in leave_comms+0x") &&
			      strstr(r.out, "called from main+0x"),
		      "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	told_stop(&t);
	told_start(&t, _i, path, 1, NULL);
	told_run(&r, &t, "handles comm --leaks", false);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "7 communicators by MPI_Comm_dup\n") &&
			      strstr(r.out, "MPI2DD_TRACK_WHERE=1"),
		      "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	told_stop(&t);
	unlink(path);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("told");

	for (int i = 0; i < N_CASES; i++) {
		TCase *tcase = tcase_create(cases[i].name);

		tcase_set_timeout(tcase, TIMEOUT_S);
		tcase_add_loop_test(tcase, test_told, i * TOLD_MPIS, (i + 1) * TOLD_MPIS);
		if (!strcmp(cases[i].name, "leaks"))
			tcase_add_loop_test(tcase, test_no_places, 0, TOLD_MPIS);
		suite_add_tcase(suite, tcase);
	}
	return suite_run(suite);
}
