/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `mpidbg layout make --source`: a pack from a configured source tree. The tree here has every header that the probe
 * includes, empty but for one, which has the types of a pack that is built in: the pack that is made has the same rows.
 */
#include "../support/mpidbg_run.h"
#include "../support/pack_types.h"
#include "../support/packs.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define run_make(ret, ...) mpidbg_run(ret, "layout", "make", __VA_ARGS__, (char *)NULL)

static char folder[SCRATCH_MAX], source[SCRATCH_MAX + 8], build[SCRATCH_MAX + 8];

/* Configured in a folder of its own, as sites do; a Makefile whose rules would fail. */
static void set_up(void)
{
	char types[SCRATCH_MAX + 32];

	scratch_make(folder, "source");
	snprintf(source, sizeof(source), "%s/source", folder);
	snprintf(build, sizeof(build), "%s/build", folder);
	shell_run("for f in $(sed -n 's/^#include \"\\(.*\\)\".*/\\1/p; s/^#if __has_include(\"\\(.*\\)\").*/\\1/p' "
		  "layouts/openmpi/probe.c); do mkdir -p \"$(dirname '%s'/$f)\" && : >'%s'/$f || exit 1; done",
		  source, source);
	shell_run("mkdir -p '%s/opal/include' '%s/ompi' && cd '%s' && "
		  "printf '#define OPAL_IDENT_STRING \"4.1.4\"\\n#define OPAL_ENABLE_DEBUG 0\\n' "
		  ">opal/include/opal_config.h && "
		  "printf 'CC = gcc\\nCPPFLAGS = -I../../source \\\\\\n\\t-I../opal/include\\nCFLAGS = -O2\\n"
		  "Makefile: no_such_file\\n\\tfalse\\n' >ompi/Makefile",
		  build, build, build);
	snprintf(types, sizeof(types), "%s/types.h", folder);
	pack_types_write(types, "4.1.4", "");
	shell_run("printf '#include \"../types.h\"\\n' >'%s/ompi_config.h'", source);
}

static void tear_down(void)
{
	scratch_remove(folder);
}

/* Types, fields and witnesses, without the releases that the pack is for. */
static char *rows(const char *text)
{
	char *ret = calloc(1, strlen(text) + 1);

	ck_assert_ptr_nonnull(ret);
	for (const char *line = text, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (!strncmp(line, "type ", 5) || !strncmp(line, "field ", 6) || !strncmp(line, "witness uint ", 13))
			strncat(ret, line, (size_t)(next - line));
	}
	return ret;
}

START_TEST(test_source)
{
	struct mpidbg_run run;
	const struct acc_pack_builtin *b = pack_of_release("4.1.4");

	ck_assert_ptr_nonnull(b);
	run_make(&run, "--source", source, "--build", build);
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
	ck_assert_str_eq(run.err, "");
	char *made = rows(run.out), *expected = rows(b->text);
	ck_assert_str_eq(made, expected);
	ck_assert_ptr_nonnull(strstr(run.out, "\nversion 4.1.4\n"));
	ck_assert_ptr_nonnull(strstr(run.out, "\nwitness one-of ompi_version_string 4.1.4\n"));
	free(made);
	free(expected);
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_bad_trees)
{
	struct mpidbg_run run;

	run_make(&run, "-s", source);
	ck_assert_int_eq(run.exit_code, 1);
	ck_assert_msg(strstr(run.err, "is not configured: run ") && strstr(run.err, "/configure there"), "%s", run.err);
	mpidbg_run_free(&run);
	run_make(&run, "-s", build);
	ck_assert_int_eq(run.exit_code, 1);
	ck_assert_msg(strstr(run.err, "is no source tree of Open MPI"), "%s", run.err);
	mpidbg_run_free(&run);
	run_make(&run, "-s", source, "-b", "/no/such/folder");
	ck_assert_int_eq(run.exit_code, 1);
	ck_assert_msg(strstr(run.err, "/no/such/folder: no such folder"), "%s", run.err);
	mpidbg_run_free(&run);
	run_make(&run, "-b", build);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_msg(strstr(run.err, "--build goes with --source"), "%s", run.err);
	mpidbg_run_free(&run);
	run_make(&run, "-s", source, "-b", build, "probe.o");
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_msg(strstr(run.err, "--source goes without rows and probes"), "%s", run.err);
	mpidbg_run_free(&run);

	/* a tree without a needed type, and one that does not compile: an error message and no pack */
	shell_run("cd '%s' && sed -i 's/ompi_group_t/other_t/' types.h", folder);
	run_make(&run, "-s", source, "-b", build);
	ck_assert_int_ne(run.exit_code, 0);
	ck_assert_str_eq(run.out, "");
	ck_assert_msg(strstr(run.err, "ompi_group_t: no probe defines this type"), "%s", run.err);
	mpidbg_run_free(&run);
	shell_run("echo '#error broken' >>'%s/ompi_config.h'", source);
	run_make(&run, "-s", source, "-b", build);
	ck_assert_int_eq(run.exit_code, 1);
	ck_assert_str_eq(run.out, "");
	ck_assert_msg(strstr(run.err, "#error broken") && strstr(run.err, "cannot be compiled"), "%s", run.err);
	mpidbg_run_free(&run);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("layout source");
	TCase *tc = tcase_create("source");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, test_source);
	tcase_add_test(tc, test_bad_trees);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
