/* SPDX-License-Identifier: BSD-3-Clause */
#include "connections.h"

#include "../../include/mpi2dd.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES_MAX = 64, EXPECTED_MAX = 64 };

/* All processes of all jobs. */
static struct {
	const json_t *truth[PROCESSES_MAX];
	size_t n;
} all;

const char *connections_library(void)
{
	static char path[PATH_MAX];
	char *build = realpath(getenv("MPIDBG_BUILD"), NULL);

	ck_assert_ptr_nonnull(build);
	snprintf(path, sizeof path, "%s/libmpi2dd-openmpi.so", build);
	free(build);
	return path;
}

const char *connections_preload(void)
{
	static char option[PATH_MAX + 16];

	snprintf(option, sizeof option, "-x LD_PRELOAD=%s", connections_library());
	return option;
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static long long number(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);

	ck_assert_msg(json_is_integer(v), "%s: no number", name);
	return json_integer_value(v);
}

static const char *text(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);

	ck_assert_msg(json_is_string(v), "%s: no text", name);
	return json_string_value(v);
}

static const json_t *list(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);

	ck_assert_msg(json_is_array(v), "%s: no array", name);
	return v;
}

static long long pid_of(const json_t *truth)
{
	return number(truth, "pid");
}

static bool has_library(const json_t *truth)
{
	return !json_is_null(json_object_get(truth, "info"));
}

static long long metadirectory_of(const json_t *truth)
{
	return json_integer_value(json_array_get(list(truth, "world"), 0));
}

static bool is_root(const json_t *connection)
{
	return number(connection, "is_root") != 0;
}

/* ---- processes ----------------------------------------------------------------------------------- */

static const json_t *process(long long pid)
{
	for (size_t i = 0; i < all.n; i++)
		if (pid_of(all.truth[i]) == pid)
			return all.truth[i];
	ck_abort_msg("process %lld has written nothing", pid);
	return NULL;
}

const json_t *connections_truth(const struct job *job, long long pid)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].pid == pid)
			return job->ranks[i].truth;
	ck_abort_msg("process %lld has written nothing", pid);
	return NULL;
}

/* Do both sides have the library, and are they different worlds? */
static bool is_linked(const json_t *own, const json_t *connection)
{
	if (!number(connection, "ok") || !has_library(own))
		return false;
	const json_t *root = process(number(connection, "root_pid"));
	return has_library(root) && metadirectory_of(root) != metadirectory_of(own);
}

/* ---- expected tables ----------------------------------------------------------------------------- */

struct expected {
	long long pids[EXPECTED_MAX];
	size_t n;
};

static void expect(struct expected *e, long long pid, long long self)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->pids[i] == pid)
			return;
	ck_assert_uint_lt(e->n, EXPECTED_MAX);
	if (pid != self)
		e->pids[e->n++] = pid;
}

/* The root of our side of a link in which this process took part: the process that reports it for the same call. */
static long long own_root(const json_t *own, const json_t *connection)
{
	if (is_root(connection))
		return pid_of(own);
	/* the other side's word for it */
	const json_t *others = list(process(number(connection, "root_pid")), "connections"), *m;
	size_t i;
	json_array_foreach(others, i, m)
	{
		const json_t *p;
		size_t k;
		json_array_foreach(list(m, "pids"), k,
				   p) if (number(m, "ok") &&
					  json_integer_value(p) == pid_of(own)) return number(m, "root_pid");
	}
	ck_abort_msg("process %lld was in a call that nobody else knows", pid_of(own));
	return 0;
}

/* Add the entries that one connection adds to this process's table. */
static void expect_connection(struct expected *e, const json_t *own, const json_t *connection)
{
	long long self = pid_of(own);

	if (!is_linked(own, connection) || (!is_root(connection) && metadirectory_of(own) != self))
		return;
	expect(e, metadirectory_of(process(number(connection, "root_pid"))), self);
	expect(e, number(connection, "root_pid"), self);
	expect(e, metadirectory_of(own), self);
	expect(e, own_root(own, connection), self);
}

static const json_t *find_place(const json_t *info, long long pid)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list(info, "metadirectories"), i, entry) if (number(entry, "pid") == pid) return entry;
	return NULL;
}

/* Every expected entry exists, with the host and executable that the process itself reports. */
static void has_places(const json_t *own, const json_t *info, const struct expected *e, const char *when)
{
	for (size_t i = 0; i < e->n; i++) {
		const json_t *entry = find_place(info, e->pids[i]), *other = process(e->pids[i]);
		ck_assert_msg(entry != NULL, "process %lld %s: metadirectory_table does not have %lld", pid_of(own),
			      when, e->pids[i]);
		ck_assert_str_eq(text(entry, "host"), text(other, "host"));
		ck_assert_str_eq(text(entry, "executable"), text(other, "executable"));
	}
}

static void check_table(const json_t *own)
{
	const json_t *info = json_object_get(own, "info"), *connection;
	struct expected e = { 0 };
	size_t i;

	json_array_foreach(list(own, "connections"), i, connection) expect_connection(&e, own, connection);
	has_places(own, info, &e, "at the end");
	ck_assert_msg(json_array_size(list(info, "metadirectories")) == e.n,
		      "process %lld: %zu metadirectories, expected %zu", pid_of(own),
		      json_array_size(list(info, "metadirectories")), e.n);
	bool is_meta = (number(info, "mpi_flags") & MPI2DD_MPIFLAG_I_AM_METADIR) != 0;
	ck_assert_int_eq(is_meta, e.n > 0 || metadirectory_of(own) == pid_of(own));
}

