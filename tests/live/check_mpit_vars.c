/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares mpidbg vars with the results of MPI_T in tests/programs/mpit_vars.c:
 * live, in cores and between ranks, with both MPIs.
 */
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 240 };

static const facts_env plain[2] = { { NULL }, { NULL } };

static void start(int mpi, const char *mode, const facts_env env[2], struct facts *t)
{
	facts_start_pair((enum facts_mpi)mpi, "mpit_vars", mode, env, t);
}

/* The entry with an index. */
static json_t *entry_of(json_t *answer, const char *list, int index)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(facts_process(answer), list), i, entry)
	{
		if (json_integer_value(json_object_get(entry, "index")) == index)
			return entry;
	}
	return NULL;
}

static bool same_value(const json_t *seen, const json_t *expected)
{
	if (json_is_real(expected) || json_is_real(seen)) {
		double d = json_number_value(seen) - json_number_value(expected);
		return json_is_number(seen) && json_is_number(expected) && d < 1e-9 && d > -1e-9;
	}
	return seen && json_equal(seen, expected);
}

/* The fact about an entry in a line of the program. */
static bool fits(json_t *answer, const char *word, int index, const char *name, const char *rest)
{
	json_t *e = entry_of(answer,
			     !strcmp(word, "category") ? "categories"
			     : !strcmp(word, "cvar")   ? "cvars"
			     : !strcmp(word, "pvar")   ? "pvars"
						       : "events",
			     index);
	json_t *expected = json_loads(rest, JSON_DECODE_ANY, NULL);
	const char *seen = json_string_value(json_object_get(e, "name"));
	bool ok = e && seen && !strcmp(seen, name);

	ck_assert_msg(expected != NULL, "no JSON: %s %s", name, rest);
	if (ok && !strcmp(word, "category"))
		ok = json_equal(json_object_get(e, "cvars"), json_object_get(expected, "cvars")) &&
		     json_integer_value(json_object_get(expected, "n_pvars")) ==
			     (json_int_t)json_array_size(json_object_get(e, "pvars")) &&
		     json_integer_value(json_object_get(expected, "n_categories")) ==
			     (json_int_t)json_array_size(json_object_get(e, "categories"));
	else if (ok && !strcmp(word, "event"))
		ok = json_integer_value(expected) == (json_int_t)json_array_size(json_object_get(e, "elements"));
	else if (ok)
		ok = same_value(json_object_get(e, "value"), expected);
	if (!ok) {
		char *text = e ? json_dumps(e, JSON_COMPACT) : NULL;
		fprintf(stderr, "%s %d %s %s\n    seen: %s\n", word, index, name, rest, text ? text : "nothing");
		free(text);
	}
	json_decref(expected);
	return ok;
}

static void compare(const struct facts *t, json_t *answer, int mpi)
{
	unsigned n[4] = { 0 }, n_bad = 0, n_registrations = 0, n_bound = 0;
	static const char *const words[] = { "cvar", "pvar", "category", "event" };

	for (size_t i = 0; i < t->n; i++) {
		char word[16], name[256], function[256];
		unsigned long long callback;
		int index, rest = 0, count;

		if (sscanf(t->lines[i], "registration %d %llx %d %255[^\n]", &index, &callback, &count, function) ==
		    4) {
			json_t *r = json_array_get(json_object_get(entry_of(answer, "events", index), "registrations"),
						   0);
			const char *seen = json_string_value(
				json_object_get(json_object_get(r, "callbacks"), "mpi_restricted"));
			ck_assert_int_eq(count, 3);
			ck_assert_int_eq(json_integer_value(json_object_get(r, "raised")), count);
			ck_assert_int_eq(json_integer_value(json_object_get(r, "dropped")), 0);
			ck_assert(seen && strtoull(seen, NULL, 16) == callback);
			seen = json_string_value(
				json_object_get(json_object_get(r, "callback_places"), "mpi_restricted"));
			ck_assert_msg(seen && !strcmp(seen, function), "%s, not %s", seen ? seen : "none", function);
			n_registrations++;
		} else if (sscanf(t->lines[i], "bound %d %255s", &index, name) == 2) {
			json_t *r = json_array_get(json_object_get(entry_of(answer, "events", index), "registrations"),
						   0);
			const char *seen = json_string_value(json_object_get(r, "object_name"));
			ck_assert_msg(seen && !strcmp(seen, name), "%s, not %s", seen ? seen : "none", name);
			n_bound++;
		} else if (sscanf(t->lines[i], "%15s %d %255s %n", word, &index, name, &rest) == 3 && rest) {
			for (int k = 0; k < 4; k++)
				n[k] += !strcmp(word, words[k]);
			n_bad += !fits(answer, word, index, name, t->lines[i] + rest);
		}
	}
	ck_assert_msg(!n_bad, "%u differ, see above", n_bad);
	ck_assert_uint_gt(n[0], mpi ? 300 : 700);
	ck_assert_uint_gt(n[1], 20);
	ck_assert_uint_gt(n[2], mpi ? 15 : 100);
	ck_assert_uint_gt(n[3], 2);
	ck_assert_uint_eq(n_registrations, 1);
	ck_assert_uint_eq(n_bound, 1);
	ck_assert(json_is_true(json_object_get(facts_process(answer), "mpi_library")));
}

