/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C interface as a debugger uses it, with and without the in-target library, on both MPIs: what the facts_...
 * programs say of their communicators, groups, files, operations and requests against mpidbg_KIND_query(); what is
 * unknown is said to be; and what many queries cost.
 */
#include "../../host/host.h"
#include "../../include/mpidbg.h"
#include "../support/facts.h"
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMEOUT_S = 400, N_MODES = 2, MANY = 5000 };

static struct host_plugin plugin;
static struct host_session session;
static struct host_target *target;
static bool bare;
static enum facts_mpi mpi;

#define CALL(name, ...) (((__typeof__(&name))entry(#name))(__VA_ARGS__))
#define NOBODY          NULL, NULL, session.process, NULL

static void *entry(const char *name)
{
	void *f = dlsym(plugin.dl, name);

	ck_assert_msg(f != NULL, "the DLL does not export %s", name);
	return f;
}

/* ---- facts -------------------------------------------------------------------------------------------------- */

static void expect_int(const char *what, const char *key, int64_t seen, const json_t *json)
{
	int64_t expected = json_is_string(json)    ? (int64_t)strtoull(json_string_value(json), NULL, 0)
			   : json_is_boolean(json) ? json_is_true(json)
						   : json_integer_value(json);

	ck_assert_msg(seen == expected, "%s: %s: seen %" PRId64 ", the program says %" PRId64, what, key, seen,
		      expected);
}

static void expect_ints(const char *what, const char *key, const int *seen, int n, const json_t *json)
{
	ck_assert_msg((size_t)n == json_array_size(json), "%s: %s: seen %d elements, the program has %zu", what, key, n,
		      json_array_size(json));
	for (int i = 0; i < n; i++)
		expect_int(what, key, seen[i], json_array_get(json, (size_t)i));
}

static void expect_procs(const char *what, const char *key, const struct mpidbg_process_t *procs,
			 const struct mpidbg_group_member_t *members, int n, const json_t *json)
{
	ck_assert_msg((size_t)n == json_array_size(json), "%s: %s: seen %d members, the program has %zu", what, key, n,
		      json_array_size(json));
	for (int i = 0; i < n; i++) {
		expect_int(what, key, procs[i].mpi_comm_world_rank, json_array_get(json, (size_t)i));
		expect_int(what, key, members[i].world_rank, json_array_get(json, (size_t)i));
		ck_assert_uint_eq(members[i].world, 0);
	}
}

/* The group of a communicator, of which the program need not have a handle. */
static void check_group_of(const char *what, const struct mpidbg_comm_info_t *c, const json_t *json)
{
	struct mpidbg_group_info_t *g = NULL;
	void *info = NULL;

	int code = CALL(mpidbg_query, session.process, MPIDBG_GROUP, c->comm_group_number, &info);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: its group: %s", what, CALL(mpidbg_error_string, session.process));
	g = info;
	expect_procs(what, "group", g->group_procs, g->group_members, g->group_num_procs, json);
	CALL(mpidbg_free_info, MPIDBG_GROUP, g);
}

/* Open MPI gives names of its own to communicators that the program has not named. */
static bool is_name(const char *seen, const char *expected)
{
	static const char *const own[] = { "MPI COMMUNICATOR ", "MPI_COMMUNICATOR " };
	const size_t n = strlen(own[0]);

	if (mpi == FACTS_OPENMPI && !*expected)
		return !*seen || !strncmp(seen, own[0], n) || !strncmp(seen, own[1], n);
	return !strncmp(seen, expected, MPIDBG_MAX_OBJECT_NAME - 1);
}

