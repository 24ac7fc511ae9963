/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scripted sessions of a plain GDB, without our scripts, on MPI2DD jobs: NAME.gdb is run, and what it prints behind
 * "> " is compared with NAME.expected, processes, hosts, folders and worlds given names.
 */
#include "../support/gdb_run.h"
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 180, SESSION_S = 400, WORLDS_MAX = 8 };

static char build[PATH_MAX], out[1 << 16], seen[1 << 16];

/* Replace values that differ between runs by names: the first number after "pid " by P1, the first id after
 * "world " by W1. */
struct names {
	char prefix;
	char word[WORLDS_MAX][256];
	int n;
};

static int number_of(struct names *names, const char *word, size_t n)
{
	for (int i = 0; i < names->n; i++)
		if (strlen(names->word[i]) == n && strncmp(names->word[i], word, n) == 0)
			return i + 1;
	ck_assert_int_lt(names->n, WORLDS_MAX);
	ck_assert_uint_lt(n, sizeof(names->word[0]));
	memcpy(names->word[names->n], word, n);
	names->word[names->n++][n] = '\0';
	return names->n;
}

/* Replace a word after the marker at *from by its name. @return true: replaced. */
static bool rename_behind(const char **from, char **to, const char *marker, struct names *names)
{
	size_t skip = strlen(marker);

	if (strncmp(*from, marker, skip) != 0)
		return false;
	size_t n = strcspn(*from + skip, " ,\n");
	*to += sprintf(*to, "%s%c%d", marker, names->prefix, number_of(names, *from + skip, n));
	*from += skip + n;
	return true;
}

static void normalise(const char *from, char *to)
{
	struct names pids = { .prefix = 'P' }, worlds = { .prefix = 'W' }, hosts = { .prefix = 'H' };

	while (*from) {
		const char *end = from + strcspn(from, "\n");
		bool ours = strncmp(from, "> ", 2) == 0;
		while (ours && from < end) {
			bool world = (strncmp(from, "world ", 6) == 0) && isalnum((unsigned char)from[6]) &&
				     memchr(from + 6, '-', strcspn(from + 6, " ,\n"));
			if (rename_behind(&from, &to, "pid ", &pids) || rename_behind(&from, &to, " on ", &hosts) ||
			    (world && rename_behind(&from, &to, "world ", &worlds)))
				continue;
			if (*from == '/') { /* a path: its last name */
				size_t n = strcspn(from, " ,\n");
				while (n && memchr(from, '/', n)) {
					from++;
					n--;
				}
				continue;
			}
			*to++ = *from++;
		}
		if (ours)
			*to++ = '\n';
		from = end + (*end == '\n');
	}
	*to = '\0';
}

static void session(const char *command, const char *expected)
{
	char line[6 * PATH_MAX], path[SCRATCH_MAX];

	close(scratch_file(path, "gdb"));
	int n = snprintf(line, sizeof(line), "timeout -k 5 %d %s >'%s' 2>&1 </dev/null", (int)SESSION_S, command, path);
	ck_assert_int_lt(n, (int)sizeof(line));
	unsetenv("LD_PRELOAD");
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* of a starter that is traced */
	int status = system(line);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	out[fread(out, 1, sizeof(out) - 1, f)] = '\0';
	fclose(f);
	unlink(path);
	ck_assert_msg(status == 0, "%s\nstatus %x:\n%s", line, status, out);
	normalise(out, seen);
	ck_assert_msg(*seen, "%s", out);
	gdb_expect(seen, expected);
}

/* The job starts under GDB; every rank is acquired inside MPI_Init, and let go. */
START_TEST(test_start)
{
	char command[3 * PATH_MAX];

	snprintf(command, sizeof(command),
		 "gdb -nx -q -batch -x tests/gdb/mpi2dd_start.gdb --args '%s/mpi2dd-run' --gate mpirun.openmpi "
		 "--oversubscribe -n 2 '%s/programs/spawn_once' alone",
		 build, build);
	session(command, "mpi2dd_start");
}
END_TEST

/* Rank 0 spawns, under GDB; the breakpoint reports it, with the location of the new metadirectory. */
START_TEST(test_spawn)
{
	char command[4 * PATH_MAX];

	snprintf(command, sizeof(command),
		 "'%s/mpi2dd-run' mpirun.openmpi --oversubscribe -n 2 sh -c 'if [ $OMPI_COMM_WORLD_RANK = 0 ]; then "
		 "exec gdb -nx -q -batch -x tests/gdb/mpi2dd_spawn.gdb --args \"$0\"; fi; exec \"$0\"' "
		 "'%s/programs/spawn_once'",
		 build, build);
	session(command, "mpi2dd_spawn");
}
END_TEST

/* The same session, word for word, under MPICH. */
START_TEST(test_start_mpich)
{
	char command[3 * PATH_MAX], folder[SCRATCH_MAX];

	scratch_make(folder, "gdb");
	snprintf(command, sizeof(command), "mpicc.mpich -o '%s/spawn_once' tests/programs/spawn_once.c", folder);
	ck_assert_int_eq(system(command), 0);
	snprintf(command, sizeof(command),
		 "gdb -nx -q -batch -x tests/gdb/mpi2dd_start.gdb --args '%s/mpi2dd-run' --gate mpiexec.mpich -n 2 "
		 "'%s/spawn_once' alone",
		 build, folder);
	session(command, "mpi2dd_start");
	scratch_remove(folder);
}
END_TEST

int main(void)
{
	job_require();
	launcher_environment();
	gdb_require();
	if (!realpath(getenv("MPIDBG_BUILD"), build))
		return EXIT_FAILURE;
	Suite *s = suite_create("gdb_mpi2dd");
	TCase *tc = tcase_create("gdb_mpi2dd");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_test(tc, test_start);
	tcase_add_test(tc, test_spawn);
	if (!system("command -v mpicc.mpich mpiexec.mpich >/dev/null"))
		tcase_add_test(tc, test_start_mpich);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
