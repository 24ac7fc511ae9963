/* SPDX-License-Identifier: BSD-3-Clause */
#include "truth.h"

#include "hangs.h"
#include "mpidbg_run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Once correct, the answer for a blocked rank must be correct
 * this many more times, so that it does not depend on timing. */
enum { SETTLE_S = 120, STEADY_TURNS = 6 };

/* Member of a truth: truth_probes_live() */
static const char live_probes[] = "live_probes";

/* Position in the compared structure, for messages. */
struct place {
	FILE *report; /* NULL: only count */
	char text[512];
};

static struct place deeper(const struct place *at, const char *what)
{
	struct place p = { .report = at->report };

	snprintf(p.text, sizeof p.text, "%.380s%s%.120s", at->text, at->text[0] ? ": " : "", what);
	return p;
}

static int differ(const struct place *at, const char *expected, const json_t *seen)
{
	if (at->report) {
		char *text = seen ? json_dumps(seen, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

		fprintf(at->report, "%s: expected %s, seen %.300s\n", at->text, expected, text ? text : "nothing");
		free(text);
	}
	return 1;
}

static bool is_address(const json_t *v)
{
	return json_is_string(v) && strncmp(json_string_value(v), "0x", 2) == 0;
}

/* {"absent": true} in the truth: the member must be missing. */
static bool wants_absent(const json_t *expected)
{
	return json_is_object(expected) && json_is_true(json_object_get(expected, "absent"));
}

/* Everything that is in expected must be the same in seen. @return differences */
/*
 * An operation from the library's own memory that a non-blocking function has created; only the tracker records
 * which function it was (MPI_Irecv, MPI_Imrecv).
 */
static bool is_nobodys(const json_t *seen, const json_t *function)
{
	static const char *const names[] = { "MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend", "MPI_Irecv" };
	const char *origin = json_string_value(json_object_get(seen, "origin")), *name = json_string_value(function);

	if (!name || !origin || strcmp(origin, "tracker") == 0 || json_object_get(seen, "origins"))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static int compare(const struct place *at, const json_t *expected, const json_t *seen)
{
	if (wants_absent(expected))
		return seen ? differ(at, "nothing", seen) : 0;
	if (json_is_object(expected) && json_is_object(seen)) {
		const char *key;
		json_t *value;
		int n = 0;

		json_object_foreach((json_t *)expected, key, value)
		{
			struct place p = deeper(at, key);

			if (strcmp(key, "function") == 0 && is_nobodys(seen, value))
				n += json_is_null(json_object_get(seen, key)) ? 0 : differ(&p, "null", seen);
			else
				n += compare(&p, value, json_object_get(seen, key));
		}
		return n;
	}
	if (json_is_array(expected) && json_is_array(seen)) {
		int n = 0;

		if (json_array_size(expected) != json_array_size(seen)) {
			char words[64];

			snprintf(words, sizeof words, "%zu elements", json_array_size(expected));
			return differ(at, words, seen);
		}
		for (size_t i = 0; i < json_array_size(expected); i++) {
			char index[32];

			snprintf(index, sizeof index, "[%zu]", i);
			struct place p = deeper(at, index);
			n += compare(&p, json_array_get(expected, i), json_array_get(seen, i));
		}
		return n;
	}
	if (is_address(expected) && is_address(seen) &&
	    strtoull(json_string_value(expected), NULL, 16) == strtoull(json_string_value(seen), NULL, 16))
		return 0;
	if (seen && json_equal(expected, seen))
		return 0;
	char *text = json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT);
	int n = differ(at, text, seen);
	free(text);
	return n;
}

static bool listed(const json_t *names, const char *name)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return true;
	return false;
}

/* The order between sources is undefined: sort both sides by source, stable within a source. */
static json_t *by_source(const json_t *list)
{
	json_t *sorted = json_copy((json_t *)list);

	for (size_t i = 1; i < json_array_size(sorted); i++)
		for (size_t k = i; k > 0; k--) {
			json_t *a = json_array_get(sorted, k - 1), *b = json_array_get(sorted, k);

			if (json_integer_value(json_object_get(a, "peer")) <=
			    json_integer_value(json_object_get(b, "peer")))
				break;
			json_incref(a);
			json_array_set(sorted, k - 1, b);
			json_array_set_new(sorted, k, a);
		}
	return sorted;
}