static bool check_comm(const char *what, uint64_t handle, const char *key, const json_t *json)
{
	struct mpidbg_comm_info_t *c = NULL;
	bool ok = true;

	int code = CALL(mpidbg_comm_query, NOBODY, handle, &c);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: %s", what, CALL(mpidbg_error_string, session.process));
	unsigned caps = 0;
	ck_assert_int_eq(CALL(mpidbg_get_capabilities, session.process, MPIDBG_COMM, &caps), MPIDBG_SUCCESS);
	bool windows = caps & MPIDBG_CAP_WINDOW_LIST;
	ck_assert(windows == !bare); /* an MPI library keeps a duplicate of the communicator with the window */
	ck_assert(windows == !(c->comm_unknown & MPIDBG_COMM_UNKNOWN_WINDOWS));
	ck_assert(windows || c->comm_num_derived_windows == MPIDBG_ERR_NOT_SUPPORTED);
	ck_assert(!!(caps & MPIDBG_CAP_FILE_LIST) == !(c->comm_unknown & MPIDBG_COMM_UNKNOWN_FILES));
	ck_assert(bare == !!(c->comm_unknown & MPIDBG_UNKNOWN_PARENT) ||
		  c->comm_bitflags & MPIDBG_COMM_INFO_PREDEFINED);
	ck_assert(bare == !!(c->comm_unknown & MPIDBG_COMM_UNKNOWN_INFO));
	ck_assert(bare == !!(c->comm_unknown & MPIDBG_COMM_UNKNOWN_MADE_OF));
	ck_assert(bare == !!(c->comm_unknown & MPIDBG_COMM_UNKNOWN_SPLIT));
	ck_assert(bare == !!(c->comm_unknown & MPIDBG_UNKNOWN_REFERENCES));
	ck_assert(!bare || (!c->comm_info && !c->comm_made_of && !c->comm_object.references));
	ck_assert(!(c->comm_unknown & (MPIDBG_COMM_UNKNOWN_RANK | MPIDBG_COMM_UNKNOWN_SIZE |
				       MPIDBG_COMM_UNKNOWN_LOCAL_PROCS | MPIDBG_COMM_UNKNOWN_TOPOLOGY)));
	if (!strcmp(key, "name"))
		ck_assert_msg(is_name(c->comm_name, json_string_value(json)),
			      "%s: name \"%s\", the program says \"%s\"", what, c->comm_name, json_string_value(json));
	else if (!strcmp(key, "size"))
		expect_int(what, key, c->comm_size, json);
	else if (!strcmp(key, "color")) {
		ck_assert_int_eq(c->comm_is_split, !bare && !json_is_null(json));
		expect_int(what, key, c->comm_color, bare ? NULL : json);
	} else if (!strcmp(key, "key"))
		expect_int(what, key, c->comm_key, bare ? NULL : json);
	else if (!strcmp(key, "rank"))
		expect_int(what, key, c->comm_rank, json);
	else if (!strcmp(key, "world_rank"))
		expect_int(what, key, c->comm_world_rank, json);
	else if (!strcmp(key, "errhandler"))
		expect_int(what, key, (int64_t)c->comm_errhandler, json);
	else if (!strcmp(key, "remote_size"))
		expect_int(what, key, c->comm_num_remote_procs, json);
	else if (!strcmp(key, "dims"))
		expect_ints(what, key, c->comm_cart_dims, c->comm_cart_num_dims, json);
	else if (!strcmp(key, "coords"))
		expect_ints(what, key, c->comm_cart_coords, c->comm_cart_num_dims, json);
	else if (!strcmp(key, "index"))
		expect_ints(what, key, c->comm_graph_index, c->comm_graph_num_nodes, json);
	else if (!strcmp(key, "remote_members"))
		expect_procs(what, key, c->comm_remote_procs, c->comm_remote_members, c->comm_num_remote_procs, json);
	else if (!strcmp(key, "members")) {
		expect_procs(what, key, c->comm_local_procs, c->comm_local_members, c->comm_num_local_procs, json);
		check_group_of(what, c, json);
	} else
		ok = false;
	CALL(mpidbg_free_info, MPIDBG_COMM, c);
	return ok;
}

static bool check_group(const char *what, uint64_t handle, const char *key, const json_t *json)
{
	struct mpidbg_group_info_t *g = NULL;
	bool ok = true;

	int code = CALL(mpidbg_group_query, NOBODY, handle, &g);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: %s", what, CALL(mpidbg_error_string, session.process));
	if (!strcmp(key, "size"))
		expect_int(what, key, g->group_num_procs, json);
	else if (!strcmp(key, "members"))
		expect_procs(what, key, g->group_procs, g->group_members, g->group_num_procs, json);
	else
		ok = false;
	CALL(mpidbg_free_info, MPIDBG_GROUP, g);
	return ok;
}

