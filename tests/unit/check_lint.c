/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks of make lint that are ours (tools/check_layers, tools/lint_text,
 * tools/check_cycles) can fail: each is given a small tree with one violation and
 * must name its file and line, and the same tree without it and must be silent.
 */
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPDX   "/* SPDX-License-Identifier: BSD-3-Clause */\n"
#define POISON "#pragma GCC poison assert abort exit printf fprintf malloc free\n"

static char root[SCRATCH_MAX];

static void setup(void)
{
	scratch_make(root, "lint");
}

static void teardown(void)
{
	scratch_remove(root);
}

/** Write a file of the tree; folders are made. */
static void put(const char *path, const char *text)
{
	char full[2 * PATH_MAX];
	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(full, 0755);
	}
	FILE *f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

/** Run a command. @return its exit status; what it printed is in @p ret. */
static int run(const char *command, char *ret, size_t size)
{
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(ret, 1, size - 1, f);
	ret[n] = '\0';
	int status = pclose(f);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void expect_of(const char *command, int status, const char *words)
{
	char out[4096];
	int seen = run(command, out, sizeof(out));
	ck_assert_msg(seen == status, "%s: exit %d, expected %d; it said: %s", command, seen, status, out);
	if (words)
		ck_assert_msg(strstr(out, words) != NULL, "%s: expected \"%s\"; it said: %s", command, words, out);
	else
		ck_assert_str_eq(out, "");
}

/** Run a check on the tree. */
static void expect(const char *tool, int status, const char *words)
{
	char command[2 * PATH_MAX];
	snprintf(command, sizeof(command), "tools/%s '%s' 2>&1", tool, root);
	expect_of(command, status, words);
}

/** A small tree in which nothing is wrong. */
static void put_good(void)
{
	put("include/mqs.h", SPDX);
	put("access/rc.h", SPDX);
	put("access/space.h", SPDX "#include \"rc.h\"\n");
	put("access/pack.h", SPDX "#include \"rc.h\"\n");
	put("model/fact.h", SPDX "#include <stdint.h>\n");
	put("readers/reader.h", SPDX "#include \"../access/space.h\"\n#include \"../model/fact.h\"\n");
	put("readers/openmpi/comm.c", SPDX "#include \"../reader.h\"\n" POISON);
	put("host/host.h", SPDX "#include \"../include/mqs.h\"\n#include \"../access/pack.h\"\n");
	put("tests/programs/ring.c", SPDX "#include <mpi.h>\n");
}

static const struct {
	const char *path, *text, *words;
} layers[] = {
	{ "access/bad.c", "#include \"space.h\"\n#include \"../model/fact.h\"\n", "access/bad.c:2: access/ must not" },
	{ "model/bad.c", "#include \"../access/rc.h\"\n", "model/bad.c:1: model/ must not" },
	{ "readers/bad.c", "#include \"../include/mqs.h\"\n", "readers/bad.c:1: readers/ must not" },
	{ "readers/bad.c", "#include \"openmpi/comm.c\"\n", "readers/bad.c:1: readers/ must not" },
	{ "readers/jobs/bad.c", "#include \"../openmpi/comm.c\"\n", "readers/jobs/bad.c:1: readers/jobs/ must not" },
	{ "render/bad.c", "#include \"../access/rc.h\"\n", "render/bad.c:1: render/ must not" },
	{ "mqs/bad.c", "#include \"../host/host.h\"\n", "mqs/bad.c:1: mqs/ must not" },
	{ "mqs/bad.c", "#include \"../readers/openmpi/comm.c\"\n", "mqs/bad.c:1: mqs/ must not" },
	{ "host/bad.c", "#include \"../access/space.h\"\n", "host/bad.c:1: host/ must not" },
	{ "cli/bad.c", "#include \"../readers/reader.h\"\n", "cli/bad.c:1: cli/ must not" },
	{ "include/bad.h", "#include \"../access/rc.h\"\n", "include/bad.h:1: include/ must not" },
	{ "cli/bad.c", "#include <mpi.h>\n", "cli/bad.c:1: mpi.h: the MPI" },
	{ "tests/unit/bad.c", "#include \"mpi.h\"\n", "tests/unit/bad.c:1: mpi.h: the MPI" },
	{ "attic/bad.c", "\n", "attic/bad.c:1: the folder is not in the table" },
	{ "bad.c", "\n", "bad.c:1: the folder is not in the table" },
	{ "host/bad.c", "#include \"nowhere.h\"\n", "host/bad.c:1: \"nowhere.h\": no such file" },
	{ "host/bad.c", "#include HEADER\n", "host/bad.c:1: include of a macro" },
	{ "model/bad.c", "\t#  include  \"../access/rc.h\"\n", "model/bad.c:1: model/ must not" },
};

START_TEST(test_layers)
{
	put_good();
	expect("check_layers", 0, NULL);
	put(layers[_i].path, layers[_i].text);
	expect("check_layers", 1, layers[_i].words);
}
END_TEST

START_TEST(test_layers_empty)
{
	expect("check_layers", 1, "no sources");
	expect("lint_text", 1, "nothing below");
}
END_TEST

/* Written in two halves, so that the check does not find this file. */
static const struct {
	const char *path, *text, *words;
} texts[] = {
	{ "access/bad.h", "#pragma once\n", "access/bad.h:1: no SPDX" },
	{ "tools/bad", "#!/bin/sh\nset -e\n", "tools/bad:1: no SPDX" },
	{ "Makefile", "all:\n", "Makefile:1: no SPDX" },
	{ "docs/bad.md",
	  "see /ho"
	  "me/alice/src\n",
	  "docs/bad.md:1: a path" },
	{ "docs/bad.md",
	  "\nunder /wo"
	  "rk/main\n",
	  "docs/bad.md:2: a path" },
	{ "tools/bad.mk",
	  "# SPDX-License-Identifier: BSD-3-Clause\nURL = http://deb"
	  ".debian.org/\n",
	  "tools/bad.mk:2: a path" },
	{ "cli/bad.c",
	  SPDX "/* TO"
	       "DO: more */\n",
	  "cli/bad.c:2: reads like" },
	{ "cli/bad.c", SPDX "int a; \n", "cli/bad.c:2: white space" },
	{ "docs/extending.md", "See\n`cli/gone.c` and `cli/NAME.c`.\n",
	  "docs/extending.md:2: cli/gone.c: no such file" },
	{ "cli/bad.c", SPDX "void f(void)\n{\n        f();\n}\n", "cli/bad.c:4: indented with spaces" },
	{ "cli/bad.c", SPDX "int a;", "cli/bad.c:2: no newline" },
	{ "mqs/bad.c", SPDX "#include <stddef.h>\n", "mqs/bad.c:1: a plugin file says" },
	{ "readers/openmpi/bad.c", SPDX "#pragma GCC poison assert\n", "readers/openmpi/bad.c:1: a plugin file says" },
	{ "cli/bad.c",
	  SPDX "/* 141 columns: 12345678901234567890123456789012345678901234567890123456789012345678901234"
	       "567890123456789012345678901234567890123456789012 */\n",
	  "cli/bad.c:2: more than 120 columns" },
};

START_TEST(test_text)
{
	put_good();
	expect("lint_text", 0, NULL);
	put(texts[_i].path, texts[_i].text);
	expect("lint_text", 1, texts[_i].words);
}
END_TEST

START_TEST(test_text_long)
{
	char *text = malloc(sizeof(SPDX) + 1000);
	ck_assert_ptr_nonnull(text);
	put_good();
	memcpy(text, SPDX, sizeof(SPDX));
	memset(text + strlen(text), '\n', 799);
	text[strlen(SPDX) + 799] = '\0';
	put("cli/bad.c", text);
	expect("lint_text", 0, NULL);
	text[strlen(SPDX) + 799] = '\n';
	text[strlen(SPDX) + 800] = '\0';
	put("cli/bad.c", text);
	expect("lint_text", 1, "cli/bad.c:800: 801 lines");
	free(text);
}
END_TEST

/* ---- cycles between files ------------------------------------------------------------------------- */

static void expect_cycles(const char *objects, int status, const char *words)
{
	char command[4 * PATH_MAX];

	snprintf(command, sizeof(command), "tool=$PWD/tools/check_cycles && cd '%s' && $tool host %s 2>&1", root,
		 objects);
	expect_of(command, status, words);
}

START_TEST(test_cycles)
{
	static const char straight[] = "obj/host/one.o obj/host/two.o obj/straight/host/three.o";
	static const char around[] = "obj/host/one.o obj/host/two.o obj/host/three.o";
	char command[2 * PATH_MAX];

	put("host/one.c", "int two(void);\nint one(void);\nint one(void)\n{\n\treturn two();\n}\n");
	put("host/two.c", "int three(void);\nint two(void);\nint two(void)\n{\n\treturn three();\n}\n");
	put("host/three.c", "int one(void);\nint three(void);\nint three(void)\n{\n\treturn one();\n}\n");
	put("straight.c", "int three(void);\nint three(void)\n{\n\treturn 0;\n}\n");
	snprintf(command, sizeof(command),
		 "cd '%s' && mkdir -p obj/host obj/straight/host && for f in one two three; do "
		 "gcc -c host/$f.c -o obj/host/$f.o || exit 9; done; gcc -c straight.c -o obj/straight/host/three.o",
		 root);
	expect_of(command, 0, NULL);
	expect_cycles(straight, 0, NULL);
	expect_cycles(around, 1, "host: 3 files use each other in a cycle:");
	expect_cycles(around, 1, "host/three.c -> host/one.c: one\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lint");
	TCase *tc = tcase_create("lint");
	tcase_set_timeout(tc, 300);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_layers, 0, sizeof(layers) / sizeof(layers[0]));
	tcase_add_test(tc, test_layers_empty);
	tcase_add_loop_test(tc, test_text, 0, sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(tc, test_text_long);
	tcase_add_test(tc, test_cycles);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
