/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi2dd/tables/settings.c: which settings are valid, and the messages about invalid ones. */
#include "../../mpi2dd/tables/settings.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *value;
	bool good;
	int64_t number;
} values[] = {
	{ "MPI2DD_TRACK_COMM", "0", true, 0 },
	{ "MPI2DD_TRACK_COMM", "77", true, 77 },
	{ "MPI2DD_TRACK_COMM", "16777216", true, 1 << 24 },
	{ "MPI2DD_TRACK_COMM", "16777217", true, 1 << 24 },
	{ "MPI2DD_TRACK_COMM", "99999999999999999999999999", true, 1 << 24 },
	{ "MPI2DD_TRACK_COMM", "-1", false, 0 },
	{ "MPI2DD_TRACK_COMM", "-99999999999999999999999999", false, 0 },
	{ "MPI2DD_TRACK_COMM", "abc", false, 0 },
	{ "MPI2DD_TRACK_COMM", "12abc", false, 0 },
	{ "MPI2DD_TRACK_COMM", "1e99", false, 0 },
	{ "MPI2DD_TRACK_COMM", "0x10", false, 0 },
	{ "MPI2DD_TRACK_COMM", "", false, 0 },
	{ "MPI2DD_TRACK_COMM", " 5", false, 0 },
	{ "MPI2DD_TRACK_COMM", "+5", false, 0 },
	{ "MPI2DD_TRACK_COMM", "-", false, 0 },
	{ "MPI2DD_TRACK_FREED", "-1", true, -1 },
	{ "MPI2DD_TRACK_FREED", "-2", false, 0 },
	{ "MPI2DD_TRACK_FREED", "2147483648", true, INT_MAX },
	{ "MPI2DD_TRACK_WHERE", "33", true, 32 },
	{ "MPI2DD_TRACK", "0", true, 0 },
	{ "MPI2DD_TRACK", "2", false, 0 },
	{ "MPI2DD_GATE", "1", true, 1 },
	{ "MPI2DD_GATE", "yes", false, 0 },
	{ "MPI2DD_VARS", "none", true, 0 },
	{ "MPI2DD_VARS", "own", true, 1 },
	{ "MPI2DD_VARS", "host", true, 2 },
	{ "MPI2DD_VARS", "1", true, 2 },
	{ "MPI2DD_VARS", "HOST", false, 0 },
	{ "MPI2DD_VARS", "", false, 0 },
	{ "MPI2DD_STARTER", "1", false, 0 }, /* no number */
	{ "MPI2DD_NO_SUCH_THING", "1", false, 0 },
};
enum { N_VALUES = sizeof(values) / sizeof(values[0]), UNTOUCHED = -77 };

START_TEST(test_value)
{
	int64_t n = UNTOUCHED;

	ck_assert(!m2d_setting(values[_i].name, &n));
	setenv(values[_i].name, values[_i].value, 1);
	ck_assert_msg(m2d_setting(values[_i].name, &n) == values[_i].good, "%s=%s", values[_i].name, values[_i].value);
	ck_assert_int_eq(n, values[_i].good ? values[_i].number : UNTOUCHED);
}
END_TEST