static bool check_file(const char *what, uint64_t handle, const char *key, const json_t *json)
{
	struct mpidbg_file_info_t *f = NULL;
	bool ok = true;

	int code = CALL(mpidbg_file_query, NOBODY, handle, &f);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: %s", what, CALL(mpidbg_error_string, session.process));
	ck_assert(bare == !!(f->file_unknown & MPIDBG_FILE_UNKNOWN_SPLIT_CALL));
	if (!strcmp(key, "path"))
		ck_assert_str_eq(f->file_name, json_string_value(json));
	else if (!strcmp(key, "atomic"))
		expect_int(what, key, f->file_atomic, json);
	else if (!strcmp(key, "displacement"))
		expect_int(what, key, f->file_displacement, json);
	else if (!strcmp(key, "errhandler"))
		expect_int(what, key, (int64_t)f->file_errhandler, json);
	else
		ok = false;
	CALL(mpidbg_free_info, MPIDBG_FILE, f);
	return ok;
}

/* All are made in C. MPICH since 4.3 does not keep the language of operations. */
static void check_language(const char *what, int language, uint64_t unknown)
{
	if (mpi == FACTS_MPICH && bare && unknown & MPIDBG_UNKNOWN_LANGUAGE && !strncmp(what, "bare op", 7)) {
		ck_assert_int_eq(language, 0);
		return;
	}
	ck_assert(!(unknown & MPIDBG_UNKNOWN_LANGUAGE));
	ck_assert_int_eq(language, 1);
}

static bool check_errhandler(const char *what, uint64_t handle, const char *key, const json_t *json)
{
	struct mpidbg_errhandler_info_t *e = NULL;
	bool ok = true;

	int code = CALL(mpidbg_errhandler_query, NOBODY, handle, &e);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: %s", what, CALL(mpidbg_error_string, session.process));
	if (!strcmp(key, "function"))
		expect_int(what, key, (int64_t)e->eh_callback_func, json);
	else if (!strcmp(key, "language"))
		check_language(what, e->eh_object.language, e->eh_unknown);
	else
		ok = false;
	CALL(mpidbg_free_info, MPIDBG_ERRHANDLER, e);
	return ok;
}

static bool check_op(const char *what, uint64_t handle, const char *key, const json_t *json)
{
	struct mpidbg_op_info_t *o = NULL;
	bool ok = true;

	int code = CALL(mpidbg_op_query, NOBODY, handle, &o);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: %s", what, CALL(mpidbg_error_string, session.process));
	if (!strcmp(key, "commutative"))
		expect_int(what, key, o->op_commutative, json);
	else if (!strcmp(key, "function"))
		expect_int(what, key, (int64_t)o->op_function, json);
	else if (!strcmp(key, "language"))
		check_language(what, o->op_object.language, o->op_unknown);
	else
		ok = false;
	CALL(mpidbg_free_info, MPIDBG_OP, o);
	return ok;
}

static bool check_request(const char *what, uint64_t handle, const char *key, const json_t *json)
{
	struct mpidbg_request_info_t *r = NULL;
	bool ok = true;

	int code = CALL(mpidbg_request_query, NOBODY, handle, &r);
	ck_assert_msg(code == MPIDBG_SUCCESS, "%s: %s", what, CALL(mpidbg_error_string, session.process));
	if (!strcmp(key, "peer") && bare && json_integer_value(json) == -2 && mpi == FACTS_OPENMPI) {
		/* Open MPI keeps no arguments of persistent requests with MPI_PROC_NULL */
		ck_assert_int_eq(r->req_has_peer, 0);
		ck_assert(r->req_unknown & MPIDBG_REQUEST_UNKNOWN_PEER);
	} else if (!strcmp(key, "peer")) {
		ck_assert_int_eq(r->req_has_peer, 1);
		expect_int(what, key, r->req_peer, json);
	} else if (!strcmp(key, "tag")) {
		ck_assert_int_eq(r->req_has_tag, 1);
		expect_int(what, key, r->req_tag, json);
	} else if (!strcmp(key, "count") && bare && mpi == FACTS_MPICH && r->req_count < 0) {
		/* UCX keeps the bytes */
		ck_assert(r->req_unknown & MPIDBG_REQUEST_UNKNOWN_COUNT);
	} else if (!strcmp(key, "count")) {
		expect_int(what, key, r->req_count, json);
	} else {
		ok = false;
	}
	CALL(mpidbg_free_info, MPIDBG_REQUEST, r);
	return ok;
}

