/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User sessions: the commands of NAME.gdb are run in GDB and the output is compared with NAME.expected. docs/gdb.md
 * shows some of them. The expected output was reviewed against the programs:
 * tests/programs/{ring_hang,gdb_values,printed}.c.
 */
#include "../support/gdb_run.h"
#include "../support/gdb_session.h"
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 240, N_JOBS = 3 };

static struct gdb_hang hang;
static char folder[SCRATCH_MAX];

static void setup(void)
{
	scratch_make(folder, "gdb");
	gdb_words_clear();
	gdb_session_launcher(NULL);
	/* for the launchers, too: a killed job leaves its session directory there */
	setenv("TMPDIR", folder, 1);
	gdb_word("DIR", "%s", folder);
	launcher_environment();
}

static void teardown(void)
{
	gdb_hang_end(&hang);
	scratch_remove(folder);
}

/* ---- a job that hangs --------------------------------------------------------------------------------- */

/* Every command on the job's rank 0, on its core, and through a gdbserver: every_NAME_live, _core, _server. */
static void every(const char *name)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "every_%s_live", name);
	gdb_session("every", expected, "-p", "@PID0@", NULL);
	snprintf(expected, sizeof(expected), "every_%s_core", name);
	gdb_session("every", expected, "@PROGRAM@", "@CORE@", NULL);
	snprintf(expected, sizeof(expected), "every_%s_server", name);
	gdb_session("every_server", expected, NULL);
}

START_TEST(test_hang)
{
	gdb_hang_start(&hang, "openmpi", false, 4);
	gdb_word("DIR", "%s", folder);
	gdb_session("hang", "hang", "-p", "@PID0@", NULL);
	gdb_hang_core(&hang);
	gdb_session("hang_core", "hang_core", "@PROGRAM@", "@CORE@", NULL);
	every("bare");
}
END_TEST

START_TEST(test_hang_tracked)
{
	gdb_hang_start(&hang, "openmpi", true, 2);
	gdb_session("hang_tracked", "hang_tracked_openmpi", "-p", "@PID0@", NULL);
	gdb_hang_core(&hang);
	every("openmpi");
}
END_TEST

START_TEST(test_hang_tracked_mpich)
{
	gdb_hang_start(&hang, "mpich", true, 2);
	gdb_session("hang_tracked", "hang_tracked_mpich", "-p", "@PID0@", NULL);
	gdb_hang_core(&hang);
	every("mpich");
	gdb_hang_cores(&hang);
	gdb_session("cores", "cores", NULL);
}
END_TEST

/* Without the in-target library, and with UCX matching the messages of both MPIs. */
START_TEST(test_ucx)
{
	static const char *const settings[] = { "OMPI_MCA_pml", "OMPI_MCA_opal_common_ucx_tls",
						"OMPI_MCA_opal_common_ucx_devices" };

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		ck_assert_int_eq(setenv(settings[i], i ? "any" : "ucx", 1), 0);
	gdb_hang_start(&hang, _i ? "mpich" : "openmpi", false, 2);
	gdb_session("ucx", _i ? "ucx_mpich" : "ucx_openmpi", "-p", "@PID0@", NULL);
}
END_TEST

START_TEST(test_eight)
{
	gdb_hang_start(&hang, "openmpi", false, 8);
	gdb_session("eight", "eight", NULL);
}
END_TEST

START_TEST(test_two)
{
	static const struct {
		const char *flavour, *expected;
		bool tracked;
	} jobs[N_JOBS] = { { "openmpi", "two_bare", false },
			   { "openmpi", "two_openmpi", true },
			   { "mpich", "two_mpich", true } };

	const bool equal_handles = !strcmp(jobs[_i].flavour, "mpich") && job_mpich_is_5();

	gdb_job_start(&hang, "steps", jobs[_i].flavour, jobs[_i].tracked, 2);
	gdb_session("two", equal_handles ? "two_mpich5" : jobs[_i].expected, NULL);
}
END_TEST

/* ---- programs that run under GDB ---------------------------------------------------------------------- */

static const struct flavour {
	const char *name, *program, *preload;
} flavours[] = {
	{ "openmpi", "@BUILD@/programs/", "@BUILD@/libmpi2dd-openmpi.so" },
	{ "mpich", "@BUILD@/programs-mpich/", "@BUILD@/libmpi2dd-mpich.so" },
	{ "bare", "@BUILD@/programs/", "" },
};
enum { N_TRACKED = 2, N_FLAVOURS = 3 };

/* A session on a program of the flavour. */
static void run(const char *name, const struct flavour *f, const char *program)
{
	char expected[64], path[PATH_MAX];

	if (!strcmp(f->name, "mpich") && !job_mpich_is_read()) {
		printf("%s_mpich: not run: this MPICH's device is not ch4, and its memory is not read\n", name);
		return;
	}
	snprintf(path, sizeof(path), "%s%s", f->program, program);
	snprintf(expected, sizeof(expected), "%s_%s", name, f->name);
	char build[PATH_MAX];
	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	gdb_word("PRELOAD", "%s%s", *f->preload ? build : "", *f->preload ? strrchr(f->preload, '/') : "");
	gdb_session(name, expected, path, NULL);
}

