/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * make install into a DESTDIR: every file is there and of use from where it is, nothing else was written, and make
 * uninstall takes all of it away.
 */
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dest[SCRATCH_MAX];
static const char *build;

/** make TARGET with the build folder that is tested, so that nothing is compiled again. */
static void make(const char *target)
{
	char out[1500]; /* as much as Check can print */
	int rc = shell_status(out, sizeof(out),
			      "env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make B='%s' DESTDIR='%s' %s </dev/null 2>&1",
			      build, dest, target);
	ck_assert_msg(rc == 0, "make %s: exit %d: %s", target, rc, out);
}

static void setup(void)
{
	scratch_make(dest, "install");
	make("install");
}

static void teardown(void)
{
	scratch_remove(dest);
}

/* Everything but the packs, the GDB scripts, the documents and the pages of subcommands, whose number grows. */
static const char *const files[] = {
	"bin/mpi2dd-run",
	"bin/mpidbg",
	"include/mpidbg/mpi2dd.h",
	"include/mpidbg/mpi2dd_mpit.h",
	"include/mpidbg/mpidbg.h",
	"include/mpidbg/mpidbg_comms.h",
	"include/mpidbg/mpidbg_datatypes.h",
	"include/mpidbg/mpidbg_description.h",
	"include/mpidbg/mpidbg_jobs.h",
	"include/mpidbg/mpidbg_objects.h",
	"include/mpidbg/mpidbg_requests.h",
	"include/mpidbg/mpidbg_vars.h",
	"include/mpidbg/mpidbg_windows.h",
	"include/mpidbg/mqs.h",
	"lib/libmpi2dd-abi.so",
	"lib/libmpi2dd-mpich.so",
	"lib/libmpi2dd-openmpi.so",
	"lib/libmpidbg.so",
	"lib/pkgconfig/mpidbg.pc",
	"share/bash-completion/completions/mpidbg",
	"share/man/man1/mpi2dd-run.1",
	"share/man/man1/mpidbg.1",
	"share/mpidbg/openmpi/make_site_pack",
	"share/mpidbg/openmpi/probe.c",
	"share/mpidbg/openmpi/schema_rows",
	"share/mpidbg/openmpi/vendor_rows",
	"share/mpidbg/openmpi/witness_rows",
	"share/zsh/site-functions/_mpidbg",
};

START_TEST(test_files)
{
	char out[8192], expected[8192] = "", others[8192];
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%s\n", files[i]);
	ck_assert_int_eq(
		shell_status(
			out, sizeof(out),
			"cd '%s/usr/local' && find . -type f ! -name '*.layout' ! -name '*.py' ! -path './share/doc/*' "
			"! -name 'mpidbg-*.1' "
			"| sed 's|^./||' | LC_ALL=C sort",
			dest),
		0);
	ck_assert_str_eq(out, expected);
	/* a page for each subcommand */
	ck_assert_int_eq(
		shell_status(expected, sizeof(expected),
			     "'%s/usr/local/bin/mpidbg' help | sed -n 's/^  mpidbg \\([a-z]*\\) .*/mpidbg-\\1.1/p' | "
			     "grep -v -e mpidbg-help | LC_ALL=C sort -u",
			     dest),
		0);
	ck_assert_int_eq(shell_status(out, sizeof(out),
				      "cd '%s/usr/local/share/man/man1' && ls mpidbg-*.1 | LC_ALL=C sort", dest),
			 0);
	ck_assert_str_eq(out, expected);
	ck_assert_int_eq(shell_status(out, sizeof(out),
				      "find layouts -name '*.layout' -o -name '*.changes' | "
				      "sed -e 's|.*/||' -e 's|[.]changes$|.layout|' | LC_ALL=C sort"),
			 0);
	ck_assert_int_eq(shell_status(others, sizeof(others),
				      "cd '%s/usr/local/share/mpidbg/layouts' && ls | LC_ALL=C sort", dest),
			 0);
	ck_assert_str_eq(others, out);
	ck_assert_int_eq(
		shell_status(out, sizeof(out), "ls LICENSE *.md docs/* examples/*.c | grep -v '[.]1$' | LC_ALL=C sort"),
		0);
	ck_assert_int_eq(
		shell_status(others, sizeof(others),
			     "cd '%s/usr/local/share/doc/mpidbg' && find . -type f | sed 's|^./||' | LC_ALL=C sort",
			     dest),
		0);
	ck_assert_str_eq(others, out);
	ck_assert_int_eq(shell_status(out, sizeof(out),
				      "cmp lldb-scripts/mpidbg_lldb.py '%s/usr/local/share/mpidbg/lldb/mpidbg_lldb.py'",
				      dest),
			 0);
	/* autoload.py is installed next to each library, under the name of the library */
	ck_assert_int_eq(shell_status(out, sizeof(out),
				      "cd gdb-scripts && find . -name '*.py' ! -name autoload.py | LC_ALL=C sort"),
			 0);
	ck_assert_int_eq(shell_status(others, sizeof(others),
				      "cd '%s/usr/local/share/mpidbg/gdb' && find . -name '*.py' | LC_ALL=C sort",
				      dest),
			 0);
	ck_assert_str_eq(others, out);
	ck_assert_int_eq(shell_status(out, sizeof(out),
				      "for l in openmpi mpich abi; do cmp gdb-scripts/autoload.py "
				      "'%s/usr/local/lib/libmpi2dd-'$l.so-gdb.py || exit 1; done",
				      dest),
			 0);
	ck_assert_int_eq(shell_status(out, sizeof(out), "find '%s' -type f | grep -vc '^%s/usr/local/'", dest, dest),
			 1);
	ck_assert_str_eq(out, "0\n");
}
END_TEST

