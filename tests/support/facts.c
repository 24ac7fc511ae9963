/* SPDX-License-Identifier: BSD-3-Clause */
#include "facts.h"

#include "job.h"
#include "mpidbg_run.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_BYTES = 1 << 18, ARGS_MAX = 40, NAMES_MAX = 8 };

bool facts_bare;

/* ---- the job ------------------------------------------------------------------------------------------ */

static const char *build(void)
{
	const char *dir = getenv("MPIDBG_BUILD");

	ck_assert_ptr_nonnull(dir);
	return dir;
}

/* The words of a launcher's command line, and names of settings, which are some of them. */
struct words {
	const char *word[ARGS_MAX];
	size_t n;
	char names[NAMES_MAX][64];
	size_t n_names;
};

static void add(struct words *w, const char *word)
{
	ck_assert_uint_lt(w->n + 1, ARGS_MAX);
	w->word[w->n++] = word;
}

/* @param setting "NAME=VALUE", stored */
static void add_setting(struct words *w, enum facts_mpi mpi, const char *setting)
{
	add(w, mpi == FACTS_MPICH ? "-env" : "-x");
	if (mpi == FACTS_MPICH) {
		int n = (int)strcspn(setting, "=");

		ck_assert_uint_lt(w->n_names, NAMES_MAX);
		snprintf(w->names[w->n_names], sizeof(w->names[0]), "%.*s", n, setting);
		add(w, w->names[w->n_names++]);
		add(w, setting + n + 1);
	} else {
		add(w, setting);
	}
}

/* @param n ranks; @param env of these ranks, NULL none */
static void add_ranks(struct words *w, enum facts_mpi mpi, const struct facts *t, const char *n, const char *argument,
		      const facts_env env)
{
	static char preload[PATH_MAX];

	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/libmpi2dd-%s.so", build(),
		 mpi == FACTS_MPICH ? "mpich" : "openmpi");
	add(w, "-n");
	add(w, n);
	if (!facts_bare)
		add_setting(w, mpi, preload);
	for (size_t i = 0; env && env[i]; i++)
		add_setting(w, mpi, env[i]);
	add(w, t->program);
	add(w, argument);
}

static void exec_launcher(struct words *w)
{
	add(w, NULL);
	execvp(w->word[0], (char *const *)w->word);
	_exit(127);
}

static void add_line(struct facts *t, const char *line)
{
	t->lines = realloc(t->lines, (t->n + 1) * sizeof(*t->lines));
	t->lines[t->n++] = strdup(line);
}

/* Check's timeout ends the test if the job does not become ready; the job ends with the test. */
static void read_lines(struct facts *t, int fd)
{
	static char line[LINE_BYTES];
	FILE *in = fdopen(fd, "r");

	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "ready %d", &t->rank0) == 1)
			return; /* the stream stays open, so that a rank that writes more is not killed by SIGPIPE */
		add_line(t, line);
	}
}

static void begin(enum facts_mpi mpi, const char *program, struct facts *t, struct words *w)
{
	memset(t, 0, sizeof(*t));
	memset(w, 0, sizeof(*w));
	t->mpi = mpi;
	scratch_make(t->dir, "facts");
	if (strchr(program, '/'))
		snprintf(t->program, sizeof(t->program), "%s", program);
	else
		snprintf(t->program, sizeof(t->program), "%s/%s/%s", build(),
			 mpi == FACTS_MPICH ? "programs-mpich" : "programs", program);
	add(w, mpi == FACTS_MPICH ? "mpirun.mpich" : "mpirun.openmpi");
	if (mpi == FACTS_OPENMPI)
		add(w, "--oversubscribe");
}

static void start(struct words *w, struct facts *t)
{
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	pid_t test = getpid();
	t->launcher = fork();
	ck_assert_int_ge(t->launcher, 0);
	if (!t->launcher) {
		dup2(fds[1], 1);
		launcher_child(test);
		launcher_ranks_sleep();
		exec_launcher(w);
	}
	close(fds[1]);
	read_lines(t, fds[0]);
	ck_assert_msg(t->rank0 > 0, "%s did not get ready; its last line: %s", t->program,
		      t->n ? t->lines[t->n - 1] : "none");
	launcher_give_way(t->launcher);
	snprintf(t->pid_text, sizeof(t->pid_text), "%d", (int)t->rank0);
	snprintf(t->launcher_text, sizeof(t->launcher_text), "%d", (int)t->launcher);
	t->target[0] = "-p";
	t->target[1] = t->pid_text;
}