static unsigned n_made_by; /* persistent requests whose creator is known */

static void check_flags(uint64_t handle, const char *words)
{
	static const struct {
		const char *word;
		unsigned bit;
	} flags[] = { { "active", MPIDBG_REQUEST_INFO_ACTIVE },
		      { "complete", MPIDBG_REQUEST_INFO_COMPLETE },
		      { "persistent", MPIDBG_REQUEST_INFO_PERSISTENT },
		      { "partitioned", MPIDBG_REQUEST_INFO_PARTITIONED },
		      { "freed", MPIDBG_REQUEST_INFO_FREED_HANDLE } };
	struct mpidbg_request_info_t *r = NULL;

	int code = CALL(mpidbg_request_query, NOBODY, handle, &r);
	ck_assert_msg(code == MPIDBG_SUCCESS, "request 0x%" PRIx64 ": %s", handle,
		      CALL(mpidbg_error_string, session.process));
	ck_assert_msg(!(r->req_unknown & MPIDBG_REQUEST_UNKNOWN_COMPLETE), "request 0x%" PRIx64 "%s: unknown", handle,
		      words);
	/* unprepared, the mode of a send that is not pending may be unknown */
	if (strstr(words, "persistent") && !strstr(words, "freed")) {
		const char *by = r->req_object.made_by;
		bool unknown = r->req_unknown & MPIDBG_UNKNOWN_MADE_BY;
		ck_assert_msg(unknown ? bare && !*by : strstr(by, "_init") != NULL, "request 0x%" PRIx64 ": %s", handle,
			      by);
		n_made_by += !unknown;
	}
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		ck_assert_msg(!!(r->req_bitflags & flags[i].bit) == !!strstr(words, flags[i].word),
			      "request 0x%" PRIx64 ": the program says%s; %s is %d", handle, words, flags[i].word,
			      !!(r->req_bitflags & flags[i].bit));
	CALL(mpidbg_free_info, MPIDBG_REQUEST, r);
}

/* MPICH has no list of predefined keyvals; only the in-target library has. */
static void check_name(unsigned keyval, const char *name)
{
	struct mpidbg_name_map_t *map = NULL;
	size_t n = 0;

	int code = CALL(mpidbg_get_name_map, session.process, MPIDBG_KEYVAL, &map);
	ck_assert_int_eq(code, bare && mpi == FACTS_MPICH ? MPIDBG_ERR_NOT_SUPPORTED : MPIDBG_SUCCESS);
	for (size_t i = 0; !code && map[i].map_name; i++)
		n += !strcmp(map[i].map_name, name) && map[i].map_handle == keyval;
	ck_assert_uint_eq(n, !code);
	CALL(mpidbg_free, map);
}

/* A group made of a set of processes has its name, if the creators of groups are recorded. */
static void check_pset(uint64_t handle, const char *name)
{
	struct mpidbg_group_info_t *g = NULL;

	ck_assert_int_eq(CALL(mpidbg_group_query, NOBODY, handle, &g), MPIDBG_SUCCESS);
	ck_assert_str_eq(g->group_object.name, bare ? "" : name);
	ck_assert_int_eq(bare, !!(g->group_unknown & MPIDBG_UNKNOWN_MADE_BY));
	CALL(mpidbg_free_info, MPIDBG_GROUP, g);
}

/* The program has sessions and no MPI_COMM_WORLD. */
static void check_sessions(size_t n)
{
	mqs_taddr_t *handles = NULL;
	size_t n_seen = 0, n_worlds = 0;

	ck_assert_int_eq(CALL(mpidbg_get_handles, session.process, MPIDBG_SESSION, 0, &handles, &n_seen, NULL), 0);
	ck_assert_uint_eq(n_seen, n + 1); /* and MPI_SESSION_NULL */
	CALL(mpidbg_free, handles);
	ck_assert_int_eq(CALL(mpidbg_get_handles, session.process, MPIDBG_COMM, 0, &handles, &n_seen, NULL), 0);
	for (size_t i = 0; i < n_seen; i++) {
		struct mpidbg_comm_info_t *c = NULL;

		ck_assert_int_eq(CALL(mpidbg_comm_query, NOBODY, handles[i], &c), MPIDBG_SUCCESS);
		n_worlds += !strcmp(c->comm_name, "MPI_COMM_WORLD") && c->comm_rank >= 0;
		CALL(mpidbg_free_info, MPIDBG_COMM, c);
	}
	CALL(mpidbg_free, handles);
	ck_assert_uint_eq(n_worlds, 0);
}