/* Each expected item must have a different partner in seen; differences are reported against the best candidate. */
static int compare_any_order(const struct place *at, const json_t *expected, const json_t *seen, bool more_allowed)
{
	size_t n_seen = json_array_size(seen);
	bool *used = calloc(n_seen + 1, 1);
	int n = 0;

	ck_assert_ptr_nonnull(used);
	for (size_t i = 0; i < json_array_size(expected); i++) {
		struct place silent = { .report = NULL };
		size_t best = n_seen;
		int best_n = 0;
		char index[32];

		for (size_t k = 0; k < n_seen; k++) {
			if (used[k])
				continue;
			int d = compare(&silent, json_array_get(expected, i), json_array_get(seen, k));
			if (best == n_seen || d < best_n) {
				best = k;
				best_n = d;
			}
		}
		snprintf(index, sizeof index, "(%zu)", i);
		struct place p = deeper(at, index);
		/* no similar one: report it as missing, not as different */
		if (best == n_seen || (best_n && more_allowed && best_n > 3)) {
			char *text = json_dumps(json_array_get(expected, i), JSON_COMPACT);
			n += differ(&p, text, NULL);
			free(text);
			continue;
		}
		n += compare(&p, json_array_get(expected, i), json_array_get(seen, best));
		used[best] = true;
	}
	for (size_t k = 0; k < n_seen && !more_allowed; k++)
		if (!used[k])
			n += differ(at, "no such one", json_array_get(seen, k));
	free(used);
	return n;
}

static int compare_in_order(const struct place *at, const json_t *expected, const json_t *seen)
{
	size_t n_expected = json_array_size(expected), n_seen = json_array_size(seen);
	int n = 0;

	for (size_t i = 0; i < n_expected || i < n_seen; i++) {
		char index[32];

		snprintf(index, sizeof index, "[%zu]", i);
		struct place p = deeper(at, index);
		if (i >= n_expected)
			n += differ(&p, "no such one", json_array_get(seen, i));
		else
			n += compare(&p, json_array_get(expected, i), json_array_get(seen, i));
	}
	return n;
}

static int compare_list(const struct place *at, const json_t *truth, const json_t *seen, const char *name,
			const char *inactive_name, enum truth_mode mode)
{
	const json_t *expected = json_object_get(truth, name), *list = json_object_get(seen, name);
	struct place p = deeper(at, name);

	if (!expected)
		return 0;
	if (!json_is_array(list))
		return differ(&p, "a list", list);
	if (mode == TRUTH_ALL) {
		json_t *both = json_copy((json_t *)expected);
		const json_t *inactive = inactive_name ? json_object_get(truth, inactive_name) : NULL;

		for (size_t i = 0; i < json_array_size(inactive); i++)
			json_array_append(both, json_array_get(inactive, i));
		int n = compare_any_order(&p, both, list, true);
		json_decref(both);
		return n;
	}
	if (listed(json_object_get(truth, "unordered"), name) || strcmp(name, "pending_sends") == 0 ||
	    strcmp(name, "collectives") == 0)
		return compare_any_order(&p, expected, list, false);
	if (strcmp(name, "unexpected") == 0) {
		json_t *a = by_source(expected), *b = by_source(list);
		int n = compare_in_order(&p, a, b);

		json_decref(a);
		json_decref(b);
		return n;
	}
	return compare_in_order(&p, expected, list);
}

static bool is_list(const char *key)
{
	static const char *const names[] = { "pending_sends", "pending_receives", "unexpected",       "collectives",
					     "unordered",     "inactive_sends",   "inactive_receives" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(key, names[i]) == 0)
			return true;
	return false;
}

static int compare_comm(const struct place *at, const json_t *truth, const json_t *seen, enum truth_mode mode)
{
	const char *name = json_string_value(json_object_get(truth, "name")), *key;
	const char *handle = json_string_value(json_object_get(truth, "handle"));
	struct place p = deeper(at, name && *name ? name : handle);
	json_t *value;
	int n = 0;

	json_object_foreach((json_t *)truth, key, value)
	{
		struct place q = deeper(&p, key);

		if (!is_list(key))
			n += compare(&q, value, json_object_get(seen, key));
	}
	n += compare_list(&p, truth, seen, "pending_sends", "inactive_sends", mode);
	n += compare_list(&p, truth, seen, "pending_receives", "inactive_receives", mode);
	n += compare_list(&p, truth, seen, "unexpected", NULL, mode);
	n += compare_list(&p, truth, seen, "collectives", NULL, mode);
	return n;
}

static const json_t *by_handle(const json_t *comms, const json_t *handle)
{
	struct place silent = { .report = NULL };

	for (size_t i = 0; i < json_array_size(comms); i++)
		if (compare(&silent, handle, json_object_get(json_array_get(comms, i), "handle")) == 0)
			return json_array_get(comms, i);
	return NULL;
}

