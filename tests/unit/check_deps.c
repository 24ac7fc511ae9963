/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tools/deps on a system whose packages it does not know: nothing is installed; one line names the missing programs and
 * headers. The system is this one without apt-get and dpkg: a folder with links to the other programs.
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

static char folder[SCRATCH_MAX];

/* Run a shell command in the folder. @return its exit status; both streams are in @p ret */
static int in_folder(char *ret, size_t size, const char *command)
{
	return shell_status(ret, size, "programs='%s'; { %s; } 2>&1", folder, command);
}

static void setup(void)
{
	char out[1000];

	scratch_make(folder, "deps");
	int rc = in_folder(out, sizeof(out),
			   "for d in /usr/bin /bin /usr/sbin /sbin; do find $d/ -maxdepth 1 ! -type d ! -name 'apt*' ! "
			   "-name 'dpkg*' "
			   "-exec ln -sf -t \"$programs\" {} +; done");
	ck_assert_msg(rc == 0, "%s", out);
}

static void teardown(void)
{
	scratch_remove(folder);
}

static const char first_words
	[] = "deps: the package names of this system are unknown; install these manually, then run make again: ";
static const char openmpi
	[] = "mpicc.openmpi (of Open MPI; for another name add MPICC_openmpi=mpicc, without this MPI FLAVOURS=mpich)";
static const char headers[] = "libelf.h (elfutils), elfutils/libdw.h (elfutils), libdwarf.h and libdwarf.a (libdwarf), "
			      "jansson.h (jansson), curses.h (ncurses), zlib.h (zlib)";

/* tools/deps says nothing, or that this is missing. */
static void says(const char *command, const char *missing)
{
	char out[4096], expected[4096] = "";

	if (missing[0])
		snprintf(expected, sizeof(expected), "%s%s\n", first_words, missing);
	int rc = in_folder(out, sizeof(out), command);
	ck_assert_str_eq(out, expected);
	ck_assert_int_eq(rc, missing[0] ? 1 : 0);
}

START_TEST(test_nothing_missing)
{
	says("PATH=$programs tools/deps build", "");
}
END_TEST

START_TEST(test_programs)
{
	char missing[500];

	snprintf(missing, sizeof(missing), "pkg-config, gdb, %s", openmpi);
	says("rm $programs/pkg-config $programs/gdb $programs/mpicc.openmpi; PATH=$programs tools/deps build", missing);
	/* without this MPI, or with its compiler under another name, which exists */
	says("PATH=$programs FLAVOURS=mpich tools/deps build", "pkg-config, gdb");
	says("PATH=$programs MPICC_openmpi=gcc tools/deps build", "pkg-config, gdb");
}
END_TEST

START_TEST(test_headers)
{
	/* a compiler that finds no header */
	says("rm $programs/gcc; printf '#!/bin/sh\\nexec /usr/bin/gcc -nostdinc \"$@\"\\n' >$programs/gcc; "
	     "chmod +x $programs/gcc; PATH=$programs tools/deps build",
	     headers);
	says("PATH=$programs FLAVOURS= CC=/usr/bin/gcc tools/deps build", "");
}
END_TEST

/* Without a compiler, too, all is in one line: the headers of this system are where they usually are. */
START_TEST(test_no_compiler)
{
	char out[4096];

	ck_assert_int_eq(in_folder(out, sizeof(out), "rm $programs/gcc; PATH=$programs tools/deps build"), 1);
	ck_assert_ptr_eq(strstr(out, first_words), out);
	ck_assert_ptr_nonnull(strstr(out, ": gcc"));
	ck_assert_ptr_null(strstr(out, "libelf.h"));
	ck_assert_ptr_eq(strchr(out, '\n') + 1, out + strlen(out));
}
END_TEST

int main(void)
{
	if (access("tools/deps", X_OK) || access("/usr/bin/gcc", X_OK)) {
		puts("deps: this is not the top folder of the source, or there is no gcc");
		return 77;
	}
	unsetenv("FLAVOURS");
	unsetenv("MPICC_openmpi");
	unsetenv("MPICC_mpich");
	unsetenv("CC");
	Suite *s = suite_create("deps");
	TCase *tc = tcase_create("unknown system");
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_nothing_missing);
	tcase_add_test(tc, test_programs);
	tcase_add_test(tc, test_headers);
	tcase_add_test(tc, test_no_compiler);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
