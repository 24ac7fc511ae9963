/* SPDX-License-Identifier: BSD-3-Clause */
/* What the built DLL exports and needs: the names of the two headers, the C library, nothing else. */
#include "../support/suite.h"

#include <check.h>
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 2000, NAME_BYTES = 128 };

struct names {
	char name[NAMES_MAX][NAME_BYTES];
	size_t n;
};

static char dll[PATH_MAX];

static void add(struct names *names, const char *name, size_t n)
{
	ck_assert_uint_lt(names->n, NAMES_MAX);
	ck_assert_uint_lt(n, NAME_BYTES);
	snprintf(names->name[names->n++], NAME_BYTES, "%.*s", (int)n, name);
}

static bool has(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (!strcmp(names->name[i], name))
			return true;
	}
	return false;
}

/* The last word of each line that a command prints, without a version. */
static void last_words(const char *command, struct names *ret)
{
	char line[4096];
	FILE *f = popen(command, "r");

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';

		const char *word = strrchr(line, ' ');
		word = word ? word + 1 : line;
		add(ret, word, strcspn(word, "@"));
	}
	ck_assert_msg(pclose(f) == 0, "failed: %s", command);
}

static void dll_symbols(const char *which, struct names *ret)
{
	char command[PATH_MAX + 64];

	ret->n = 0;
	snprintf(command, sizeof(command), "nm -D %s %s", which, dll);
	last_words(command, ret);
}

/* Names behind MQS_EXPORT or MPIDBG_EXPORT: the word in front of the first '(' or ';'. */
static void header_names(const char *file, const char *mark, struct names *ret)
{
	char path[PATH_MAX], *text = calloc(1, 1 << 20);

	snprintf(path, sizeof(path), "%.*s/../../include/%s", (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__, file);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f && text, "%s", path);
	size_t n = fread(text, 1, (1 << 20) - 1, f);
	text[n] = '\0';
	fclose(f);
	for (char *at = text; (at = strstr(at, mark)); at++) {
		if (at[-1] != '\n') /* in the lines that define the mark */
			continue;
		size_t end = strcspn(at, "(;"), start = end;
		while (start && (isalnum((unsigned char)at[start - 1]) || at[start - 1] == '_'))
			start--;
		add(ret, at + start, end - start);
	}
	free(text);
}

static bool sanitized(const struct names *undefined)
{
	for (size_t i = 0; i < undefined->n; i++) {
		if (!strncmp(undefined->name[i], "__asan", 6) || !strncmp(undefined->name[i], "__ubsan", 7))
			return true;
	}
	return false;
}

START_TEST(test_exports)
{
	static const char *const headers[] = {
		"mpidbg.h",         "mpidbg_comms.h",    "mpidbg_datatypes.h", "mpidbg_description.h", "mpidbg_jobs.h",
		"mpidbg_objects.h", "mpidbg_requests.h", "mpidbg_vars.h",      "mpidbg_windows.h"
	};
	static struct names exported, wanted;

	wanted.n = 0;
	header_names("mqs.h", "MQS_EXPORT", &wanted);
	ck_assert_uint_ge(wanted.n, 25);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		header_names(headers[i], "MPIDBG_EXPORT", &wanted);
	ck_assert_uint_ge(wanted.n, 40);
	dll_symbols("--defined-only", &exported);
	for (size_t i = 0; i < exported.n; i++)
		ck_assert_msg(has(&wanted, exported.name[i]), "exported, and in no header: %s", exported.name[i]);
	for (size_t i = 0; i < wanted.n; i++)
		ck_assert_msg(has(&exported, wanted.name[i]), "in a header, and not exported: %s", wanted.name[i]);
}
END_TEST

/* It lives in someone else's debugger. */
START_TEST(test_never_used)
{
	static const char *const never[] = { "malloc", "calloc",    "realloc", "free",  "printf",        "fprintf",
					     "puts",   "exit",      "_exit",   "abort", "__assert_fail", "longjmp",
					     "signal", "sigaction", "raise",   "kill",  "setenv",        "strdup",
					     "qsort",  "stderr",    "stdout" };
	static struct names undefined;

	dll_symbols("--undefined-only", &undefined);
	ck_assert_uint_gt(undefined.n, 5);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		ck_assert_msg(!has(&undefined, never[i]), "%s", never[i]);
}
END_TEST

START_TEST(test_needs_the_c_library_alone)
{
	static struct names undefined, needed;
	char command[PATH_MAX + 64];

	dll_symbols("--undefined-only", &undefined);
	if (sanitized(&undefined))
		return;
	snprintf(command, sizeof(command), "readelf -dW %s | grep NEEDED", dll);
	last_words(command, &needed);
	ck_assert_uint_eq(needed.n, 1);
	ck_assert_str_eq(needed.name[0], "[libc.so.6]");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("exports");
	TCase *tc = tcase_create("exports");

	tcase_add_test(tc, test_exports);
	tcase_add_test(tc, test_never_used);
	tcase_add_test(tc, test_needs_the_c_library_alone);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	const char *build = getenv("MPIDBG_BUILD");

	snprintf(dll, sizeof(dll), "%s/libmpidbg.so", build ? build : "build");

	return suite_run(suite());
}
