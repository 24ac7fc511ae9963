/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The in-target library with ThreadSanitizer, or, when this program is built with AddressSanitizer, with
 * AddressSanitizer and UndefinedBehaviorSanitizer. Separate builds of it and of the programs that load it are used
 * (tests/sanitized/sanitized.mk). The MPI libraries are not instrumented (tests/sanitized/tsan.suppressions).
 */
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 300, REPORTED = 66 };

#ifdef __SANITIZE_ADDRESS__
#define KIND     "asan"
#define RUNTIMES "libasan.so libubsan.so"
#define OPTIONS  "ASAN_OPTIONS=detect_leaks=0:exitcode=66 UBSAN_OPTIONS=exitcode=66"
#else
#define KIND     "tsan"
#define RUNTIMES "libtsan.so"
#define OPTIONS  "TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=0:exitcode=66:suppressions=@suppressions"
#endif

static const struct mpi {
	const char *name, *launcher;
} mpis[] = { { "openmpi", "mpirun.openmpi --oversubscribe" }, { "mpich", "mpirun.mpich" } };
enum { N_MPIS = sizeof mpis / sizeof mpis[0] };

static const struct run {
	const char *program;
	int ranks, exit_code;
	const char *says;        /* part of the output of a complete run */
	const char *environment; /* additional variables, or NULL */
} runs[] = {
	{ "storm", 1, 0, "storm: 0 wrong" },
	{ "first_calls", 1, 0, "first_calls: 0 wrong" },
	{ "track_traffic 3", 1, 0, "ok " },
	{ "track_calls threads", 2, 0, "ok " },
	{ "track_clock program", 1, 0, "ok " },
	{ "track_requests multiple", 2, 0, "ok " },
	{ "track_requests single", 2, 0, "ok " },
	{ "track_rounds", 2, 0, "ok " },
	{ "track_turns serialized", 1, 0, "ok " },
	{ "neutral", 2, 23, "MPI_Win_free" },
	{ "mpit_events", 2, 0, "pass " },
	{ "mpit_levels", 1, 0, "pass 001.8" },
	{ "stall 3 2", 2, 0, "0 wrong", "MPI2DD_STALL_SECONDS=1" },
	/* a thread of the library reads all its data, with the program at each thread level */
	{ "mpit_own_threads", 1, 0, "pass own.threads", "MPI2DD_REFRESH_SECONDS=1" },
	{ "mpit_threads 3", 1, 0, "pass 001.36", "MPI2DD_REFRESH_SECONDS=1 MPI2DD_VARS=host" },
	{ "mpit_vars busy 4", 1, 0, "refreshed ", "MPI2DD_REFRESH_SECONDS=1" },
#ifdef __SANITIZE_ADDRESS__
	{ "track_calls callbacks", 2, 0, "ok " },
	{ "track_comms", 4, 0, "ok " },
	{ "track_groups", 4, 0, "ok " },
	{ "track_types", 1, 0, "ok " },
	{ "track_others", 2, 0, "ok " },
	{ "track_windows", 3, 0, "ok " },
	{ "mpit_rules all", 2, 0, "pass " },
	{ "mpit_bad", 2, 0, "pass " },
#endif
};
enum { N_RUNS = sizeof runs / sizeof runs[0] };

/* Append the path of each runtime according to the compiler, with links resolved: LD_PRELOAD needs the real file. */
static void add_runtimes(char *ret, size_t size)
{
	char names[64], command[128], path[PATH_MAX], real[PATH_MAX];

	snprintf(names, sizeof names, "%s", RUNTIMES);
	for (char *save = NULL, *n = strtok_r(names, " ", &save); n; n = strtok_r(NULL, " ", &save)) {
		snprintf(command, sizeof command, "gcc -print-file-name=%s", n);
		FILE *f = popen(command, "r");
		ck_assert(f && fgets(path, sizeof path, f));
		pclose(f);
		path[strcspn(path, "\n")] = '\0';
		ck_assert_msg(realpath(path, real), "the compiler has no %s", n);
		snprintf(ret + strlen(ret), size - strlen(ret), "%s:", real);
	}
}

/*
 * The command line of a sanitized program. Without UCX_MEM_EVENTS=n, UCX's hooks call the sanitizer from ended threads;
 * without OMPI_MCA_memory=^patcher, those of a default build of Open MPI (not Debian's) call it before it is ready.
 */
static void command_of(char *ret, size_t size, const struct mpi *m, const struct run *run)
{
	char runtimes[2 * PATH_MAX] = "", options[PATH_MAX + 200], suppressions[PATH_MAX];

	add_runtimes(runtimes, sizeof runtimes);
	ck_assert_ptr_nonnull(realpath("tests/sanitized/tsan.suppressions", suppressions));
	snprintf(options, sizeof options, "%s", OPTIONS);
	char *at = strstr(options, "@suppressions");
	if (at)
		snprintf(at, sizeof options - (size_t)(at - options), "%s", suppressions);
	int n = snprintf(ret, size,
			 "%s -n %d env UCX_MEM_EVENTS=n OMPI_MCA_memory=^patcher %s %s LD_PRELOAD=%s@build/" KIND
			 "/libmpi2dd-%s.so "
			 "@build/" KIND "/programs-%s/%s",
			 m->launcher, run->ranks, options, run->environment ? run->environment : "", runtimes, m->name,
			 m->name, run->program);
	ck_assert_int_lt(n, (int)size);
}

START_TEST(test_clean)
{
	const struct run *run = &runs[_i / N_MPIS];
	char command[4000];
	struct mpidbg_run r;

	command_of(command, sizeof command, &mpis[_i % N_MPIS], run);
	world_run(&r, command);
	ck_assert_msg(r.exit_code == run->exit_code && strstr(r.out, run->says), "%s: exit %d\n%.1000s\n%.2000s",
		      command, r.exit_code, r.out, r.err);
	ck_assert_msg(!strstr(r.err, "Sanitizer") && !strstr(r.err, "runtime error"), "%s:\n%.3000s", command, r.err);
	mpidbg_run_free(&r);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
/* A race in the program itself, between the same calls, must be reported. */
START_TEST(test_race_is_found)
{
	static const struct run race = { .program = "storm race", .ranks = 1 };
	char command[4000];
	struct mpidbg_run r;

	command_of(command, sizeof command, &mpis[_i], &race);
	world_run(&r, command);
	ck_assert_msg(r.exit_code == REPORTED && strstr(r.err, "data race"), "%s: exit %d\n%.1000s\n%.2000s", command,
		      r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
}
END_TEST
#endif

int main(void)
{
	world_require();
	/* PMIx since 5.0 maps shared memory at the same address in all processes; the sanitizer may use that address */
	setenv("PMIX_MCA_gds", "hash", 1);
	Suite *s = suite_create("check_track_sanitized");
	TCase *tc = tcase_create("sanitized");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_clean, 0, N_MPIS * N_RUNS);
#ifndef __SANITIZE_ADDRESS__
	tcase_add_loop_test(tc, test_race_is_found, 0, N_MPIS);
#endif
	suite_add_tcase(s, tc);
	return suite_run(s);
}
