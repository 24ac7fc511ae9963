/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares mpidbg handles, print and calls with the facts that the facts_... programs print about their own objects, of
 * every kind: live and from a core, under both MPIs.
 */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 400 };

static const struct {
	const char *program;
	int n;
	unsigned at_least; /* minimum number of facts */
} programs[] = {
	{ "facts_comms", 3, 400 }, { "facts_types", 2, 560 },   { "facts_windows", 3, 150 },
	{ "facts_files", 2, 70 },  { "facts_others", 2, 110 },  { "facts_renamed", 1, 60 },
	{ "facts_sides", 2, 180 }, { "facts_requests", 2, 25 },
};
enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

START_TEST(test_objects)
{
	int i = _i / FACTS_N_MPIS;
	enum facts_mpi mpi = _i % FACTS_N_MPIS;
	struct facts t;
	unsigned n_facts, n_bad, n_core_facts;

	facts_start(mpi, programs[i].program, programs[i].n, &t);
	n_bad = facts_compare(&t, &n_facts);
	ck_assert_msg(!n_bad, "%s: %u of %u facts differ, see above", t.program, n_bad, n_facts);
	/* MPICH 3 has neither MPI_Isendrecv nor persistent collectives */
	bool less = mpi == FACTS_MPICH && !job_mpich_has_mpi4() && !strcmp(programs[i].program, "facts_sides");
	ck_assert_uint_ge(n_facts, programs[i].at_least - (less ? 1 : 0));
	facts_core(&t);
	n_bad = facts_compare(&t, &n_core_facts);
	ck_assert_msg(!n_bad, "core of %s: %u of %u facts differ, see above", t.program, n_bad, n_core_facts);
	ck_assert_uint_eq(n_core_facts, n_facts);
	facts_stop(&t);
}
END_TEST

