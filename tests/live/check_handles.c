/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg handles, print and calls against what tests/programs/handles.c says of itself, under both MPIs. */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_S = 240 };

START_TEST(test_objects)
{
	struct facts t;
	unsigned n_facts, n_bad;

	facts_start((enum facts_mpi)_i, "handles", 2, &t);
	n_bad = facts_compare(&t, &n_facts);
	ck_assert_msg(!n_bad, "%u of %u facts differ, see above", n_bad, n_facts);
	/* number of facts compared; must not decrease. The bytes of four darrays are left out with MPICH 3.4 */
	ck_assert_uint_ge(n_facts, _i == FACTS_MPICH && !job_mpich_is_read() ? 259 : 263);
	facts_stop(&t);
}
END_TEST

START_TEST(test_names)
{
	struct facts t;

	facts_start((enum facts_mpi)_i, "handles", 2, &t);
	static const char *const names[][2] = { { "comm", "MPI_COMM_SELF" },
						{ "datatype", "with holes" },
						{ "op", "MPI_SUM" },
						{ "errhandler", "MPI_ERRORS_RETURN" },
						{ "MPI_Comm", "MPI_COMM_WORLD" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct mpidbg_run r;

		mpidbg_run(&r, "print", names[i][0], names[i][1], "-p", t.pid_text, NULL);
		ck_assert_msg(r.exit_code == 0 && strstr(r.out, names[i][1]), "%s: exit %d: %s%s", names[i][1],
			      r.exit_code, r.out, r.err);
		mpidbg_run_free(&r);
	}
	facts_stop(&t);
}
END_TEST

/* The queues of MPICH and UCX, with the tracker's facts about each operation. */
START_TEST(test_queues)
{
	struct facts t;
	struct mpidbg_run r;

	if (!job_mpich_is_read()) {
		puts("queues: not run: this MPICH's device is not ch4, and its memory is not read");
		return;
	}
	facts_start(FACTS_MPICH, "handles", 2, &t);
	double end = job_now() + 20;
	for (;;) {
		mpidbg_run(&r, "queues", "-p", t.pid_text, NULL);
		ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
		if (strstr(r.out, "blocked: thread") || job_now() > end)
			break;
		mpidbg_run_free(&r);
	}
	ck_assert_msg(strstr(r.out, "MPI_Irecv"), "%s", r.out);
	ck_assert_msg(strstr(r.out, "from 1     tag 77   8 bytes (2 MPI_INT)"), "%s", r.out);
	ck_assert_msg(!strstr(r.out, "unavailable"), "%s", r.out);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

START_TEST(test_usage)
{
	static const char
		forms[] = "\" is no value: give a number (5, 0x44000000), a name (MPI_COMM_WORLD), #N (an object's "
			  "number), fortran:N, @ADDRESS, fortran:@ADDRESS or cxx:ADDRESS\n";
	static const struct {
		const char *args[4];
		int exit_code;
		const char *words;
	} cases[] = {
		{ { "handles", "nonsense" }, 2, "there is no such kind of object" },
		{ { "print", "comm" }, 2, "no object given" },
		{ { "print", "nonsense", "1" }, 2, "there is no such kind of object" },
		{ { "print", "comm", "0x1" }, 1, "no communicator is 0x1" },
		{ { "print", "comm", "@0x1" }, 3, "0x1: cannot be read" },
		{ { "print", "comm", "no such name" }, 1, "no communicator is" },
		{ { "print", "comm", "" }, 2, forms },
		{ { "print", "comm", "0x" }, 2, forms },
		{ { "print", "comm", "0x44oo0000" }, 2, forms },
		{ { "print", "comm", "99999999999999999999999" }, 2, forms },
		{ { "print", "comm", "@abc" }, 2, forms },
		{ { "print", "comm", "@" }, 2, forms },
		{ { "print", "comm", "cxx:" }, 2, forms },
		{ { "print", "comm", "fortran:abc" }, 2, forms },
		{ { "print", "comm", "2d grid" }, 1, "no communicator is 2d grid" },
		{ { "print", "status", "name" }, 2, "address" },
		{ { "print", "status", "0x10" }, 3, "cannot be read" },
	};
	struct facts t;

	facts_start(FACTS_OPENMPI, "handles", 2, &t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const *a = cases[i].args;
		struct mpidbg_run r;

		mpidbg_run(&r, a[0], "-p", t.pid_text, a[1], a[2], NULL);
		ck_assert_msg(r.exit_code == cases[i].exit_code && strstr(r.err, cases[i].words),
			      "%s %s %s: exit %d: %s", a[0], a[1], a[2] ? a[2] : "", r.exit_code, r.err);
		mpidbg_run_free(&r);
	}
	facts_stop(&t);
}
END_TEST

/* What was not found, and why: one line, and the exit code. */
static void not_there(const struct facts *t, const char *command, const char *kind, const char *value,
		      const char *words)
{
	struct mpidbg_run r;

	mpidbg_run(&r, command, "-p", t->pid_text, kind, value, NULL);
	ck_assert_msg(r.exit_code == 1 && strstr(r.err, words), "%s %s: exit %d: %s%s", command, kind, r.exit_code,
		      r.out, r.err);
	mpidbg_run_free(&r);
}

/* A number beyond 32 bits is no Fortran handle. */
START_TEST(test_fortran)
{
	static const char beyond[] = "fortran:6509559808"; /* 0x184000000 */
	struct facts t;

	facts_start((enum facts_mpi)_i, "facts_comms", 3, &t);
	not_there(&t, "print", "comm", beyond, "no communicator is fortran:6509559808: ");
	facts_stop(&t);
}
END_TEST

START_TEST(test_before_init)
{
	static const char words[] = " are not known before MPI_Init has returned";
	struct facts t;

	setenv("MPIT_STAGE", "early", 1);
	facts_start((enum facts_mpi)_i, "mpit_stages", 1, &t);
	not_there(&t, "print", "datatype", "MPI_INT", words);
	not_there(&t, "handles", "--leaks", NULL, words);
	not_there(&t, "handles", "comm", NULL, words);
	facts_stop(&t);
}
END_TEST

/* Without the in-target library there is one clear line, and the objects that the MPI library itself knows. */
START_TEST(test_without)
{
	struct job job = { 0 };
	char pid[16];

	job_start("sends", NULL, 2, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.ranks[0].pid);
	struct mpidbg_run r;
	mpidbg_run(&r, "handles", "-p", pid, NULL);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "mpi2dd-run"), "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "print", "-p", pid, "datatype", "1", NULL);
	ck_assert_msg(r.exit_code == 1 && strstr(r.err, "no datatype is 1: "), "exit %d: %s", r.exit_code, r.err);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "print", "-p", pid, "datatype", "MPI_INT", NULL);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "    size                4\n"), "exit %d: %s", r.exit_code,
		      r.err);
	mpidbg_run_free(&r);

	mpidbg_run(&r, "print", "-p", pid, "comm", "MPI_COMM_WORLD", NULL);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "    members             [0,1]\n") &&
			      strstr(r.out, "    origin              MPI library\n"),
		      "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "print", "-p", pid, "comm", "fortran:1", NULL);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, "communicator MPI_COMM_SELF\n"), "exit %d: %s%s", r.exit_code,
		      r.out, r.err);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "print", "-p", pid, "comm", "1", NULL);
	ck_assert_msg(r.exit_code == 1 && strstr(r.err, "no communicator is 1: "), "exit %d: %s%s", r.exit_code, r.out,
		      r.err);
	mpidbg_run_free(&r);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("handles");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_objects, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_names, 0, FACTS_N_MPIS);
	tcase_add_test(tcase, test_queues);
	tcase_add_test(tcase, test_usage);
	tcase_add_loop_test(tcase, test_fortran, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_before_init, 0, FACTS_N_MPIS);
	tcase_add_test(tcase, test_without);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