START_TEST(test_values)
{
	gdb_word("OSC", job_has_component("osc:pt2pt") ? "pt2pt" : "rdma"); /* pt2pt: up to 4.1 */
	run("values", &flavours[_i], "gdb_values");
	run("values_core", &flavours[_i], "gdb_values");
}
END_TEST

START_TEST(test_conditions)
{
	run("conditions", &flavours[_i], "printed");
}
END_TEST

START_TEST(test_damage)
{
	run("damage", &flavours[_i], "printed");
	if (*flavours[_i].preload)
		run("damage_registry", &flavours[_i], "printed");
	else
		run("damage_openmpi", &flavours[_i], "printed");
}
END_TEST

/*
 * mpirun forwards stdout and stderr separately and so loses their order: a shell merges
 * them first. Up to 4.1, --quiet keeps it from reporting that the program has aborted, and
 * it ends the processes that the program has spawned. Launchers since 5.0 do neither: their
 * own messages are discarded, and the shell kills their processes after GDB has ended.
 */
static void by_mpirun(const char *starter)
{
	static const char quiet[] = "mpirun.openmpi --oversubscribe --quiet -n 1 sh -c 'exec \"$@\" 2>&1' sh",
			  ends[] = "mpirun.openmpi --oversubscribe -n 1 sh -c '\"$@\" 2>&1; for p in $(cat "
				   "/proc/$PPID/task/$PPID/children); do [ $p = $$ ] || kill $p; done' sh";
	bool can = system("mpirun.openmpi --quiet -n 1 true >/dev/null 2>&1") == 0;
	char line[PATH_MAX];

	snprintf(line, sizeof(line), "%s@BUILD@/mpi2dd-run %s%s", can ? "" : "sh -c 'exec \"$@\" 2>/dev/null' sh ",
		 starter, can ? quiet : ends);
	gdb_session_launcher(line);
}

/*
 * tests/programs/catches.c describes what the process does. Debian's MPICH cannot spawn processes; the events it can
 * stop at are in check_gdb_tracked.
 */
START_TEST(test_catch)
{
	by_mpirun("");
	gdb_session("catch", "catch", "--args", "@BUILD@/programs/catches", NULL);
}
END_TEST

START_TEST(test_catch_hang)
{
	by_mpirun("--hang 5 --on-hang break ");
	gdb_session("catch_hang", "catch_hang", "--args", "@BUILD@/programs/ring_hang", "@DIR@", NULL);
}
END_TEST

START_TEST(test_vars)
{
	static const struct {
		const char *variable, *setting;
	} own[N_TRACKED] = { { "mpi_yield_when_idle", "OMPI_MCA_mpi_yield_when_idle 1" },
			     { "CTXID_EAGER_SIZE", "MPIR_CVAR_CTXID_EAGER_SIZE 5" } };

	gdb_word("CVAR", "%s", own[_i].variable);
	gdb_word("SETTING", "%s", own[_i].setting);
	run("vars", &flavours[_i], "printed");
}
END_TEST

START_TEST(test_nothing)
{
	gdb_session("nothing", "nothing", "/bin/true", NULL);
}
END_TEST

START_TEST(test_without_library)
{
	gdb_session("without", "without", "@BUILD@/programs/printed", NULL);
}
END_TEST

/* docs/gdb.md shows these transcripts: GOLDEN_UPDATE, which has rewritten them by now, rewrites it, too. */
START_TEST(test_docs)
{
	ck_assert_int_eq(system(getenv("GOLDEN_UPDATE") ? "tools/transcripts --write" : "tools/transcripts"), 0);
}
END_TEST

/* One test case per session: CK_RUN_CASE=vars runs only that one. */
static void add(Suite *suite, const char *name, const TTest *test, int n)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test, 0, n);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	job_require();
	gdb_require_version(12);
	Suite *suite = suite_create("check_gdb_sessions");
	add(suite, "hang", test_hang, 1);
	add(suite, "hang_tracked", test_hang_tracked, 1);
	add(suite, "hang_mpich", test_hang_tracked_mpich, 1);
	add(suite, "ucx", test_ucx, 2);
	add(suite, "eight", test_eight, 1);
	add(suite, "two", test_two, N_JOBS);
	add(suite, "values", test_values, N_FLAVOURS);
	add(suite, "conditions", test_conditions, N_FLAVOURS);
	add(suite, "damage", test_damage, N_FLAVOURS);
	add(suite, "catch", test_catch, 1);
	add(suite, "catch_hang", test_catch_hang, 1);
	add(suite, "vars", test_vars, N_TRACKED);
	add(suite, "nothing", test_nothing, 1);
	add(suite, "without", test_without_library, 1);
	add(suite, "docs", test_docs, 1);
	return suite_run(suite);
}