/* The rest of the line that begins with this label; "" if there is none. */
static const char *line_of(const char *text, const char *label)
{
	static char line[4096];
	char start[64];

	snprintf(start, sizeof(start), "\n    %s ", label);
	const char *at = strstr(text, start);
	if (!at)
		return "";
	at += strlen(start);
	at += strspn(at, " ");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

static void lines_are(const struct facts *t, const char *kind, const char *value, const char *const (*lines)[2],
		      size_t n)
{
	char *text = facts_text(t, "print", kind, value);

	for (size_t i = 0; i < n; i++)
		ck_assert_msg(!strcmp(line_of(text, lines[i][0]), lines[i][1]), "%s %s: %s is '%s', expected '%s'",
			      kind, value, lines[i][0], line_of(text, lines[i][0]), lines[i][1]);
	free(text);
}
#define LINES_ARE(t, kind, value, lines) lines_are(t, kind, value, lines, sizeof(lines) / sizeof((lines)[0]))

/* The text form of a datatype: the type map as in section 3.12 of MPI-1, and the holes in its layout. */
START_TEST(test_text)
{
	static const char *const lines[][2] = {
		{ "arguments", "1 MPI_INT at byte 0, 2 \"wide pair\" at byte 8, 1 MPI_DOUBLE at byte 48" },
		{ "type map", "{(MPI_INT, 0), (MPI_FLOAT, 8), (MPI_CHAR, 12), (MPI_FLOAT, 24), (MPI_CHAR, 28), "
			      "(MPI_DOUBLE, 48)}" },
		{ "holes", "4 at 4, 11 at 13, 19 at 29  (34 bytes in all)" },
		{ "bytes", "|aaaa....bbbbc...........dddde...................ffffffff|" },
		{ "committed", "yes" },
		{ "made by", "MPI_Type_create_struct" },
	};
	static const char *const pair_lines[][2] = {
		{ "type map", "{(MPI_SHORT, 0), (MPI_INT, 4)}" },
		{ "elements", "2" },
		{ "holes", "2 at 2  (2 bytes in all)" },
		{ "bytes", "|aa..bbbb|" },
	};
	static const char *const pairs_lines[][2] = {
		{ "arguments", "3 MPI_SHORT_INT" },
		{ "holes", "2 at 2, 2 at 10, 2 at 18  (6 bytes in all)" },
		{ "bytes", "|aa..bbbbcc..ddddee..ffff|" },
	};
	static const char *const f90_lines[][2] = {
		{ "arguments", "2 MPI_Type_create_f90_integer(7)" },
		{ "type map", "{(MPI_Type_create_f90_integer(7), 0) x 2}" },
	};
	static const char *const beyond_lines[][2] = {
		{ "holes", "12 at 4, 12 at 20  (24 bytes in all)" },
		{ "bytes", "|aaaa............bbbb............cccc|  from 0, beyond the bounds 0 and 4" },
	};
	static const char *const before_lines[][2] = {
		{ "bytes", "|aaaa....bbbb....|  from 0, beyond the bounds 8 and 16" },
	};
	struct facts t;

	/* MPICH's bounds of the record enclose its bytes; Open MPI's are those of the resized member */
	facts_start(FACTS_MPICH, "facts_types", 2, &t);
	LINES_ARE(&t, "datatype", "a record", lines);
	LINES_ARE(&t, "datatype", "MPI_SHORT_INT", pair_lines);
	LINES_ARE(&t, "datatype", "three pairs", pairs_lines);
	LINES_ARE(&t, "datatype", "seven digits", f90_lines);
	LINES_ARE(&t, "datatype", "beyond its bounds", beyond_lines);
	LINES_ARE(&t, "datatype", "before its bounds", before_lines);
	facts_stop(&t);
}
END_TEST

/* The handle for which the program printed a fact; "fact request 0x98000000 peer -2" is such a line. */
static const char *handle_with(const struct facts *t, const char *kind, const char *fact)
{
	static char handle[64];
	char seen[32];
	int at;

	for (size_t i = 0; i < t->n; i++)
		if (sscanf(t->lines[i], "fact %31s %63s %n", seen, handle, &at) == 2 && !strcmp(seen, kind) &&
		    !strcmp(t->lines[i] + at, fact))
			return handle;
	ck_abort_msg("no fact %s %s", kind, fact);
}

/* Facts that do not apply are omitted, unknown ones are not, and named values are shown by name. */
START_TEST(test_words)
{
	static const char *const null_comm[][2] = {
		{ "name", "MPI_COMM_NULL" }, { "type", "" }, { "rank", "" }, { "world rank", "" }, { "size", "" }
	};
	static const char *const null_win[][2] = { { "base", "" }, { "size", "" }, { "fence open", "" } };
	static const char *const no_proc[][2] = { { "source", "MPI_PROC_NULL" }, { "tag", "any" }, { "bytes", "0" } };
	static const char *const to_nobody[][2] = { { "peer", "MPI_PROC_NULL" } };
	const char *const in_place[][2] = { { "buffer",
					      _i ? "MPI_IN_PLACE  0xffffffffffffffff" : "MPI_IN_PLACE  0x1" } };
	static const char *const bottom[][2] = { { "buffer", "MPI_BOTTOM  0x0" } };
	static const char *const generalized[][2] = { { "buffer", "" }, { "complete", "no  (says the tracker)" } };
	const char *const complete[][2] = {
		{ "complete",
		  _i == FACTS_MPICH && !job_mpich_is_read()
			  ? "unavailable (only the MPI library knows, and its own request cannot be read here)"
			  : "no  (says the MPI library)" }
	};
	struct facts t;

	facts_start((enum facts_mpi)_i, "facts_others", 2, &t);
	LINES_ARE(&t, "comm", "MPI_COMM_NULL", null_comm);
	LINES_ARE(&t, "win", "MPI_WIN_NULL", null_win);
	LINES_ARE(&t, "message", "MPI_MESSAGE_NO_PROC", no_proc);
	LINES_ARE(&t, "request", handle_with(&t, "request", "peer -2"), to_nobody);
	LINES_ARE(&t, "request", handle_with(&t, "request", "buffer_name \"MPI_IN_PLACE\""), in_place);
	LINES_ARE(&t, "request", handle_with(&t, "request", "buffer_name \"MPI_BOTTOM\""), bottom);
	LINES_ARE(&t, "request", handle_with(&t, "request", "complete false"), generalized);
	LINES_ARE(&t, "request", handle_with(&t, "request", "tag 6"), complete);
	char *text = facts_text(&t, "handles", "request", NULL);
	ck_assert_msg(strstr(text, "peer MPI_PROC_NULL") != NULL, "%s", text);
	ck_assert_msg(!strstr(text, "peer -"), "%s", text);
	free(text);
	facts_stop(&t);
}
END_TEST

/* Debian 13's Open MPI 5.0.7 frees a wrong pointer in MPI_Waitall when an MPI_Comm_idup fails. Does it without us? */
static bool openmpi_aborts(void)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "FACTS_END=1 timeout 100 mpirun.openmpi --oversubscribe -n 1 %s/programs/facts_too_many >/dev/null "
		 "2>&1",
		 getenv("MPIDBG_BUILD"));
	int status = system(command);
	return WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGABRT;
}