/* The freed one is still among those that the library has. */
static void check_number_of_requests(int n)
{
	mqs_taddr_t *handles = NULL;
	struct mpidbg_name_map_t *map = NULL;
	size_t n_seen = 0, n_predefined = 0;

	ck_assert_int_eq(CALL(mpidbg_get_handles, session.process, MPIDBG_REQUEST, 0, &handles, &n_seen, NULL), 0);
	if (!CALL(mpidbg_get_name_map, session.process, MPIDBG_REQUEST, &map))
		for (size_t i = 0; i < n_seen; i++)
			n_predefined += handles[i] == map[0].map_handle;
	CALL(mpidbg_free, map);
	CALL(mpidbg_free, handles);
	ck_assert_int_eq((int)(n_seen - n_predefined), n + bare);
}

static const struct {
	const char *kind;
	bool (*check)(const char *what, uint64_t handle, const char *key, const json_t *json);
} kinds[] = { { "comm", check_comm }, { "group", check_group },           { "file", check_file },
	      { "op", check_op },     { "errhandler", check_errhandler }, { "request", check_request } };

static unsigned compare(const struct facts *t)
{
	char kind[16], key[64], what[128];
	unsigned n = 0;
	uint64_t handle;
	int at, n_requests, n_sessions;
	unsigned keyval;

	for (size_t i = 0; i < t->n; i++) {
		const char *line = t->lines[i];

		if (sscanf(line, "flags request 0x%" SCNx64 "%n", &handle, &at) == 1) {
			check_flags(handle, line + at);
			n++;
		} else if (sscanf(line, "requests %d", &n_requests) == 1) {
			check_number_of_requests(n_requests);
			n++;
		} else if (sscanf(line, "name keyval 0x%x %n", &keyval, &at) == 1) {
			check_name(keyval, line + at);
			n++;
		} else if (sscanf(line, "sessions %d", &n_sessions) == 1) {
			check_sessions((size_t)n_sessions);
			n++;
		} else if (sscanf(line, "pset group 0x%" SCNx64 "%n", &handle, &at) == 1) {
			check_pset(handle, line + at + (line[at] == ' '));
			n++;
		}
		if (sscanf(line, "fact %15s 0x%" SCNx64 " %63s %n", kind, &handle, key, &at) != 3)
			continue;
		json_t *json = json_loads(line + at, JSON_DECODE_ANY, NULL);
		snprintf(what, sizeof(what), "%s %s 0x%" PRIx64, bare ? "bare" : "recorded", kind, handle);
		for (size_t k = 0; json && k < sizeof(kinds) / sizeof(kinds[0]); k++)
			n += !strcmp(kind, kinds[k].kind) && kinds[k].check(what, handle, key, json);
		json_decref(json);
	}
	return n;
}

/* ---- tests -------------------------------------------------------------------------------------------------- */