static int compare_comms(const struct place *at, const json_t *truth, const json_t *seen, enum truth_mode mode)
{
	const json_t *expected = json_object_get(truth, "communicators"),
		     *list = json_object_get(seen, "communicators");
	int n = 0;

	if (!expected)
		return 0;
	if (!json_is_array(list))
		return differ(at, "communicators", list);
	for (size_t i = 0; i < json_array_size(expected); i++) {
		const json_t *e = json_array_get(expected, i);
		const json_t *s = by_handle(list, json_object_get(e, "handle"));

		if (s) {
			n += compare_comm(at, e, s, mode);
		} else {
			struct place p = deeper(at, "communicator");
			n += differ(&p, json_string_value(json_object_get(e, "name")), NULL);
		}
	}
	for (size_t i = 0; i < json_array_size(list) && mode != TRUTH_ALL; i++) {
		const json_t *s = json_array_get(list, i);

		if (!by_handle(expected, json_object_get(s, "handle"))) {
			struct place p = deeper(at, "communicator");
			n += differ(&p, "no such one", json_object_get(s, "name"));
		}
	}
	return n;
}

/* Compare calls, without threads that are in no MPI function. */
static int compare_calls(const struct place *at, const json_t *truth, const json_t *seen)
{
	const json_t *expected = json_object_get(truth, "calls"), *list = json_object_get(seen, "calls");
	struct place p = deeper(at, "calls");

	if (!expected)
		return 0;
	if (!json_is_array(list))
		return differ(&p, "calls", list);
	json_t *in_mpi = json_array();
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_is_string(json_object_get(json_array_get(list, i), "function")))
			json_array_append(in_mpi, json_array_get(list, i));
	int n = compare_any_order(&p, expected, in_mpi, false);
	json_decref(in_mpi);
	return n;
}

/* Sends and receives whose communicator does not exist any more. Messages depend on what the others have done. */
static int compare_orphans(const struct place *at, const json_t *truth, const json_t *seen, enum truth_mode mode)
{
	const json_t *expected = json_object_get(truth, "orphans"), *list = json_object_get(seen, "orphans");
	struct place p = deeper(at, "orphans");
	json_t *own = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *kind = json_string_value(json_object_get(json_array_get(list, i), "kind"));

		if (kind && strcmp(kind, "message") != 0)
			json_array_append(own, json_array_get(list, i));
	}
	int n = compare_any_order(&p, expected, own, mode == TRUTH_ALL);
	json_decref(own);
	return n;
}

void truth_orphan(json_t *truth, size_t i)
{
	static const char *const kept[] = { "kind", "peer", "tag", "bytes", "request" };
	json_t *comms = json_object_get(truth, "communicators"), *orphans = json_array(), *receive;
	size_t k;

	json_array_foreach(json_object_get(json_array_get(comms, i), "pending_receives"), k, receive)
	{
		json_t *orphan = json_object();

		for (size_t m = 0; m < sizeof kept / sizeof kept[0]; m++)
			if (json_object_get(receive, kept[m]))
				json_object_set(orphan, kept[m], json_object_get(receive, kept[m]));
		json_array_append_new(orphans, orphan);
	}
	ck_assert_uint_gt(json_array_size(orphans), 0);
	json_object_set_new(truth, "orphans", orphans);
	json_array_remove(comms, i);
}

static bool is_probe(const json_t *name)
{
	const char *text = json_string_value(name);

	return text && (!strcmp(text, "probe") || !strcmp(text, "mprobe") || !strcmp(text, "MPI_Probe") ||
			!strcmp(text, "MPI_Mprobe"));
}

void truth_without_probes(json_t *truth)
{
	json_t *call, *comm;
	size_t i;

	json_array_foreach(json_object_get(truth, "calls"), i, call)
	{
		if (is_probe(json_object_get(call, "function")))
			json_object_del(call, "communicator");
	}
	json_array_foreach(json_object_get(truth, "communicators"), i, comm)
	{
		json_t *receives = json_object_get(comm, "pending_receives");

		for (size_t k = json_array_size(receives); k > 0; k--)
			if (is_probe(json_object_get(json_array_get(receives, k - 1), "kind")))
				json_array_remove(receives, k - 1);
	}
}

void truth_probes_live(json_t *truth)
{
	if (hang_can_count())
		json_object_set_new(truth, live_probes, json_true());
	else
		truth_without_probes(truth);
}