/* ---- events -------------------------------------------------------------------------------------- */

static int state_of(const char *call)
{
	return strcmp(call, "spawn") == 0     ? MPI2DD_DEBUG_SPAWN
	       : strcmp(call, "connect") == 0 ? MPI2DD_DEBUG_CONNECT
	       : strcmp(call, "accept") == 0  ? MPI2DD_DEBUG_ACCEPT
	       : strcmp(call, "join") == 0    ? MPI2DD_DEBUG_JOIN
					      : 0;
}

/* Events, except those sent only on request: START, then one for each call that succeeded here as root, with
 * the entries that the call has added. */
static void check_events(const json_t *own, bool ordered)
{
	bool is_directory = number(json_object_get(own, "info"), "mpi_flags") & MPI2DD_MPIFLAG_I_AM_DIR;
	json_t *events = json_array();
	const json_t *connection, *one;
	size_t i, n = 0;

	json_array_foreach(list(own, "events"), i, one)
	{
		long long state = number(one, "state");
		if (state != MPI2DD_DEBUG_DIRECTORY_CHANGED && state != MPI2DD_DEBUG_METADIRECTORY_CHANGED)
			json_array_append(events, (json_t *)one);
		ck_assert_msg(state != MPI2DD_DEBUG_DIRECTORY_CHANGED || is_directory,
			      "process %lld: no directory has changed", pid_of(own));
	}
	ck_assert_int_eq(number(json_array_get(events, n++), "state"), MPI2DD_DEBUG_START);
	json_array_foreach(list(own, "connections"), i, connection)
	{
		struct expected e = { 0 };
		int state = state_of(text(connection, "call"));
		if (!state || !number(connection, "ok") || !is_root(connection))
			continue;
		const json_t *event = json_array_get(events, n++);
		ck_assert_msg(event != NULL, "process %lld: no event for %s", pid_of(own), text(connection, "call"));
		ck_assert_int_eq(number(event, "state"), state);
		expect_connection(&e, own, connection);
		if (ordered)
			has_places(own, event, &e, "at the event");
	}
	ck_assert_uint_eq(json_array_size(events), n);
	json_decref(events);
}

/* ---- worlds -------------------------------------------------------------------------------------- */

static const char *world_id(long long pid)
{
	const json_t *table = list(json_object_get(process(pid), "info"), "proctable"), *entry;
	size_t i;

	json_array_foreach(table, i, entry) if (number(entry, "pid") == pid) return text(entry, "world");
	return "";
}

/* In a directory: each entry is a process of this world, with its parent. */
static void check_proctable(const json_t *own)
{
	const json_t *info = json_object_get(own, "info"), *connection = json_array_get(list(own, "connections"), 0),
		     *entry;
	bool spawned = connection && strcmp(text(connection, "call"), "parent") == 0;
	size_t i;

	json_array_foreach(list(info, "proctable"), i, entry)
	{
		const json_t *other = process(number(entry, "pid")), *spawn = json_object_get(entry, "spawn");
		ck_assert_int_eq(metadirectory_of(other), metadirectory_of(own));
		ck_assert_int_eq(number(entry, "rank"), number(other, "rank"));
		ck_assert_int_eq(spawn != NULL, spawned);
		if (spawned && has_library(process(number(connection, "root_pid")))) {
			long long root = number(connection, "root_pid");
			ck_assert_str_eq(text(spawn, "world"), world_id(metadirectory_of(process(root))));
			ck_assert_int_eq(number(spawn, "rank"), number(connection, "root_rank"));
			if (number(connection, "nth") >= 0)
				ck_assert_int_eq(number(spawn, "sequence"), number(connection, "nth"));
		} else if (spawned) {
			ck_assert(json_is_null(json_object_get(spawn, "world")));
			ck_assert_int_eq(number(spawn, "rank"), -1);
			ck_assert_int_eq(number(spawn, "sequence"), -1);
		}
	}
}

static size_t check_connections(const json_t *own)
{
	const json_t *connection;
	size_t i, n_linked = 0;

	json_array_foreach(list(own, "connections"), i, connection)
	{
		n_linked += is_root(connection) && is_linked(own, connection);
		if (!number(connection, "ok"))
			continue;
		ck_assert_msg(number(connection, "waiting") == 0,
			      "process %lld: a message in the new communicator of %s", pid_of(own),
			      text(connection, "call"));
		double seconds = json_number_value(json_object_get(connection, "seconds"));
		ck_assert_msg(seconds < CONNECTIONS_SECONDS_MAX, "process %lld: %s took %.3f s", pid_of(own),
			      text(connection, "call"), seconds);
	}
	return n_linked;
}

size_t connections_check(const struct job *const *jobs, size_t n_jobs)
{
	size_t n_linked = 0;

	all.n = 0;
	for (size_t i = 0; i < n_jobs; i++) {
		for (size_t k = 0; k < jobs[i]->n_ranks; k++) {
			ck_assert_uint_lt(all.n, PROCESSES_MAX);
			all.truth[all.n++] = jobs[i]->ranks[k].truth;
		}
	}
	for (size_t i = 0; i < all.n; i++) {
		const json_t *own = all.truth[i];
		n_linked += check_connections(own);
		if (!has_library(own))
			continue;
		check_table(own);
		check_events(own, strcmp(text(own, "own"), "unordered") != 0);
		check_proctable(own);
	}
	return n_linked;
}