static bool begin(int which, const char *program, int n, struct facts *t)
{
	struct host_error err = { 0 };
	char path[512];

	mpi = (enum facts_mpi)(which % FACTS_N_MPIS);
	bare = which / FACTS_N_MPIS % N_MODES;
	if (bare && mpi == FACTS_MPICH && !job_mpich_is_read()) {
		puts("MPICH: not run: its device is not ch4, and its memory is not read");
		return false;
	}
	snprintf(path, sizeof(path), "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	ck_assert_msg(host_plugin_load(path, &plugin, &err) == HOST_OK, "%s", err.text);
	facts_bare = bare;
	facts_start(mpi, program, n, t);
	ck_assert_msg(host_open_live(t->rank0, &target, &err) == HOST_OK, "%s", err.text);
	ck_assert_msg(host_session_open(&plugin, target, NULL, &session, &err) == HOST_OK, "%s", err.text);
	return true;
}

static void end(struct facts *t)
{
	host_session_close(&session);
	host_close(target);
	facts_stop(t);
	host_plugin_unload(&plugin);
}

static const struct {
	const char *program;
	int n;
	unsigned at_least;
} programs[] = {
	{ "facts_comms", 3, 150 }, { "facts_others", 2, 15 }, { "facts_files", 2, 6 }, { "facts_requests", 2, 20 }
};

START_TEST(test_facts)
{
	const int program = _i / (FACTS_N_MPIS * N_MODES);
	struct facts t;

	if (!begin(_i % (FACTS_N_MPIS * N_MODES), programs[program].program, programs[program].n, &t))
		return;
	n_made_by = 0;
	ck_assert_uint_ge(compare(&t), programs[program].at_least);
	ck_assert(n_made_by || strcmp(programs[program].program, "facts_requests") != 0);
	/* and once more, with everything kept */
	ck_assert_int_eq(CALL(mpidbg_keep, session.process, 1), MPIDBG_SUCCESS);
	ck_assert_uint_ge(compare(&t), programs[program].at_least);
	ck_assert_int_eq(CALL(mpidbg_keep, session.process, 0), MPIDBG_SUCCESS);
	end(&t);
}
END_TEST

/* Sessions without MPI_Init, and two ranks of one that wait for each other: a deadlock, with nothing prepared. */
START_TEST(test_sessions)
{
	enum { SESSION_FACTS = 30 };
	struct mpidbg_run r;
	struct facts t;

	if (!job_mpich_has_mpi4()) {
		puts("MPICH 3 has no sessions");
		return;
	}
	setenv("SESSIONS_HANG", "1", 1);
	if (!begin(FACTS_MPICH + FACTS_N_MPIS * _i, "facts_sessions", 2, &t))
		return;
	ck_assert_uint_ge(compare(&t), SESSION_FACTS);
	host_session_close(&session);
	host_close(target);
	mpidbg_run(&r, "deadlock", "--job", t.launcher_text, NULL);
	ck_assert_msg(r.exit_code == 4 && strstr(r.out, "rank 0 waits for rank 1, which waits for rank 0"),
		      "exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	mpidbg_run(&r, "comms", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0 && !strncmp(r.out, "rank 0 of 2 ", 12), "exit %d: %s%s", r.exit_code, r.out,
		      r.err);
	mpidbg_run_free(&r);
	facts_stop(&t);
	host_plugin_unload(&plugin);
}
END_TEST

static double processor_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t n_reads(void)
{
	struct mpidbg_stats s;

	ck_assert_int_eq(CALL(mpidbg_get_stats, session.process, &s), MPIDBG_SUCCESS);
	return s.n_reads;
}

/* While the process is kept, all queries together read little more than one list. */
START_TEST(test_cost)
{
	static const int of[] = { MPIDBG_REQUEST, MPIDBG_DATATYPE };
	struct facts t;

	if (!begin(_i, "crowd", 1, &t))
		return;
	ck_assert_int_eq(CALL(mpidbg_keep, session.process, 1), MPIDBG_SUCCESS);
	for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++) {
		int64_t *numbers = NULL;
		size_t n = 0;

		uint64_t before = n_reads();
		ck_assert_int_eq(CALL(mpidbg_get_numbers, session.process, of[k], 0, &numbers, &n, NULL), 0);
		ck_assert_uint_ge(n, MANY);
		uint64_t listed = n_reads();
		double start = processor_s();
		for (size_t i = 0; i < n; i++) {
			void *info = NULL;

			ck_assert_int_eq(CALL(mpidbg_query, session.process, of[k], numbers[i], &info), MPIDBG_SUCCESS);
			CALL(mpidbg_free_info, of[k], info);
		}
		printf("%s, %s, kind %d: %zu queries in %.3f s of a processor, %" PRIu64 " reads; the list: %" PRIu64
		       " reads\n",
		       mpi == FACTS_MPICH ? "MPICH" : "Open MPI", bare ? "bare" : "recorded", of[k], n,
		       processor_s() - start, n_reads() - listed, listed - before);
		ck_assert_uint_le(n_reads() - listed, n);
		CALL(mpidbg_free, numbers);
	}
	end(&t);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("mpidbg_facts");
	TCase *tcase = tcase_create("queries");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_facts, 0, sizeof(programs) / sizeof(programs[0]) * FACTS_N_MPIS * N_MODES);
	tcase_add_loop_test(tcase, test_cost, 0, FACTS_N_MPIS * N_MODES);
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("sessions");
	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_sessions, 0, N_MODES);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
