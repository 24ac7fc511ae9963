/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manual pages and shell completions: whatever --help shows of a subcommand stands in its page and is completed, and
 * bash does complete it. zsh checks the syntax of its file, where it is installed.
 */
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMANDS_MAX = 32 };

static char names[COMMANDS_MAX][32];
static int n_names;
static struct mpidbg_run run, help, bash, zsh;

/* The subcommands that mpidbg help lists. */
static void setup(void)
{
	mpidbg_run(&help, "help", NULL);
	mpidbg_run(&bash, "help", "--bash", NULL);
	mpidbg_run(&zsh, "help", "--zsh", NULL);
	n_names = 0;
	const char *end = strstr(help.out, "\n  mpidbg help ");
	ck_assert_ptr_nonnull(end);
	for (const char *line = help.out; (line = strstr(line, "\n  mpidbg ")) && line < end; line++) {
		ck_assert_int_lt(n_names, COMMANDS_MAX);
		ck_assert_int_eq(sscanf(line, "\n  mpidbg %31s", names[n_names]), 1);
		n_names++;
	}
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	mpidbg_run_free(&help);
	mpidbg_run_free(&bash);
	mpidbg_run_free(&zsh);
}

/* "--any-owner" as man(7) has it. */
static void escape(char *ret, const char *option)
{
	for (; *option; option++) {
		if (*option == '-')
			*ret++ = '\\';
		*ret++ = *option;
	}
	*ret = '\0';
}

/* The branch of a completion: from "\tNAME)" to ";;". */
static char *branch(const char *file, const char *name)
{
	char begin[64];

	snprintf(begin, sizeof(begin), "\n\t%s)\n", name);
	const char *at = strstr(file, begin), *end = at ? strstr(at, ";;") : NULL;
	ck_assert_msg(at && end, "no branch for %s", name);
	return strndup(at, (size_t)(end - at));
}

static void check_option(const char *name, const char *option, const char *in_bash, const char *in_zsh)
{
	char escaped[128];

	escape(escaped, option);
	ck_assert_msg(strstr(run.out, escaped) != NULL, "%s: %s is not in its manual page", name, option);
	ck_assert_msg(strstr(in_bash, option) != NULL, "%s: %s is not completed by bash", name, option);
	ck_assert_msg(strstr(in_zsh, option) != NULL, "%s: %s is not completed by zsh", name, option);
}

START_TEST(test_pages)
{
	ck_assert_int_ge(n_names, 12);
	for (int i = 0; i < n_names; i++) {
		struct mpidbg_run text;
		char title[64];
		int n = 0;
		mpidbg_run(&text, names[i], "--help", NULL);
		mpidbg_run(&run, "help", "--man", names[i], NULL);
		ck_assert_msg(text.exit_code == 0 && run.exit_code == 0, "%s: %s%s", names[i], text.err, run.err);
		snprintf(title, sizeof(title), "\nmpidbg\\-%.31s \\- ", names[i]);
		ck_assert_msg(strstr(run.out, title) != NULL, "%s", run.out);
		ck_assert_msg(strstr(run.out, "\n.SH EXAMPLES\n") || strcmp(names[i], "agent") == 0 ||
				      strcmp(names[i], "pmix") == 0,
			      "%s", run.out);
		char *in_bash = branch(bash.out, names[i]), *in_zsh = branch(zsh.out, names[i]);
		for (const char *line = text.out; (line = strchr(line, '\n')) && *++line;) {
			char option[64];
			if (sscanf(line, "  -%*c, --%60[a-z-]", option + 2) != 1 &&
			    sscanf(line, "      --%60[a-z-]", option + 2) != 1)
				continue;
			memcpy(option, "--", 2);
			check_option(names[i], option, in_bash, in_zsh);
			n++;
		}
		ck_assert_msg(n >= 1 || strcmp(names[i], "layout") == 0, "%s: no options", names[i]);
		free(in_bash);
		free(in_zsh);
		mpidbg_run_free(&text);
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "help", "--man", "nothing", NULL);
	ck_assert_int_eq(run.exit_code, 2);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "queues", "--help=tcsh", NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_str_eq(run.err, "mpidbg: queues: --help is text, man, bash or zsh, not \"tcsh\"\n");
}
END_TEST

/* The completions that bash offers after the given words; the last word is completed. */
static void completes(const char *words, const char *expected)
{
	char script[512];

	mpidbg_run_free(&run);
	snprintf(script, sizeof(script),
		 "source /dev/stdin; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mpidbg; echo "
		 "\"${COMPREPLY[*]}\"",
		 words);
	char path[SCRATCH_MAX];
	int fd = scratch_file(path, "bash");
	FILE *f = fdopen(fd, "w");
	ck_assert(f && fputs(bash.out, f) >= 0 && fclose(f) == 0);
	char command[1024];
	snprintf(command, sizeof(command), "bash -c '%s' < %s", script, path);
	mpidbg_run_program(&run, (char **)(const char *[]){ "sh", "-c", command, NULL });
	unlink(path);
	ck_assert_msg(run.exit_code == 0 && strcmp(run.out, expected) == 0, "%s: %s%s", words, run.out, run.err);
	ck_assert_str_eq(run.err, "");
}

START_TEST(test_bash)
{
	completes("mpidbg queues --job not-a-jo", "\n"); /* jobs, of mpidbg jobs, which may be none */
	completes("mpidbg rep", "report\n");
	completes("mpidbg deadlock --sn", "--snapshot\n");
	completes("mpidbg queues --job 1 --js", "--json\n");
	completes("mpidbg queues --via m", "mpi2dd mpir\n");
	completes("mpidbg print comm", "comm\n");
	completes("mpidbg report --snapshot tests/snapshots/ring_t", "tests/snapshots/ring_tag.json\n");
	completes("mpidbg help dea", "deadlock\n");
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_zsh)
{
	char path[SCRATCH_MAX];
	FILE *f = fdopen(scratch_file(path, "zsh"), "w");

	ck_assert(f && fputs(zsh.out, f) >= 0 && fclose(f) == 0);
	mpidbg_run_program(&run, (char **)(const char *[]){ "zsh", "-n", path, NULL });
	unlink(path);
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("help");
	TCase *tc = tcase_create("pages");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_pages);
	tcase_add_test(tc, test_bash);
	if (access("/usr/bin/zsh", X_OK) == 0)
		tcase_add_test(tc, test_zsh);
	else
		puts("skipped: the syntax of the completion for zsh: zsh is not installed");
	suite_add_tcase(s, tc);
	return suite_run(s);
}