/* Has it counted something? */
static bool is_moved(json_t *var)
{
	const char *name = json_string_value(json_object_get(var, "name"));
	const char *class = json_string_value(json_object_get(var, "class"));
	json_t *value = json_object_get(var, "value"), *objects = json_object_get(var, "objects"), *one;
	bool any = json_is_number(value) && json_number_value(value) != 0;
	size_t i;

	if (!strncmp(name, "mpi2dd_live_", 12) || !strncmp(name, "mpi2dd_arena_", 13) || !class ||
	    !strcmp(class, "state"))
		return false;
	json_array_foreach(value, i, one) any |= json_number_value(one) != 0;
	json_array_foreach(objects, i, one) any |= json_number_value(json_object_get(one, "value")) != 0;
	return any || json_is_string(value) || json_is_true(value);
}

/* Of the same core: with --moved those performance variables alone, which compare() has compared with the program. */
static void compare_moved(const struct facts *t, json_t *answer)
{
	json_t *all = json_object_get(facts_process(answer), "pvars"), *var;
	struct mpidbg_run r;
	size_t i, n = 0;

	mpidbg_run(&r, "vars", "--moved", "--json", "--core", t->core, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	json_t *moved = mpidbg_run_json(&r), *process = facts_process(moved);
	ck_assert(!json_object_get(process, "cvars") && !json_object_get(process, "events"));
	json_array_foreach(all, i, var)
	{
		if (!is_moved(var))
			continue;
		json_t *seen = json_array_get(json_object_get(process, "pvars"), n++);
		ck_assert_msg(json_equal(seen, var), "%s: %s", json_dumps(var, 0), seen ? json_dumps(seen, 0) : "none");
	}
	ck_assert_uint_eq(n, json_array_size(json_object_get(process, "pvars")));
	ck_assert_uint_ge(n, 2);
	json_decref(moved);
	mpidbg_run_free(&r);
}

START_TEST(test_truth)
{
	struct facts t;
	struct mpidbg_run r;

	start(_i, "asks", plain, &t);
	mpidbg_run(&r, "vars", "--json", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	json_t *answer = mpidbg_run_json(&r);
	compare(&t, answer, _i);
	json_decref(answer);
	mpidbg_run_free(&r);

	/* as text: which callbacks, and for what */
	mpidbg_run(&r, "vars", "events", "-p", t.pid_text, NULL);
	const char *at = strstr(r.out, ": raised 3, dropped 0; callback on_error at mpit_vars.c:");
	ck_assert_msg(at && strstr(at, " (requires mpi_restricted)"), "%s", r.out);
	ck_assert_msg(strstr(r.out, " of MPI_COMM_WORLD: raised 0, dropped 0; no callback"), "%s", r.out);
	mpidbg_run_free(&r);

	/* the same in a core */
	facts_core(&t);
	mpidbg_run(&r, "vars", "--json", "--core", t.core, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	answer = mpidbg_run_json(&r);
	compare(&t, answer, _i);
	compare_moved(&t, answer);
	json_decref(answer);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

/* What a run of GDB has printed for "$1 = ". */
static int call_refresh(const char *pid)
{
	struct mpidbg_run r;
	char ex[] = "print (int)MPI2DD_refresh()", p[16];

	snprintf(p, sizeof(p), "%s", pid);
	mpidbg_run_program(&r, (char *const[]){ (char[]){ "gdb" }, (char[]){ "-nx" }, (char[]){ "-batch" },
						(char[]){ "-p" }, p, (char[]){ "-ex" }, ex, NULL });
	const char *at = strstr(r.out, "$1 = ");
	ck_assert_msg(r.exit_code == 0 && at, "gdb: %s%s", r.out, r.err);
	int n = atoi(at + 5);
	mpidbg_run_free(&r);
	return n;
}

/* A program that never uses MPI_T: our variables are listed, those of the MPI library when a debugger requests them. */
START_TEST(test_refresh)
{
	struct facts t;
	struct mpidbg_run r;

	start(_i, "quiet", plain, &t);
	mpidbg_run(&r, "vars", "cvars", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	ck_assert_msg(strstr(r.out, "MPI2DD_VERSION"), "%s", r.out);
	ck_assert_msg(strstr(r.out, "own were not read: start the program with MPI2DD_VARS=host"), "%s", r.out);
	ck_assert_msg(!strstr(r.out, _i ? "MPIR_CVAR" : "btl_tcp"), "%s", r.out);
	mpidbg_run_free(&r);

	int n = call_refresh(t.pid_text);
	ck_assert_int_gt(n, _i ? 300 : 700);
	mpidbg_run(&r, "vars", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	ck_assert_msg(strstr(r.out, "at MPI2DD_refresh"), "%s", r.out);
	ck_assert_msg(strstr(r.out, _i ? "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE" : "btl_tcp_eager_limit"), "%s", r.out);
	/* the two messages that nobody has received */
	if (!_i)
		ck_assert_msg(strstr(r.out, "MPI_COMM_WORLD: 2"), "%s", r.out);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

/* The entry with a name. */
static json_t *named(json_t *answer, const char *list, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(facts_process(answer), list), i, entry)
	{
		if (strcmp(json_string_value(json_object_get(entry, "name")), name) == 0)
			return entry;
	}
	ck_abort_msg("no %s", name);
	return NULL;
}

static bool is_from(json_t *entry, const char *key, const char *word)
{
	const char *seen = json_string_value(json_object_get(entry, key));

	return seen && strcmp(seen, word) == 0;
}

static json_int_t of_object(json_t *entry, const char *object)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(entry, "objects"), i, one)
	{
		if (is_from(one, "name", object))
			return json_integer_value(json_object_get(one, "value"));
	}
	return -1;
}

/* Values that the program has changed after MPI_Init, when the library read them: those that MPI_T returned then. */
static void compare_late(const struct facts *t, json_t *answer, int mpi)
{
	unsigned n_wrote = 0, n_late = 0, n_active = 0, n_old = 0;

	for (size_t i = 0; i < t->n; i++) {
		char name[256], object[64];
		long long value;

		if (sscanf(t->lines[i], "wrote %255s %lld", name, &value) == 2) {
			json_t *e = named(answer, "cvars", name);
			ck_assert_int_eq(json_integer_value(json_object_get(e, "value")), value);
			ck_assert_msg(is_from(e, "source", "memory") || is_from(e, "read_for", "MPI_T_cvar_write"),
				      "%s", name);
			n_wrote++;
		} else if (sscanf(t->lines[i], "late %255s %63s %lld", name, object, &value) == 3) {
			json_t *e = named(answer, "pvars", name);
			ck_assert_msg(of_object(e, object) == value, "%s of %s: %lld, not %lld", name, object,
				      (long long)of_object(e, object), value);
			ck_assert_msg(is_from(e, "source", "memory") && !json_object_get(e, "time"), "%s", name);
			n_late++;
		} else if (sscanf(t->lines[i], "active %lld", &value) == 1) {
			json_t *e = named(answer, "pvars", "mpi2dd_requests_active");
			ck_assert_int_eq(value, 2);
			ck_assert_int_eq(json_integer_value(json_object_get(e, "value")), value);
			ck_assert(is_from(e, "source", "memory"));
			n_active++;
		}
	}
	ck_assert_uint_eq(n_wrote, 1);
	ck_assert_uint_eq(n_late, mpi ? 0 : 3);
	ck_assert_uint_eq(n_active, 1);
	/* a value that is not in memory and was not read since is marked as old */
	json_t *e, *cvars = json_object_get(facts_process(answer), "cvars");
	unsigned n_memory = 0;
	size_t k;
	json_array_foreach(cvars, k, e)
	{
		n_memory += is_from(e, "source", "memory");
		n_old += is_from(e, "source", "MPI_T") && is_from(e, "read_for", "MPI_Init") &&
			 json_integer_value(json_object_get(e, "time")) > 0;
	}
	ck_assert_uint_gt(n_old, 5);
	ck_assert_uint_ge(n_old + n_memory + n_wrote, json_array_size(cvars));
}

START_TEST(test_late)
{
	static const facts_env host[2] = { { "MPI2DD_VARS=host", NULL }, { "MPI2DD_VARS=host", NULL } };
	struct facts t;
	struct mpidbg_run r;
	json_t *answer;

	start(_i, "late", host, &t);
	mpidbg_run(&r, "vars", "--json", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	answer = mpidbg_run_json(&r);
	compare_late(&t, answer, _i);
	json_decref(answer);
	mpidbg_run_free(&r);

	/* in words: each line its own */
	mpidbg_run(&r, "vars", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	ck_assert_msg(!strstr(r.out, "values of ") && strstr(r.out, " s ago, at MPI_Init\n") &&
			      strstr(r.out, "unsigned long long, level, now\n"),
		      "%.3000s", r.out);
	if (!_i)
		ck_assert_msg(strstr(r.out, "young: 3") && strstr(r.out, "unsigned, size, per comm, now\n"), "%s",
			      r.out);
	mpidbg_run_free(&r);

	facts_core(&t);
	mpidbg_run(&r, "vars", "--json", "--core", t.core, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	answer = mpidbg_run_json(&r);
	compare_late(&t, answer, _i);
	json_decref(answer);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

START_TEST(test_diff)
{
	static const facts_env env[FACTS_N_MPIS][2] = {
		{ { "MPI2DD_VARS=host", "OMPI_MCA_btl_tcp_sndbuf=66", NULL },
		  { "MPI2DD_VARS=host", "OMPI_MCA_btl_tcp_sndbuf=77", "MPI2DD_TRACK_WHERE=2", NULL } },
		{ { "MPI2DD_VARS=host", "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE=66", NULL },
		  { "MPI2DD_VARS=host", "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE=77", "MPI2DD_TRACK_WHERE=2", NULL } },
	};
	const char *name = _i ? "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE" : "btl_tcp_sndbuf";
	struct facts t;
	struct mpidbg_run r;
	char expected[200];

	start(_i, "quiet", env[_i], &t);
	mpidbg_run(&r, "vars", "cvars", name, "--diff", "--job", t.launcher_text, NULL);
	snprintf(expected, sizeof(expected),
		 "control variables: 1 of 1 differ:\n  %s\n    %-40d [0] (1 rank)\n    %-40d [1] (1 rank)\n", name, 66,
		 77);
	ck_assert_msg(r.exit_code == 0 && strstr(r.out, expected), "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	/* all of them: only the variables that identify ranks differ, and few others */
	mpidbg_run(&r, "vars", "cvars", "--diff", "--json", "--job", t.launcher_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	json_t *answer = mpidbg_run_json(&r), *one;
	size_t i, n_known = 0;
	json_array_foreach(json_object_get(answer, "differences"), i, one)
	{
		const char *seen = json_string_value(json_object_get(one, "name"));
		n_known += !strcmp(seen, name) || !strcmp(seen, "MPI2DD_TRACK_WHERE");
	}
	ck_assert_uint_eq(n_known, 2);
	ck_assert_uint_lt(i, 13);
	ck_assert_int_gt(json_integer_value(json_object_get(answer, "compared")), _i ? 300 : 700);
	json_decref(answer);
	mpidbg_run_free(&r);
	/* a snapshot has all of them, each once */
	mpidbg_run(&r, "snapshot", "--job", t.launcher_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	snprintf(expected, sizeof(expected),
		 "{\"name\":\"%s\",\"of_mpi\":true,\"values\":[{\"words\":\"66\",\"ranks\":[0]},{\"words\":\"77\","
		 "\"ranks\":[1]}]}",
		 name);
	ck_assert_msg(strstr(r.out, expected) != NULL, "%s", r.out);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

/* What was read in one rank only is no difference: the other may have the same. */
START_TEST(test_diff_of_some)
{
	/* what is set for the first program is also set for the second by the launcher of Open MPI 5.0.10 */
	static const facts_env env[2] = { { "MPI2DD_VARS=host", "MPI2DD_TRACK_WHERE=2", NULL },
					  { "MPI2DD_VARS=own", "MPI2DD_TRACK_WHERE=1", NULL } };
	struct facts t;
	struct mpidbg_run r;
	size_t n_differ = 1000;

	start(_i, "quiet", env, &t);
	mpidbg_run(&r, "vars", "cvars", "--diff", "--job", t.launcher_text, NULL);
	const char *line = strstr(r.out, "control variables: ");
	ck_assert_msg(line && sscanf(line, "control variables: %zu of", &n_differ) == 1, "%s%s", r.out, r.err);
	ck_assert_msg(n_differ == 2 && strstr(r.out, "  MPI2DD_TRACK_WHERE\n") && strstr(r.out, "  MPI2DD_VARS\n") &&
			      !strstr(r.out, "not there"),
		      "%.2000s", r.out);
	ck_assert_msg(strstr(r.err, "rank [1]: the MPI library's own were not read, and are not compared") != NULL,
		      "%s", r.err);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "vars", "zzz*", "--diff", "--job", t.launcher_text, NULL);
	ck_assert_msg(r.exit_code == 1 && !strstr(r.err, "two or more are needed"), "exit %d: %s", r.exit_code, r.err);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

static json_int_t refreshes(const struct facts *t)
{
	struct mpidbg_run r;

	mpidbg_run(&r, "vars", "events", "--json", "-p", t->pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	json_t *answer = mpidbg_run_json(&r);
	json_int_t n = json_integer_value(json_object_get(facts_process(answer), "refreshes"));
	json_decref(answer);
	mpidbg_run_free(&r);
	return n;
}

START_TEST(test_interval)
{
	static const facts_env env[2] = { { "MPI2DD_REFRESH_SECONDS=1", NULL }, { NULL } };
	struct facts t;

	start(_i, "quiet", env, &t);
	double end = job_now() + 30;
	json_int_t first = refreshes(&t), now = first;
	while (now < first + 2 && job_now() < end) {
		job_nap();
		now = refreshes(&t);
	}
	ck_assert_int_ge(now, first + 2);
	facts_stop(&t);
}
END_TEST

START_TEST(test_usage)
{
	static const struct {
		const char *args[4];
		int exit_code;
		const char *words;
	} cases[] = {
		{ { "no_such_name" }, 1, "no name of a variable, category or event fits \"no_such_name\"" },
		{ { "cvars", "zzz*" },
		  1,
		  "no name of control variables fits \"zzz*\": the MPI library's own were not read: start the program "
		  "with MPI2DD_VARS=host" },
		{ { "cvars", "MPI2DD.*CK" }, 1, "pattern of the shell (* ? [a-z])" },
		{ { "x[" }, 1, "fits \"x[\", which is a part of a name or a pattern of the shell" },
		{ { "cvras", "x" }, 2, "did you mean cvars?" },
		{ { "cvars", "x", "y" }, 2, "unknown argument \"y\"" },
		{ { "--diff" }, 2, "--diff goes with --job or --cores" },
	};
	static const facts_env none[2] = { { "MPI2DD_VARS=none", NULL }, { NULL } };
	struct facts t;
	struct mpidbg_run r;

	start(0, "quiet", plain, &t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const *a = cases[i].args;

		mpidbg_run(&r, "vars", "-p", t.pid_text, a[0], a[1], a[2], NULL);
		ck_assert_msg(r.exit_code == cases[i].exit_code && strstr(r.err, cases[i].words) && !*r.out &&
				      strchr(r.err, '\n') == r.err + strlen(r.err) - 1,
			      "%s %s: exit %d: %s%s", a[0], a[1] ? a[1] : "", r.exit_code, r.out, r.err);
		mpidbg_run_free(&r);
	}
	facts_stop(&t);
	start(0, "quiet", none, &t);
	mpidbg_run(&r, "vars", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 1 && strstr(r.err, "MPI2DD_VARS=none"), "exit %d: %s", r.exit_code, r.err);
	mpidbg_run_free(&r);
	facts_stop(&t);
}
END_TEST

/* Without the in-target library there is one clear line. */
START_TEST(test_without)
{
	struct job job = { 0 };
	struct mpidbg_run r;
	char pid[16];

	job_start("sends", NULL, 2, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.ranks[0].pid);
	mpidbg_run(&r, "vars", "-p", pid, NULL);
	ck_assert_msg(r.exit_code == 1 && strstr(r.err, "mpi2dd-run") && !*r.out, "exit %d: %s%s", r.exit_code, r.out,
		      r.err);
	mpidbg_run_free(&r);
	/* ... for all ranks together */
	mpidbg_run(&r, "vars", "--job", pid, NULL);
	ck_assert_msg(r.exit_code == 1 && strstr(r.err, "ranks [0-1]: vars: no registry of MPI objects: ") &&
			      strchr(r.err, '\n') == r.err + strlen(r.err) - 1,
		      "exit %d: %s", r.exit_code, r.err);
	ck_assert_msg(strchr(r.out, '\n') == r.out + strlen(r.out) - 1, "more than the heading: %s", r.out);
	mpidbg_run_free(&r);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	launcher_make_take_several();
	Suite *suite = suite_create("mpit vars");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_truth, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_refresh, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_late, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_diff, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_diff_of_some, 0, FACTS_N_MPIS);
	tcase_add_loop_test(tcase, test_interval, 0, FACTS_N_MPIS);
	tcase_add_test(tcase, test_usage);
	tcase_add_test(tcase, test_without);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
