/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout packs as changes of a base (layouts/tool): the expansion, what is stored, and bad files. The program under
 * test is the one that the build runs.
 */
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD(version, type)                                                                                            \
	"mpidbg-layout 1\nimplementation sample\nversion " version "\nsystem x\nword-bytes 8\nbyte-order little\n"     \
	"made-by hand\ntype a_t " type "\n"
#define REST                                                                                                           \
	"field a_t four 16 4\nfield a_t one 0 4\nfield a_t three 8 8\nfield b_t five 0 4\nfield b_t six 4 4\n"         \
	"field b_t two 8 4\nfield b_t u 12 4\nfield b_t v 16 4\nfield b_t w 20 4\nfield b_t wa 20 2\nfield b_t wb 22 " \
	"2\n"
#define CHANGES                                                                                                        \
	"mpidbg-layout-changes 1\n# A line replaces the line of the base about the same thing, or is added; \"- \" "   \
	"removes one (layouts/tool/changes.h).\nbase sample-1\n"

static const char base[] = HEAD("1", "24") "type b_t 24\ntype c_t 8\n" REST "field c_t seven 0 4\n"
					   "witness one-of text 1\nwitness uint a_class 8 8 24\n";
static const char pack[] = HEAD("2", "32") "type aa_t 8\ntype b_t 24\n" REST "witness one-of text 2\n"
					   "witness uint a_class 16 8 7\nwitness uint a_class 8 8 32\n";
static const char changes[] = CHANGES
	"version 2\ntype a_t 32\ntype aa_t 8\n- type c_t\n- field c_t seven\n"
	"witness one-of text 2\nwitness uint a_class 16 8 7\nwitness uint a_class 8 8 32\n";

static char folder[SCRATCH_MAX];

static void setup(void)
{
	scratch_make(folder, "packs");
	shell_run("cd '%s' && mkdir from to out", folder);
}

static void teardown(void)
{
	scratch_remove(folder);
}