START_TEST(test_command)
{
	char out[16384];
	int rc = shell_status(out, sizeof(out), "'%s/usr/local/bin/mpidbg' --version 2>&1", dest);
	ck_assert_msg(rc == 0 && strstr(out, "mpidbg"), "exit %d: %s", rc, out);
	/* The library beside it is found: doctor names it also for a process without MPI, ours. */
	rc = shell_status(out, sizeof(out), "'%s/usr/local/bin/mpidbg' doctor -p $PPID 2>&1", dest);
	ck_assert_msg(strstr(out, "/usr/local/lib/libmpidbg.so") || strstr(out, "/usr/local/bin/../lib/libmpidbg.so"),
		      "exit %d: %s", rc, out);
}
END_TEST

/* The starter finds the libraries that are installed with it, not those of the build folder. */
START_TEST(test_starter)
{
	static const char *const names[] = { "openmpi", "mpich", "abi" };
	char out[8192], expected[2 * PATH_MAX];
	for (size_t i = 0; i < 3; i++) {
		int rc = shell_status(
			out, sizeof(out),
			"env -u LD_PRELOAD '%s/usr/local/bin/mpi2dd-run' --mpi %s sh -c 'echo $LD_PRELOAD' 2>&1", dest,
			names[i]);
		snprintf(expected, sizeof(expected), "%s/usr/local/lib/libmpi2dd-%s.so\n", dest, names[i]);
		ck_assert_msg(rc == 0, "exit %d: %s", rc, out);
		ck_assert_str_eq(out, expected);
	}
}
END_TEST

START_TEST(test_headers)
{
	char out[8192];
	const char *sources[][2] = { { "gcc -std=c99 -x c", "mqs.h" },
				     { "gcc -std=c99 -x c", "mpidbg.h" },
				     { "gcc -std=c99 -x c", "mpi2dd.h" },
				     { "g++ -std=c++11 -x c++", "mpi2dd.h" },
				     { "g++ -std=c++11 -x c++", "mpidbg.h" } };
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		int rc = shell_status(out, sizeof(out),
				      "echo '#include <%s>' | %s -Wall -Wextra -Werror -pedantic -fsyntax-only "
				      "-I'%s/usr/local/include/mpidbg' - 2>&1",
				      sources[i][1], sources[i][0], dest);
		ck_assert_msg(rc == 0, "%s: %s", sources[i][1], out);
	}
}
END_TEST

START_TEST(test_pkg_config)
{
	char out[4096];
	int rc = shell_status(out, sizeof(out),
			      "PKG_CONFIG_PATH='%s/usr/local/lib/pkgconfig' pkg-config --cflags mpidbg 2>&1", dest);
	ck_assert_msg(rc == 0 && strstr(out, "-I/usr/local/include/mpidbg"), "exit %d: %s", rc, out);
	rc = shell_status(out, sizeof(out),
			  "PKG_CONFIG_PATH='%s/usr/local/lib/pkgconfig' pkg-config --variable=plugin mpidbg 2>&1",
			  dest);
	ck_assert_msg(rc == 0, "%s", out);
	ck_assert_str_eq(out, "/usr/local/lib/libmpidbg.so\n");
}
END_TEST

START_TEST(test_uninstall)
{
	char out[4096];
	/* what Python leaves beside scripts that were used */
	ck_assert_int_eq(shell_status(out, sizeof(out),
				      "cd '%s/usr/local/share/mpidbg/gdb/mpidbg_gdb' && mkdir __pycache__ && touch "
				      "__pycache__/plugin.cpython-311.pyc",
				      dest),
			 0);
	make("uninstall");
	ck_assert_int_eq(shell_status(out, sizeof(out), "find '%s' ! -type d -o -name mpidbg", dest), 0);
	ck_assert_str_eq(out, "");
}
END_TEST

int main(void)
{
	build = getenv("MPIDBG_BUILD");
	if (!build || access("Makefile", R_OK) != 0) {
		puts("install: MPIDBG_BUILD is not set, or this is not the top folder of the source");
		return 77;
	}
	Suite *s = suite_create("install");
	TCase *tc = tcase_create("install");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_files);
	tcase_add_test(tc, test_command);
	tcase_add_test(tc, test_starter);
	tcase_add_test(tc, test_headers);
	tcase_add_test(tc, test_pkg_config);
	tcase_add_test(tc, test_uninstall);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