int truth_compare(const json_t *truth, const json_t *seen, enum truth_mode mode, FILE *report)
{
	struct place at = { .report = report };
	int n = 0;

	snprintf(at.text, sizeof at.text, "rank %d", (int)json_integer_value(json_object_get(truth, "rank")));
	if (!json_is_object(seen))
		return differ(&at, "a process", seen);
	static const char *const keys[] = { "rank", "pid", "mpi", "world" };
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const json_t *expected = json_object_get(truth, keys[i]);
		struct place p = deeper(&at, keys[i]);

		if (expected && !(mode == TRUTH_CORE && strcmp(keys[i], "pid") == 0))
			n += compare(&p, expected, json_object_get(seen, keys[i]));
	}
	n += compare_calls(&at, truth, seen);
	n += compare_comms(&at, truth, seen, mode);
	n += compare_orphans(&at, truth, seen, mode);
	const json_t *problems = json_object_get(seen, "problems");
	if (json_array_size(problems)) {
		struct place p = deeper(&at, "problems");
		n += differ(&p, "none", problems);
	}
	return n;
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

/* Run `queues` on one rank. @return differences, described in *report (the caller's to free) */
static int ask(const struct job_rank *r, enum truth_mode mode, char **report)
{
	struct mpidbg_run run;
	char pid[16];
	size_t n_report;
	FILE *f = open_memstream(report, &n_report);
	int n = 0;

	ck_assert_ptr_nonnull(f);
	snprintf(pid, sizeof pid, "%d", (int)r->pid);
	if (mode == TRUTH_CORE)
		mpidbg_run(&run, "queues", "--core", r->core, "--json", NULL);
	else
		mpidbg_run(&run, "queues", "-p", pid, "--json", mode == TRUTH_ALL ? "--all" : NULL, NULL);
	json_t *json = json_loads(run.out, JSON_ALLOW_NUL, NULL);
	int want = json_object_get(r->truth, "communicators") ? 0 : 1;
	if (run.exit_code != want) {
		fprintf(f, "file %d: exit code: expected %d, seen %d: %s", r->file_rank, want, run.exit_code, run.err);
		n++;
	}
	if (json)
		n += truth_compare(r->truth, json_array_get(json_object_get(json, "processes"), 0), mode, f);
	else if (want == 0 && ++n)
		fprintf(f, "file %d: no JSON: %.300s\n", r->file_rank, run.out);
	json_decref(json);
	mpidbg_run_free(&run);
	fclose(f);
	return n;
}

static int check_rank(const struct job_rank *r, enum truth_mode mode, FILE *all)
{
	/* a rank that sleeps outside MPI has reached its state: one try */
	bool blocked = mode != TRUTH_CORE && json_array_size(json_object_get(r->truth, "calls")) > 0;
	double deadline = job_now() + SETTLE_S;
	char *report = NULL;
	int n;

	while ((n = ask(r, mode, &report)) > 0 && blocked && job_now() < deadline) {
		free(report);
		job_nap();
	}
	for (int i = 0; i < STEADY_TURNS && blocked && n == 0; i++) {
		free(report);
		n = ask(r, mode, &report);
	}
	if (n)
		fprintf(all, "%s:\n%.6000s%s",
			mode == TRUTH_CORE  ? "from the core"
			: mode == TRUTH_ALL ? "with --all"
					    : "live",
			report, strlen(report) > 6000 ? "\n...\n" : "");
	free(report);
	return n;
}

static int check_ranks(struct job *job, enum truth_mode mode, FILE *all)
{
	int n = 0;

	for (size_t i = 0; i < job->n_ranks; i++)
		n += check_rank(&job->ranks[i], mode, all);
	return n;
}

/* Check in one or more modes, then pass or fail the test. */
static void verdict(struct job *job, bool live, bool core)
{
	char *text = NULL;
	size_t n_text;
	FILE *f = open_memstream(&text, &n_text);
	int n = 0;

	ck_assert_ptr_nonnull(f);
	if (live) {
		n += check_ranks(job, TRUTH_LIVE, f);
		n += check_ranks(job, TRUTH_ALL, f);
	}
	if (live && core) {
		job_cores(job);
		job_stop(job);
		for (size_t i = 0; i < job->n_ranks; i++)
			if (json_is_true(json_object_get(job->ranks[i].truth, live_probes)))
				truth_without_probes(job->ranks[i].truth);
	}
	if (core)
		n += check_ranks(job, TRUTH_CORE, f);
	fclose(f);
	if (n) {
		printf("%s:\n", job->command);
		/* Check truncates messages */
		printf("%s", text);
		fflush(stdout);
		job_end(job);
	}
	ck_assert_msg(n == 0, "%d differences:\n%.1500s", n, text);
	free(text);
}

void truth_check_job(struct job *job)
{
	verdict(job, true, true);
}

void truth_check_live(struct job *job)
{
	verdict(job, true, false);
}

void truth_check_cores(struct job *job)
{
	verdict(job, false, true);
}
