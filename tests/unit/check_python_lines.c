/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of lines of Python functions, against what CPython itself says of them (co_lines()): all functions of some modules of
 * its library. Damaged tables give a line or none, and nothing else.
 */
#include "../../host/python_lines.h"
#include "../support/suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 1 << 18 };

/* A line "first hex" for a function, then "start end line" for each range (-1: none), then "."; all functions nested in it. */
static const char script
	[] = "import sys, types, argparse, ast, json.decoder\n"
	     "if sys.version_info < (3, 11): print('old'); sys.exit()\n"
	     "def show(c):\n"
	     "    print(c.co_firstlineno, c.co_linetable.hex())\n"
	     "    for a, b, n in c.co_lines(): print(a, b, -1 if n is None else n)\n"
	     "    print('.')\n"
	     "    for k in c.co_consts:\n"
	     "        if isinstance(k, types.CodeType): show(k)\n"
	     "for m in (argparse, ast, json.decoder): show(compile(open(m.__file__).read(), m.__file__, 'exec'))\n";

static uint8_t table[TABLE_MAX];

static size_t from_hex(const char *hex)
{
	size_t n = 0;
	unsigned byte;

	for (; n < TABLE_MAX && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		table[n++] = (uint8_t)byte;
	return n;
}

static FILE *ask_python(void)
{
	char command[2048];

	setenv("SCRIPT", script, 1);
	snprintf(command, sizeof(command), "/usr/bin/python3 -c \"$SCRIPT\"");
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	return f;
}

START_TEST(test_lines)
{
	static char text[2 * TABLE_MAX + 64];
	FILE *f = ask_python();
	size_t n_functions = 0, n_ranges = 0;

	while (fgets(text, sizeof(text), f)) {
		char *hex;
		long first = strtol(text, &hex, 10);
		if (strcmp(text, "old\n") == 0)
			break;
		ck_assert_int_eq(*hex, ' ');
		size_t n = from_hex(hex + 1);
		n_functions++;
		while (fgets(text, sizeof(text), f) && text[0] != '.') {
			long start, end, line;
			ck_assert_int_eq(sscanf(text, "%ld %ld %ld", &start, &end, &line), 3);
			for (long at = start; at < end; at += 2)
				ck_assert_int_eq(host_python_line(table, n, first, (uint64_t)at), line);
			n_ranges++;
		}
	}
	pclose(f);
	ck_assert(n_functions == 0 || (n_functions > 100 && n_ranges > 1000));
}
END_TEST

START_TEST(test_damaged)
{
	unsigned seed = 7;

	for (int i = 0; i < 200000; i++) {
		size_t n = (size_t)rand_r(&seed) % 40;
		for (size_t k = 0; k < n; k++)
			table[k] = (uint8_t)(rand_r(&seed) | (k ? 0 : 0x80));
		int64_t line = host_python_line(table, n, 10, (uint64_t)(rand_r(&seed) % 64));
		ck_assert(line >= -(INT64_C(1) << 42) && line <= INT64_C(1) << 42);
	}
	ck_assert_int_eq(host_python_line(table, 0, 10, 0), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("python lines");
	TCase *tc = tcase_create("lines");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_lines);
	tcase_add_test(tc, test_damaged);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
