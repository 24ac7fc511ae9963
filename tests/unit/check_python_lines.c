/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of lines of Python functions, against what CPython itself says of them (co_lines()): all functions of
 * some modules of its library. Damaged tables give a line or none, and nothing else.
 */
#include "../../readers/python/lines.h"
#include "../support/suite.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 1 << 18 };

/*
 * A line "format first hex" for a function, then "start end line" for each range (-1: none),
 * then "."; all functions nested in it. CPython 3.8 and 3.9 have only the starts of lines.
 */
static const char script
	[] = "import sys, types, dis, argparse, ast, json.decoder\n"
	     "new, v = sys.version_info >= (3, 10), sys.version_info\n"
	     "if v < (3, 8): print('old'); sys.exit()\n"
	     "def ranges(c):\n"
	     "    if new: return [(a, b, -1 if n is None else n) for a, b, n in c.co_lines()]\n"
	     "    s = list(dis.findlinestarts(c)) + [(len(c.co_code), 0)]\n"
	     "    return [(s[i][0], s[i + 1][0], s[i][1]) for i in range(len(s) - 1)]\n"
	     "def show(c):\n"
	     "    print(0 if not new else 1 if v < (3, 11) else 2, c.co_firstlineno, (c.co_linetable if new else "
	     "c.co_lnotab).hex())\n"
	     "    for a, b, n in ranges(c): print(a, b, n)\n"
	     "    print('.')\n"
	     "    for k in c.co_consts:\n"
	     "        if isinstance(k, types.CodeType): show(k)\n"
	     "for m in (argparse, ast, json.decoder): show(compile(open(m.__file__).read(), m.__file__, 'exec'))\n";

/* The one of the system always, the others when they are in PATH. */
static const char *const interpreters[] = { "/usr/bin/python3", "python3.8",  "python3.9",  "python3.10",
					    "python3.11",       "python3.12", "python3.13", "python3.14" };
enum { N_INTERPRETERS = sizeof(interpreters) / sizeof(interpreters[0]) };

static uint8_t table[TABLE_MAX];

static size_t from_hex(const char *hex)
{
	size_t n = 0;
	unsigned byte;

	for (; n < TABLE_MAX && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		table[n++] = (uint8_t)byte;
	return n;
}

static FILE *ask_python(const char *name)
{
	char command[2048];

	setenv("SCRIPT", script, 1);
	snprintf(command, sizeof(command), "%s -c \"$SCRIPT\" 2>/dev/null", name);
	FILE *f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	return f;
}

START_TEST(test_lines)
{
	static char text[2 * TABLE_MAX + 64];
	FILE *f = ask_python(interpreters[_i]);
	size_t n_functions = 0, n_ranges = 0;

	while (fgets(text, sizeof(text), f)) {
		char *end_of_format, *hex;
		enum rd_python_lines format = (enum rd_python_lines)strtol(text, &end_of_format, 10);
		long first = strtol(end_of_format, &hex, 10);
		if (strcmp(text, "old\n") == 0)
			break;
		ck_assert_int_eq(*hex, ' ');
		size_t n = from_hex(hex + 1);
		n_functions++;
		while (fgets(text, sizeof(text), f) && text[0] != '.') {
			long start, end, line;
			ck_assert_int_eq(sscanf(text, "%ld %ld %ld", &start, &end, &line), 3);
			for (long at = start; at < end; at += 2)
				ck_assert_int_eq(rd_python_line(format, table, n, first, (uint64_t)at), line);
			n_ranges++;
		}
	}
	pclose(f);
	ck_assert(n_functions == 0 || (n_functions > 100 && n_ranges > 1000));
}
END_TEST

/* Line tables that CPython 3.9 and 3.10 compiled for a function with a loop over several lines, and the lines
 * that they report for it. */
START_TEST(test_kept)
{
	static const struct {
		enum rd_python_lines format;
		const char *hex;
		struct {
			uint64_t start, end;
			int64_t line;
		} ranges[16];
	} kept[] = {
		{ RD_PYTHON_LNOTAB,
		  "0003060106ff0603020102010201080102fd060504010cff04010c7f007f0031020102fe",
		  { { 0, 6, 5 },
		    { 6, 12, 6 },
		    { 12, 18, 5 },
		    { 18, 20, 8 },
		    { 20, 22, 9 },
		    { 22, 24, 10 },
		    { 24, 32, 11 },
		    { 32, 34, 12 },
		    { 34, 40, 9 },
		    { 40, 44, 14 },
		    { 44, 56, 15 },
		    { 56, 60, 14 },
		    { 60, 72, 15 },
		    { 72, 74, 318 },
		    { 74, 76, 319 },
		    { 76, 80, 317 } } },
		{ RD_PYTHON_PAIRS,
		  "0603060106ff0203020102010801020106fd0405080104ff007f007f0232020104fe0081008104cf080106ff",
		  { { 0, 6, 5 },
		    { 6, 12, 6 },
		    { 12, 18, 5 },
		    { 18, 20, 8 },
		    { 20, 22, 9 },
		    { 22, 24, 10 },
		    { 24, 32, 11 },
		    { 32, 34, 12 },
		    { 34, 40, 9 },
		    { 40, 44, 14 },
		    { 44, 52, 15 },
		    { 52, 56, 14 },
		    { 56, 58, 318 },
		    { 58, 60, 319 },
		    { 60, 64, 317 },
		    { 64, 68, 14 } } },
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		size_t n = from_hex(kept[i].hex);
		for (size_t k = 0; k < 16; k++)
			for (uint64_t at = kept[i].ranges[k].start; at < kept[i].ranges[k].end; at += 2)
				ck_assert_int_eq(rd_python_line(kept[i].format, table, n, 2, at),
						 kept[i].ranges[k].line);
	}
	ck_assert_int_eq(rd_python_line(RD_PYTHON_PAIRS, (const uint8_t *)"\x04\x80\x02\x01", 4, 9, 2), -1);
	ck_assert_int_eq(rd_python_line(RD_PYTHON_PAIRS, (const uint8_t *)"\x04\x80\x02\x01", 4, 9, 4), 10);
}
END_TEST

START_TEST(test_damaged)
{
	unsigned seed = 7;

	for (int i = 0; i < 200000; i++) {
		size_t n = (size_t)rand_r(&seed) % 40;
		for (size_t k = 0; k < n; k++)
			table[k] = (uint8_t)(rand_r(&seed) | (k ? 0 : 0x80));
		for (int format = RD_PYTHON_LNOTAB; format <= RD_PYTHON_ENTRIES; format++) {
			int64_t line = rd_python_line((enum rd_python_lines)format, table, n, 10,
						      (uint64_t)(rand_r(&seed) % 64));
			ck_assert(line >= -(INT64_C(1) << 42) && line <= INT64_C(1) << 42);
		}
	}
	ck_assert_int_eq(rd_python_line(RD_PYTHON_ENTRIES, table, 0, 10, 0), -1);
	ck_assert_int_eq(rd_python_line(RD_PYTHON_PAIRS, table, 0, 10, 0), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("python lines");
	TCase *tc = tcase_create("lines");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_lines, 0, N_INTERPRETERS);
	tcase_add_test(tc, test_kept);
	tcase_add_test(tc, test_damaged);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
