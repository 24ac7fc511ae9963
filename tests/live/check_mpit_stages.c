/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg vars at stages of a program's life (tests/programs/mpit_stages.c): before MPI_Init, after MPI_Finalize, while
 * something is counted; live and from a core, under both MPIs.
 */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 240 };

static json_t *find(const json_t *process, const char *name)
{
	static const char *const lists[] = { "cvars", "pvars" };
	json_t *entry;
	size_t i;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		json_array_foreach(json_object_get(process, lists[k]), i, entry)
		{
			const char *seen = json_string_value(json_object_get(entry, "name"));
			if (seen && strcmp(seen, name) == 0)
				return entry;
		}
	return NULL;
}

/* The values of a variable's objects. */
static json_t *values_of(const json_t *entry)
{
	json_t *ret = json_array(), *object;
	size_t i;

	json_array_foreach(json_object_get(entry, "objects"), i, object)
		json_array_append(ret, json_object_get(object, "value"));
	return ret;
}

static unsigned compare_line(const json_t *process, const char *line)
{
	char word[16], name[256];
	int rest = 0;

	if (sscanf(line, "%15s %255s %n", word, name, &rest) != 2 || !rest)
		return 0;
	json_t *expected = json_loads(line + rest, JSON_DECODE_ANY, NULL);
	ck_assert_msg(expected != NULL, "no JSON: %s", line);
	json_t *entry = find(process, name);
	json_t *seen = !strcmp(word, "objects") ? values_of(entry) : json_incref(json_object_get(entry, "value"));
	bool same = seen && json_equal(seen, expected);
	if (!same) {
		char *text = entry ? json_dumps(entry, JSON_COMPACT) : NULL;
		fprintf(stderr, "%s\n    seen: %s\n", line, text ? text : "nothing");
		free(text);
	}
	json_decref(seen);
	json_decref(expected);
	return !same;
}

static const char *why_of(const json_t *process, const char *name)
{
	const char *why = json_string_value(json_object_get(find(process, name), "value_why"));

	return why ? why : "a value";
}

static bool is_of_now(const json_t *process, const char *name)
{
	return !json_object_get(find(process, name), "time");
}

/* Query, and compare with the output of the program. */
static json_t *look(const struct facts *t, size_t at_least, json_t **answer)
{
	json_t *process = facts_ask(t, answer, "vars", NULL, NULL);
	unsigned n_bad = 0;

	ck_assert_uint_ge(t->n, at_least);
	for (size_t i = 0; i < t->n; i++)
		n_bad += compare_line(process, t->lines[i]);
	ck_assert_msg(!n_bad, "%u differ, see above", n_bad);
	return process;
}

static void each(const struct facts *t, const char *stage)
{
	json_t *answer, *process = look(t, !strcmp(stage, "counts") ? 6 : 2, &answer);
	static const char *const own[] = { "mpi2dd_calls", "mpi2dd_live_request", "mpi2dd_arena_used",
					   "mpi2dd_event_listeners" };
	static const char *const counted[] = { "mpi2dd_messages_sent", "mpi2dd_bytes_received", "mpi2dd_time_in_mpi",
					       "mpi2dd_requests_completed" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		ck_assert_msg(json_is_integer(json_object_get(find(process, own[i]), "value")) &&
				      is_of_now(process, own[i]),
			      "%s", own[i]);
	ck_assert(is_of_now(process, "mpi2dd_requests_active"));
	for (size_t i = 0; strcmp(stage, "counts") != 0 && i < sizeof(counted) / sizeof(counted[0]); i++)
		ck_assert_str_eq(why_of(process, counted[i]), "not counting: no handle is started");
	if (!strcmp(stage, "counts")) {
		json_t *seconds = json_object_get(find(process, "mpi2dd_time_in_mpi"), "value");
		ck_assert(json_is_real(seconds) && json_real_value(seconds) > 0 && json_real_value(seconds) < 3600);
	}
	json_decref(answer);
}

static void run(int mpi, const char *stage)
{
	struct facts t;

	setenv("MPIT_STAGE", stage, 1);
	facts_start((enum facts_mpi)mpi, "mpit_stages", 1, &t);
	each(&t, stage);
	facts_core(&t);
	each(&t, stage);
	facts_stop(&t);
}

START_TEST(test_early)
{
	run(_i, "early");
}
END_TEST

START_TEST(test_late)
{
	run(_i, "late");
}
END_TEST

START_TEST(test_counts)
{
	run(_i, "counts");
}
END_TEST

START_TEST(test_stopped)
{
	run(_i, "stopped");
}
END_TEST

/* A debugger queries before MPI_Init: variables that the program has used can be read, and nothing breaks. */
START_TEST(test_early_refresh)
{
	struct facts t;
	struct mpidbg_run r;
	json_t *answer;

	setenv("MPIT_STAGE", "early", 1);
	facts_start((enum facts_mpi)_i, "mpit_stages", 1, &t);
	mpidbg_run_program(&r, (char *const[]){ (char[]){ "gdb" }, (char[]){ "-nx" }, (char[]){ "-batch" },
						(char[]){ "-p" }, t.pid_text, (char[]){ "-ex" },
						(char[]){ "print (int)MPI2DD_refresh()" }, NULL });
	const char *at = strstr(r.out, "$1 = ");
	ck_assert_msg(r.exit_code == 0 && at && atoi(at + 5) > (_i ? 300 : 700), "gdb: %s%s", r.out, r.err);
	mpidbg_run_free(&r);
	look(&t, 2, &answer);
	json_decref(answer);
	facts_stop(&t);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("mpit stages");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_early, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_late, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_counts, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_stopped, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_early_refresh, 0, FACTS_N_MPIS);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