/* A failed MPI_Comm_idup is not recorded and MPI is not queried about it, because Open MPI would crash. */
START_TEST(test_too_many)
{
	struct facts t;
	unsigned n_facts;
	int n_made = 0, n_failed = 0, n_live = -1;

	if (_i == FACTS_OPENMPI && openmpi_aborts()) {
		puts("Open MPI aborts when an MPI_Comm_idup fails");
		return;
	}
	setenv("MPI2DD_TRACK_COMM", "70000", 1);
	setenv("MPI2DD_TRACK_FREED", "64", 1);
	facts_start((enum facts_mpi)_i, "facts_too_many", 1, &t);
	for (size_t i = 0; i < t.n; i++)
		sscanf(t.lines[i], "made %d failed %d", &n_made, &n_failed);
	ck_assert_int_ge(n_made, 6);
	ck_assert_int_ge(n_failed, 6);
	ck_assert_uint_eq(facts_compare(&t, &n_facts), 0);
	ck_assert_uint_eq(n_facts, (unsigned)n_made);
	char *text = facts_text(&t, "handles", "comm", NULL);
	ck_assert_msg(sscanf(text, "%*[^\n]\n communicators: %d live", &n_live) == 1, "%.300s", text);
	ck_assert_int_eq(n_live, n_made);
	free(text);
	facts_stop(&t);
}
END_TEST

/* Without debug information a call site is a function without a line; without symbols it is a file. */
START_TEST(test_stripped)
{
	static const char *const options[] = { "--strip-debug", "--strip-all" };
	char path[SCRATCH_MAX], expected[SCRATCH_MAX];
	char *argv[] = { (char *)"strip", (char *)options[_i], (char *)"-o", path, NULL, NULL };
	char original[512];
	struct mpidbg_run r;
	struct facts t;
	json_t *answer;

	close(scratch_file(path, "stripped"));
	snprintf(original, sizeof(original), "%s/programs-mpich/facts_others", getenv("MPIDBG_BUILD"));
	argv[4] = original;
	mpidbg_run_program(&r, argv);
	ck_assert_msg(r.exit_code == 0, "strip: %s", r.err);
	mpidbg_run_free(&r);
	ck_assert_int_eq(chmod(path, 0755), 0);
	facts_start(FACTS_MPICH, path, 2, &t);
	snprintf(expected, sizeof(expected), "%s+0x", _i ? strrchr(path, '/') + 1 : "main");
	double end = job_now() + 30;
	const char *place;
	do {
		const json_t *calls = json_object_get(facts_ask(&t, &answer, "calls", NULL, NULL), "calls");
		place = json_string_value(json_object_get(json_array_get(calls, 0), "caller_place"));
		if (!place)
			json_decref(answer);
	} while (!place && job_now() < end);
	ck_assert_ptr_nonnull(place);
	ck_assert_msg(!strncmp(place, expected, strlen(expected)), "%s", place);
	ck_assert_msg(!strstr(place, " at "), "%s", place);
	json_decref(answer);
	facts_stop(&t);
	unlink(path);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("objects");
	TCase *tcase = tcase_create("live and from cores");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_objects, 0, N_PROGRAMS * FACTS_N_MPIS);
	tcase_add_test(tcase, test_text);
	tcase_add_loop_test(tcase, test_words, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_too_many, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_stripped, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