void facts_start(enum facts_mpi mpi, const char *program, int n, struct facts *ret)
{
	struct words w;
	char file[SCRATCH_MAX + 16], ranks[16];

	begin(mpi, program, ret, &w);
	snprintf(file, sizeof(file), "%s/data", ret->dir);
	snprintf(ranks, sizeof(ranks), "%d", n);
	add_ranks(&w, mpi, ret, ranks, file, NULL);
	start(&w, ret);
}

void facts_start_pair(enum facts_mpi mpi, const char *program, const char *argument, const facts_env env[2],
		      struct facts *ret)
{
	struct words w;

	begin(mpi, program, ret, &w);
	add_ranks(&w, mpi, ret, "1", argument, env[0]);
	add(&w, ":");
	add_ranks(&w, mpi, ret, "1", argument, env[1]);
	start(&w, ret);
}

void facts_core(struct facts *t)
{
	char prefix[SCRATCH_MAX + 8];
	char *argv[] = { (char *)"gcore", (char *)"-o", prefix, t->pid_text, NULL };
	struct mpidbg_run r;

	snprintf(prefix, sizeof(prefix), "%s/core", t->dir);
	snprintf(t->core, sizeof(t->core), "%s.%s", prefix, t->pid_text);
	mpidbg_run_program(&r, argv);
	ck_assert_msg(r.exit_code == 0 && !access(t->core, R_OK), "gcore: exit %d: %s%s", r.exit_code, r.out, r.err);
	mpidbg_run_free(&r);
	t->target[0] = "--core";
	t->target[1] = t->core;
	t->target[2] = "-e";
	t->target[3] = t->program;
}

void facts_stop(struct facts *t)
{
	launcher_stop(t->launcher, &t->rank0, 1);
	for (size_t i = 0; i < t->n; i++)
		free(t->lines[i]);
	free(t->lines);
	scratch_remove(t->dir);
}

/* ---- asking ------------------------------------------------------------------------------------------- */

static void ask(const struct facts *t, struct mpidbg_run *r, const char *command, const char *word1, const char *word2,
		bool json)
{
	char path[PATH_MAX];
	char *argv[16];
	int n = 0;

	snprintf(path, sizeof(path), "%s/mpidbg", build());
	argv[n++] = path;
	argv[n++] = (char *)command;
	if (word1)
		argv[n++] = (char *)word1;
	if (word2)
		argv[n++] = (char *)word2;
	if (!strcmp(command, "handles")) {
		argv[n++] = (char *)"--all";
		argv[n++] = (char *)"--freed";
	}
	if (json)
		argv[n++] = (char *)"--json";
	for (size_t i = 0; t->target[i]; i++)
		argv[n++] = (char *)t->target[i];
	argv[n] = NULL;
	mpidbg_run_program(r, argv);
	ck_assert_msg(r->exit_code == 0, "mpidbg %s %s %s: exit %d: %s", command, word1 ? word1 : "",
		      word2 ? word2 : "", r->exit_code, r->err);
}

json_t *facts_process(const json_t *answer)
{
	return json_array_get(json_object_get(answer, "processes"), 0);
}

json_t *facts_ask(const struct facts *t, json_t **answer, const char *command, const char *word1, const char *word2)
{
	struct mpidbg_run r;

	ask(t, &r, command, word1, word2, true);
	*answer = mpidbg_run_json(&r);
	mpidbg_run_free(&r);
	return facts_process(*answer);
}

char *facts_text(const struct facts *t, const char *command, const char *word1, const char *word2)
{
	struct mpidbg_run r;

	ask(t, &r, command, word1, word2, false);
	char *text = strdup(r.out);
	mpidbg_run_free(&r);
	return text;
}

/* ---- comparing ---------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Open MPI names communicators itself that the program has not named; MPI_Comm_get_name does not tell. */
static bool is_own_name(const char *key, const json_t *seen, const json_t *expected)
{
	static const char *const own[] = { "MPI COMMUNICATOR ", "MPI_COMMUNICATOR " };
	const size_t n = strlen(own[0]);

	return strstr(key, "name") && json_is_string(seen) && json_is_string(expected) &&
	       !json_string_length(expected) &&
	       (!strncmp(json_string_value(seen), own[0], n) || !strncmp(json_string_value(seen), own[1], n));
}

