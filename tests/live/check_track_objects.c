/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of MPI objects: the track_... programs make every case of their kind and compare the registry in their own
 * process with what they did and with what MPI answers.
 */
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { TIMEOUT_S = 240, HOSTS = 2 };

enum { OPENMPI = 1, MPICH = 2, BOTH = 3 };

static const struct {
	const char *program; /* in programs and programs-mpich; with a slash: in programs-fortran/openmpi and mpich */
	int n;
	const char *arguments, *environment; /* NAME=value or "" */
	int hosts;
} cases[] = {
	{ "track_comms", 4, "", "", BOTH },
	{ "track_comms", 4, "spawn", "", OPENMPI },
	{ "track_swapped", 2, "", "", BOTH },
	{ "track_groups", 4, "", "", BOTH },
	{ "track_types", 1, "", "", BOTH },
	{ "track_others", 2, "", "", BOTH },
	{ "track_windows", 3, "", "", BOTH },
	{ "track_limits", 1, "small", "MPI2DD_TRACK_INFO=16", BOTH },
	{ "track_limits", 1, "debugged", "MPI2DD_TRACK_INFO=64", BOTH },
	{ "track_limits", 1, "arena", "MPI2DD_TRACK_ARENA=65536", BOTH },
	{ "track_limits", 1, "off", "MPI2DD_TRACK=0", BOTH },
	{ "track_limits", 1, "where", "MPI2DD_TRACK_WHERE=4", BOTH },
	{ "track_limits", 1, "threads", "", BOTH },
	{ "track_limits", 1, "unnoticed", "", BOTH },
	{ "track_limits", 1, "before", "", BOTH },
	{ "/track_mpif", 2, "@build/track_fortran", "", BOTH },
	{ "/track_mpi", 2, "@build/track_fortran", "", BOTH },
	{ "/track_f08", 2, "@build/track_fortran", "", BOTH },
};
enum { N_CASES = sizeof(cases) / sizeof(cases[0]) };

/* How often does the output say so? One line per rank. */
static int count(const char *text, const char *words)
{
	int n = 0;

	for (const char *at = text; (at = strstr(at, words)); at += strlen(words))
		n++;
	return n;
}

/* Where a program of a host is. */
static void path_of(const char *program, bool mpich, char *ret, size_t size)
{
	if (program[0] == '/')
		snprintf(ret, size, "@build/programs-fortran/%s%s", mpich ? "mpich" : "openmpi", program);
	else
		snprintf(ret, size, "@build/programs%s/%s", mpich ? "-mpich" : "", program);
}

START_TEST(test_objects)
{
	int i = _i / HOSTS;
	bool mpich = _i % HOSTS;
	char command[768], program[256], more[128] = "";
	const char *set = cases[i].environment, *equals = strchr(set, '=');
	struct mpidbg_run r;

	if (!(cases[i].hosts & (mpich ? MPICH : OPENMPI)))
		return;
	path_of(cases[i].program, mpich, program, sizeof program);
	if (equals && mpich)
		snprintf(more, sizeof more, "-genv %.*s %s ", (int)(equals - set), set, equals + 1);
	else if (equals)
		snprintf(more, sizeof more, "-x %s ", set);
	if (mpich)
		snprintf(command, sizeof command, "mpirun.mpich -n %d -genv LD_PRELOAD @mpich %s%s%s%s", cases[i].n,
			 more, program, cases[i].arguments[0] ? " " : "", cases[i].arguments);
	else
		snprintf(command, sizeof command,
			 "mpirun.openmpi --oversubscribe -n %d -x LD_PRELOAD=@openmpi %s%s%s%s", cases[i].n, more,
			 program, cases[i].arguments[0] ? " " : "", cases[i].arguments);
	world_run(&r, command);
	ck_assert_msg(r.exit_code == 0, "%s: exit %d\n%s%s", command, r.exit_code, r.out, r.err);
	ck_assert_msg(count(r.out, "ok ") >= cases[i].n, "%s\n%s%s", command, r.out, r.err);
	mpidbg_run_free(&r);
}
END_TEST

int main(void)
{
	world_require();
	Suite *s = suite_create("check_track_objects");
	TCase *tc = tcase_create("objects");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_objects, 0, N_CASES * HOSTS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