static const struct {
	const char *variable, *line; /* NULL: nothing is wrong */
} lines[] = {
	{ "HOME=/", NULL },
	{ "MPI2DD=1", NULL },
	{ "MPI2DD_TRACK_COMM=5", NULL },
	{ "MPI2DD_STARTER=unix:x;y", NULL },
	{ "MPI2DD_PARENT=", NULL },
	{ "MPI2DD_VARS=host", NULL },
	{ "MPI2DD_TRACK_COMM=abc",
	  "MPI2DD_TRACK_COMM=abc was not understood: a number from 0 to 16777216; 4096 is used" },
	{ "MPI2DD_TRACK_WIN=1e99",
	  "MPI2DD_TRACK_WIN=1e99 was not understood: a number from 0 to 16777216; 1024 is used" },
	{ "MPI2DD_TRACK_COMM=99999999999",
	  "MPI2DD_TRACK_COMM=99999999999 is too large: a number from 0 to 16777216; 16777216 is used" },
	{ "MPI2DD_TRACK_FREED=-5", "MPI2DD_TRACK_FREED=-5 was not understood: a number from -1 to 2147483647; -1, a "
				   "quarter of the capacity, is used" },
	{ "MPI2DD_VARS=all", "MPI2DD_VARS=all was not understood: none, own or host; own is used" },
	{ "MPI2DD_GATE=2", "MPI2DD_GATE=2 was not understood: 0 or 1; 0 is used" },
	{ "MPI2DD_TRACK_COMM=\033[2J\n\xff", "MPI2DD_TRACK_COMM=?[2J?? was not understood: a number from 0 to "
					     "16777216; 4096 is used" },
	{ "MPI2DD_TRAK_COMM=5", "MPI2DD_TRAK_COMM: there is no such setting: did you mean MPI2DD_TRACK_COMM?" },
	{ "MPI2DD_STALL=5", "MPI2DD_STALL: there is no such setting: did you mean MPI2DD_STALL_SECONDS?" },
	{ "MPI2DD_COLOUR_OF_THE_SKY=5", "MPI2DD_COLOUR_OF_THE_SKY: there is no such setting" },
	{ "MPI2DD_", "MPI2DD_: there is no such setting" },
	{ "MPI2DD_GATE", "MPI2DD_GATE= was not understood: 0 or 1; 0 is used" },
};
enum { N_LINES = sizeof(lines) / sizeof(lines[0]) };

START_TEST(test_line)
{
	char line[M2D_SETTING_LINE] = "untouched";

	ck_assert_msg(m2d_setting_wrong(lines[_i].variable, line) == (lines[_i].line != NULL), "%s", line);
	ck_assert_str_eq(line, lines[_i].line ? lines[_i].line : "untouched");
}
END_TEST

/* For any value and any length of the name, the line ends within its buffer. */
START_TEST(test_long)
{
	char variable[5000], line[M2D_SETTING_LINE];

	for (size_t n = 0; n < sizeof(variable) - 40; n += 7) {
		strcpy(variable, "MPI2DD_TRACK_COMM=");
		memset(variable + 18, 'x', n);
		variable[18 + n] = '\0';
		ck_assert(m2d_setting_wrong(variable, line) && strlen(line) < sizeof(line));
		ck_assert_msg(strstr(line, "4096 is used") != NULL, "%s", line);
		variable[17] = '_';
		ck_assert(m2d_setting_wrong(variable, line) && strlen(line) < sizeof(line));
	}
}
END_TEST

START_TEST(test_all)
{
	char *none[] = { NULL };
	char *some[] = { (char *)"A=1", (char *)"MPI2DD_GATE=x", (char *)"MPI2DD_GATE=1", (char *)"MPI2DD_VARS=y",
			 NULL };
	char text[200], tight[20];

	m2d_settings_wrong(none, text, sizeof(text));
	ck_assert_str_eq(text, "");
	m2d_settings_wrong(NULL, text, sizeof(text));
	ck_assert_str_eq(text, "");
	m2d_settings_wrong(some, text, sizeof(text));
	ck_assert_str_eq(text, "MPI2DD_GATE=x was not understood: 0 or 1; 0 is used\n"
			       "MPI2DD_VARS=y was not understood: none, own or host; own is used\n");
	m2d_settings_wrong(some, tight, sizeof(tight));
	ck_assert_uint_lt(strlen(tight), sizeof(tight));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mpi2dd settings");
	TCase *tcase = tcase_create("settings");

	tcase_add_loop_test(tcase, test_value, 0, N_VALUES);
	tcase_add_loop_test(tcase, test_line, 0, N_LINES);
	tcase_add_test(tcase, test_long);
	tcase_add_test(tcase, test_all);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