static bool fits(const json_t *object, const char *key, const json_t *expected)
{
	const json_t *seen = json_object_get(object, key);

	if (is_own_name(key, seen, expected))
		return true;
	return seen && expected && json_equal(seen, expected);
}

/*
 * The object of a kind with a handle: the live one; or, when it is of the past, the one whose member is as expected, or
 * else the last one.
 */
static const json_t *find(const json_t *process, const char *kind, const char *handle, bool past, const char *key,
			  const json_t *expected)
{
	const json_t *group, *object, *found = NULL;
	size_t i, k;

	json_array_foreach(json_object_get(process, "handles"), i, group)
	{
		if (strcmp(text_of(group, "kind"), kind) != 0)
			continue;
		json_array_foreach(json_object_get(group, "objects"), k, object)
		{
			if (strcmp(text_of(object, "handle"), handle) != 0 ||
			    (strcmp(text_of(object, "state"), "live") != 0) != past)
				continue;
			found = object;
			if (!past || fits(object, key, expected))
				return object;
		}
	}
	return found;
}

/* Number of live objects of a kind that are not predefined. @return NULL: the kind is not listed */
static json_t *live_of(const json_t *process, const char *kind)
{
	const json_t *group, *object;
	size_t i, k;

	json_array_foreach(json_object_get(process, "handles"), i, group)
	{
		json_int_t n = 0;

		if (strcmp(text_of(group, "kind"), kind) != 0)
			continue;
		json_array_foreach(json_object_get(group, "objects"), k, object)
			n += !strcmp(text_of(object, "state"), "live") &&
			     !json_is_true(json_object_get(object, "predefined"));
		return json_integer(n);
	}
	return NULL;
}

static unsigned differs(const char *line, const json_t *seen, bool absent)
{
	char *text = seen ? json_dumps(seen, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	fprintf(stderr, "%s\n    seen: %s%s\n", line, text ? text : "nothing", absent ? " (no such object)" : "");
	free(text);
	return 1;
}

static unsigned compare_has(const char *line, const json_t *object, const char *key, const json_t *expected)
{
	const json_t *list = json_object_get(object, key), *element;
	size_t i;

	json_array_foreach(list, i, element) if (json_equal(element, expected)) return 0;
	return differs(line, list, !object);
}

/* Open MPI's list of keyvals is a static variable, which a stripped library does not name. */
static unsigned compare_live(const struct facts *t, const json_t *process, const char *line, const char *kind,
			     const char *number, unsigned *n_facts)
{
	if (facts_bare && t->mpi == FACTS_OPENMPI && !strcmp(kind, "keyval"))
		return 0;
	json_t *seen = live_of(process, kind), *expected = json_loads(number, JSON_DECODE_ANY, NULL);
	unsigned n = seen && expected && json_equal(seen, expected) ? 0 : differs(line, seen, !seen);

	++*n_facts;
	json_decref(seen);
	json_decref(expected);
	return n;
}

/* Displacements of all bytes, in the order of the type map. */
static json_t *bytes_of(const json_t *object)
{
	json_t *ret = json_array();
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(object, "type_map"), i, entry)
	{
		json_int_t at = json_integer_value(json_object_get(entry, "displacement"));
		json_int_t n = json_integer_value(json_object_get(entry, "bytes"));

		for (json_int_t k = 0; k < n; k++)
			json_array_append_new(ret, json_integer(at + k));
	}
	return ret;
}

static unsigned compare_object(const char *line, const json_t *process, const char *word, const char *kind,
			       const char *handle, const char *key, const json_t *expected)
{
	const json_t *object = find(process, kind, handle, !strcmp(word, "past"), key, expected);

	if (!strcmp(word, "has"))
		return compare_has(line, object, key, expected);
	if (!strcmp(word, "lacks"))
		return object && !json_object_get(object, key) ? 0
							       : differs(line, json_object_get(object, key), !object);
	if (!strcmp(word, "bytes")) {
		json_t *bytes = bytes_of(object);
		unsigned n = json_equal(bytes, expected) ? 0 : differs(line, bytes, !object);

		json_decref(bytes);
		return n;
	}
	return fits(object, key, expected) ? 0 : differs(line, json_object_get(object, key), !object);
}

/* The last answer of print, for consecutive lines about one object. */
struct last_print {
	char kind[32], value[128];
	json_t *answer;
};