static const char *in_folder(const char *name)
{
	static char path[SCRATCH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in_folder(name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static const char *text_of(FILE *f)
{
	static char text[8192];

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	return text;
}

static void holds(const char *name, const char *expected)
{
	FILE *f = fopen(in_folder(name), "r");

	ck_assert_msg(f != NULL, "%s", name);
	ck_assert_str_eq(text_of(f), expected);
	fclose(f);
}

static bool exists(const char *name)
{
	return !access(in_folder(name), F_OK);
}

/* Run the program in the folder. @return what it prints on both streams. */
static const char *run(int status, const char *words)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "tool=$(realpath \"$MPIDBG_BUILD\")/layout-packs; cd '%s' && \"$tool\" %s 2>&1", folder, words);
	FILE *f = popen(command, "r");
	const char *out = text_of(f);
	int rc = pclose(f);
	ck_assert_msg(WIFEXITED(rc) && WEXITSTATUS(rc) == status, "%s: %s", words, out);
	return out;
}

START_TEST(test_expansion)
{
	put("from/sample-1.layout", base);
	put("from/sample-2.changes", changes);
	ck_assert_str_eq(run(0, "expand from out"), "");
	holds("out/sample-1.layout", base);
	holds("out/sample-2.layout", pack);
}
END_TEST

/* A new pack becomes changes of the nearest base; one that is unlike all of them a base of its own. */
START_TEST(test_add)
{
	static const char other[] = HEAD("3", "8") "field a_t x 0 4\nwitness uint b_class 0 8 8\n";

	put("to/sample-1.layout", base);
	put("sample-2.layout", pack);
	put("sample-3.layout", other);
	ck_assert_str_eq(run(0, "add to sample-2.layout sample-3.layout"),
			 "to/sample-2.changes: written\nto/sample-3.layout: written\n");
	holds("to/sample-1.layout", base);
	holds("to/sample-2.changes", changes);
	holds("to/sample-3.layout", other);
	ck_assert_str_eq(run(0, "add to sample-2.layout"), "");
	run(0, "expand to out");
	holds("out/sample-2.layout", pack);
}
END_TEST

/* A base that changes: the packs that are stored as its changes stay as they are. */
START_TEST(test_new_base)
{
	static const char new_base[] = HEAD("1",
					    "24") "type b_t 24\ntype c_t 8\n" REST
						  "field c_t eight 4 4\nfield c_t seven 0 4\nwitness one-of text 1\n";

	put("to/sample-1.layout", base);
	put("to/sample-2.changes", changes);
	put("sample-1.layout", new_base);
	ck_assert_str_eq(run(0, "add to sample-1.layout"),
			 "to/sample-1.layout: written\nto/sample-2.changes: written\n");
	run(0, "expand to out");
	holds("out/sample-1.layout", new_base);
	holds("out/sample-2.layout", pack);
}
END_TEST

/* store: the folder has those packs and no others; without its base a pack is plain. */
START_TEST(test_store)
{
	put("to/sample-1.layout", base);
	put("to/sample-2.changes", changes);
	put("from/sample-2.layout", pack);
	ck_assert_str_eq(run(0, "store from to"), "to/sample-1.layout: removed\nto/sample-2.layout: written\n"
						  "to/sample-2.changes: removed\n");
	holds("to/sample-2.layout", pack);
	ck_assert(!exists("to/sample-1.layout") && !exists("to/sample-2.changes"));
}
END_TEST

/* The packs of releases with the same rows are merged (layouts/openmpi/merge_packs), and stored in the same way. */
START_TEST(test_merged)
{
#define PACK(version, releases)                                                                                        \
	HEAD(version, "24")                                                                                            \
	"type b_t 24\n" REST "witness one-of ompi_version_string " releases "\nwitness uint a_class 8 8 24\n"
#define OTHER                                                                                                          \
	HEAD("4.0.0", "24")                                                                                            \
	"type b_t 32\n" REST "witness one-of ompi_version_string 4.0.0\nwitness uint a_class 8 8 24\n"

	put("to/openmpi-4.1.4-x.layout", PACK("4.1.4", "4.1.4"));
	put("to/openmpi-4.0.0-x.layout", OTHER);
	put("from/4.1.4.layout", PACK("4.1.4", "4.1.4"));
	put("from/4.1.5.layout", PACK("4.1.5", "4.1.5"));
	shell_run("layouts/openmpi/merge_packs '%s/from' '%s/to' >'%s/log'", folder, folder, folder);
	ck_assert(!exists("to/openmpi-4.1.4-x.layout"));
	holds("to/openmpi-4.0.0-x.layout", OTHER);
	run(0, "expand to out");
	holds("out/openmpi-4.0.0-x.layout", OTHER);
	holds("out/openmpi-4.1.4-4.1.5-x.layout", PACK("4.1.4-4.1.5", "4.1.4 4.1.5"));
	ck_assert(exists("to/openmpi-4.1.4-4.1.5-x.changes"));
}
END_TEST

/* One clear line, and nothing is written. */
static const struct {
	const char *changes, *words;
} bad[] = {
	{ "", "it names no base" },
	{ "mpidbg-layout-changes 1\nversion 2\n", "it names no base" },
	{ "mpidbg-layout-changes 2\nbase sample-1\n",
	  "line 1: expected: mpidbg-layout-changes 1: mpidbg-layout-changes 2" },
	{ "mpidbg-layout-changes 1\nbase sample-9\n", "its base is no plain pack of this folder" },
	{ "mpidbg-layout-changes 1\nbase sample-0\n", "its base is no plain pack of this folder" },
	{ CHANGES "base sample-1\n", "line 4: a second base: base sample-1" },
	{ CHANGES "\n- type d_t\n", "line 5: the base has no such line: - type d_t" },
	{ CHANGES "- type\n", "line 4: the base has no such line: - type" },
	{ CHANGES "type b_t 24\n", "line 4: the base has the same line: type b_t 24" },
	{ CHANGES "type b_t 32\ntype b_t 40\n", "line 5: a second line about the same: type b_t 40" },
	{ CHANGES "type z_t 32\n- type z_t\n", "line 5: a second line about the same: - type z_t" },
	{ CHANGES "- type a_t\n", "line 10: a field of a type that has no line" },
	{ CHANGES "field b_t five 22 4\n", "line 14: a field that is not within its type" },
	{ CHANGES "colour red\n", "line 8: unknown keyword" },
	{ CHANGES "version 2", "not a text of complete lines" },
};

START_TEST(test_bad_changes)
{
	char expected[512];

	put("from/sample-0.changes", CHANGES);
	put("from/sample-1.layout", base);
	put("from/sample-2.changes", bad[_i].changes);
	snprintf(expected, sizeof(expected), "layout-packs: from/sample-2.changes: %s\n", bad[_i].words);
	ck_assert_str_eq(run(1, "expand from out"), expected);
	ck_assert(!exists("out/sample-1.layout"));
	put("to/sample-1.layout", base);
	run(1, "store from to");
	holds("to/sample-1.layout", base);
}
END_TEST

START_TEST(test_bad_packs)
{
	put("from/sample-1.layout", base);
	put("from/sample-2.changes", changes);
	put("from/sample-2.layout", pack);
	ck_assert_str_eq(run(1, "expand from out"),
			 "layout-packs: from/sample-2.changes: there is a plain pack of this name, too\n");
	put("sample-3.layout", "mpidbg-layout 1\nrubbish\n");
	put("to/sample-1.layout", base);
	ck_assert_str_eq(run(1, "add to sample-3.layout"), "layout-packs: sample-3: line 2: unknown keyword\n");
	ck_assert_str_eq(run(1, "add to sample-4.layout"),
			 "layout-packs: sample-4.layout: No such file or directory\n");
	ck_assert_str_eq(run(1, "add nowhere sample-3.layout"), "layout-packs: nowhere: No such file or directory\n");
	ck_assert_str_eq(run(1, "embed sample-3.layout >code"), "");
	holds("to/sample-1.layout", base);
	ck_assert(strstr(run(2, "embed"), "usage: layout-packs expand FROM TO") != NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pack_changes");
	TCase *tc = tcase_create("layout-packs");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_expansion);
	tcase_add_test(tc, test_add);
	tcase_add_test(tc, test_new_base);
	tcase_add_test(tc, test_store);
	tcase_add_test(tc, test_merged);
	tcase_add_loop_test(tc, test_bad_changes, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(tc, test_bad_packs);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