static unsigned compare_print(const struct facts *t, struct last_print *last, const char *line, const char *kind,
			      const char *value, const char *key, const json_t *expected)
{
	if (!last->answer || strcmp(last->kind, kind) != 0 || strcmp(last->value, value) != 0) {
		json_decref(last->answer);
		facts_ask(t, &last->answer, "print", kind, value);
		snprintf(last->kind, sizeof(last->kind), "%s", kind);
		snprintf(last->value, sizeof(last->value), "%s", value);
	}
	const json_t *handle = json_object_get(facts_process(last->answer), "handle");

	return fits(handle, key, expected) ? 0 : differs(line, json_object_get(handle, key), !handle);
}

/* Rank 0 has announced its call, and may not have entered it yet. */
static unsigned compare_calls(const struct facts *t, unsigned *n_facts, bool say)
{
	json_t *answer;
	const json_t *call = json_array_get(json_object_get(facts_ask(t, &answer, "calls", NULL, NULL), "calls"), 0);
	unsigned n_bad = 0;

	for (size_t i = 0; i < t->n; i++) {
		char key[32];
		int rest = 0;

		if (sscanf(t->lines[i], "call %31s %n", key, &rest) != 1 || !rest)
			continue;
		json_t *expected = json_loads(t->lines[i] + rest, JSON_DECODE_ANY, NULL);
		ck_assert_msg(expected != NULL, "no JSON: %s", t->lines[i]);
		++*n_facts;
		if (!fits(call, key, expected))
			n_bad += say ? differs(t->lines[i], json_object_get(call, key), !call) : 1;
		json_decref(expected);
	}
	json_decref(answer);
	return n_bad;
}

static unsigned wait_for_calls(const struct facts *t, unsigned *n_facts)
{
	double end = job_now() + LAUNCHER_WAIT_S;
	unsigned ignored = 0;

	while (!t->core[0] && job_now() < end && compare_calls(t, &ignored, false))
		job_nap();
	return compare_calls(t, n_facts, true);
}

/* Facts that are in the memory of no MPI library; kind "*": any. */
static const char *const nobodys[][2] = {
	{ "*", "made_by" },
	{ "*", "parent_name" },
	{ "*", "calls" },
	{ "*", "generation" },
	{ "*", "sessions" },
	{ "*", "info" },
	{ "*", "info_why" },
	{ "*", "hints" },
	{ "*", "where" },
	{ "*", "number" },
	{ "comm", "color" },
	{ "comm", "key" },
	{ "comm", "group" },
	{ "comm", "group_why" },
	{ "comm", "windows" },
	{ "win", "requests" },
	{ "file", "requests" },
	{ "file", "split_collective" },
	{ "win", "comm" },
	{ "win", "comm_name" },
	{ "win", "comm_why" },
	{ "win", "attached" },
	{ "win", "last_synchronization" },
	{ "datatype", "requests" },
	{ "info", "windows" },
	{ "info", "communicators" },
	{ "info", "files" },
	{ "op", "requests" },
	{ "group", "communicators" },
	{ "request", "buffer_name" },
	{ "request", "datatype_name" },
	{ NULL, NULL },
};

/* Facts that only one of the two MPI libraries lacks. */
static const char *const not_mpichs[][2] = {
	{ "keyval", "language" }, { "*", "files" },       { "win", "locks" },           { "file", "comm" },
	{ "file", "comm_name" },  { "file", "comm_why" }, { "request", "extra_state" }, { "errhandler", "windows" },
	{ NULL, NULL },
};
static const char *const not_openmpis[][2] = {
	{ "file", "comm_why" }, /* the communicator lives as long as the file */
	{ NULL, NULL },
};

static bool is_listed(const char *const (*keys)[2], const char *kind, const char *key)
{
	for (; (*keys)[0]; keys++)
		if (((*keys)[0][0] == '*' || !strcmp((*keys)[0], kind)) && !strcmp((*keys)[1], key))
			return true;
	return false;
}

/* Is it a fact that the MPI library's memory does not have? */
static bool is_trackers(enum facts_mpi mpi, const char *word, const char *kind, const char *handle, const char *key,
			const char *rest)
{
	bool request = !strcmp(kind, "request"), buffer = request && !strcmp(key, "buffer");

	/* former values are queried as well */
	if (!strcmp(word, "past") || (!strcmp(word, "print") && handle[0] == '0'))
		return true;
	if (is_listed(nobodys, kind, key) || is_listed(mpi == FACTS_MPICH ? not_mpichs : not_openmpis, kind, key))
		return true;
	if (mpi == FACTS_MPICH) /* it has no list of predefined attributes, and requests have no buffer that is none */
		return (!strcmp(key, "attributes") && strstr(rest, "\"key_name\"")) ||
		       (buffer && strstr(rest, "0xffffffffffffffff"));
	/* Open MPI keeps no arguments of collectives, and none of persistent requests with MPI_PROC_NULL */
	return (buffer && !strcmp(rest, "\"0x1\"")) || (request && !strcmp(key, "peer") && !strcmp(rest, "-2")) ||
	       (request && !strcmp(key, "fortran_why"));
}

/*
 * Open MPI keeps no trace of MPI_Win_start with an empty group; it keeps the buffer of a request only with its
 * peer; a freed filetype is recognized as freed, because its object lives as long as the view.
 */
static bool is_of_nobody(const json_t *process, const char *kind, const char *handle, const char *key)
{
	const json_t *object = find(process, kind, handle, false, key, NULL);

	if (!strcmp(kind, "win") && (!strcmp(key, "started") || !strcmp(key, "start_group")))
		return json_is_array(json_object_get(object, "post_group")) &&
		       !json_array_size(json_object_get(object, "post_group"));
	if (!strcmp(kind, "file") && !strcmp(key, "filetype"))
		return !strcmp(text_of(object, "filetype_why"), "freed by the application");
	return !strcmp(kind, "request") && !strcmp(key, "buffer") && object &&
	       !json_is_integer(json_object_get(object, "peer"));
}

/*
 * MPICH commits what MPI_Type_dup makes. It passes bytes to UCX:
 * only requests that are persistent keep a number of elements.
 */
static bool is_not_in_mpich(const json_t *process, const char *kind, const char *handle, const char *key)
{
	const json_t *object = find(process, kind, handle, false, key, NULL);

	if (!strcmp(kind, "datatype") && !strcmp(key, "committed"))
		return !strcmp(text_of(object, "combiner"), "dup");
	if (!strcmp(kind, "op") && !strcmp(key, "language")) /* since 4.3 */
		return !json_object_get(object, "language");
	return !strcmp(kind, "request") && !strcmp(key, "count") &&
	       json_is_false(json_object_get(object, "persistent"));
}

/* @return 1: it differs; 0: it does not, or the line is not a fact */
static unsigned compare_line(const struct facts *t, const json_t *process, struct last_print *last, const char *line,
			     unsigned *n_facts)
{
	char word[16], kind[32], handle[128], key[32] = "";
	int at = 0, rest = 0;

	if (sscanf(line, "%15s %31s %127s %n", word, kind, handle, &at) != 3 || !strcmp(word, "call"))
		return 0;
	if (!strcmp(word, "live"))
		return compare_live(t, process, line, kind, handle, n_facts);
	bool bytes = !strcmp(word, "bytes"), lacks = !strcmp(word, "lacks"), print = !strcmp(word, "print");
	if (!bytes && !lacks && !print && strcmp(word, "fact") != 0 && strcmp(word, "past") != 0 &&
	    strcmp(word, "has") != 0)
		return 0;
	rest = at;
	if (!bytes)
		ck_assert_msg(sscanf(line + at, "%31s %n", key, &rest) == 1, "no fact: %s", line);
	if (!bytes)
		rest += at;
	if (facts_bare && (is_trackers(t->mpi, word, kind, handle, key, line + rest) ||
			   (t->mpi == FACTS_MPICH ? is_not_in_mpich(process, kind, handle, key)
						  : is_of_nobody(process, kind, handle, key))))
		return 0;
	json_t *expected = lacks ? json_null() : json_loads(line + rest, JSON_DECODE_ANY, NULL);
	ck_assert_msg(expected != NULL, "no JSON: %s", line);
	++*n_facts;
	unsigned n = print ? compare_print(t, last, line, kind, handle, key, expected)
			   : compare_object(line, process, word, kind, handle, key, expected);
	json_decref(expected);
	return n;
}

unsigned facts_compare(struct facts *t, unsigned *n_facts)
{
	struct last_print last = { 0 };
	json_t *answer;
	unsigned n_bad;

	*n_facts = 0;
	n_bad = facts_bare ? 0 : wait_for_calls(t, n_facts); /* first: the objects list the calls that use them */
	const json_t *process = facts_ask(t, &answer, "handles", NULL, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(process, "problems")), 0);
	for (size_t i = 0; i < t->n; i++)
		n_bad += compare_line(t, process, &last, t->lines[i], n_facts);
	json_decref(last.answer);
	json_decref(answer);
	return n_bad;
}
