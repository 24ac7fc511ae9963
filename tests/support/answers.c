/* SPDX-License-Identifier: BSD-3-Clause */
#include "answers.h"

#include "job.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 40, LINE_BYTES = 1 << 16 };

/* ---- a job -------------------------------------------------------------------------------------------- */

static size_t split(char *text, const char **argv, size_t n)
{
	for (char *save = NULL, *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		ck_assert_uint_lt(n, WORDS_MAX - 1);
		argv[n++] = word;
	}
	argv[n] = NULL;
	return n;
}

/* NAME=value of each variable, in the form that the launcher accepts. */
static size_t add_environment(enum answers_mpi mpi, char *text, const char **argv, size_t n)
{
	for (char *save = NULL, *set = strtok_r(text, " ", &save); set; set = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(set, '=');
		ck_assert_uint_lt(n, WORDS_MAX - 5);
		argv[n++] = mpi ? "-genv" : "-x";
		argv[n++] = set;
		if (!mpi)
			continue;
		*equals = '\0';
		argv[n++] = equals + 1;
	}
	return n;
}

static const char *const mpi_names[] = { "openmpi", "mpich" };

/* The path of a program; static until the next call. */
static const char *path_of(enum answers_mpi mpi, const char *program)
{
	static char path[2 * PATH_MAX];
	bool whole = program[0] == '/';
	const char *mark = strstr(program, "%s");

	snprintf(path, sizeof path, "%s%s%.*s%s%s", whole ? "" : getenv("MPIDBG_BUILD"), whole ? "" : "/",
		 mark ? (int)(mark - program) : 0, program, mark ? mpi_names[mpi] : "", mark ? mark + 2 : program);
	return path;
}

bool answers_lacks(enum answers_mpi mpi, const char *program)
{
	const char *path = path_of(mpi, program);
	char text[200] = "";

	if (access(path, X_OK) == 0)
		return false;
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL && fgets(text, sizeof text, f) != NULL, "%s was not built", path);
	fclose(f);
	printf("%s: not run: %s", program, text);
	return true;
}

static void exec_job(enum answers_mpi mpi, const char *program, int ranks, const char *environment, const char *file)
{
	const char *path = path_of(mpi, program);
	char set[1024], number[16];
	const char *argv[WORDS_MAX];
	size_t n = 0;

	snprintf(number, sizeof number, "%d", ranks);
	snprintf(set, sizeof set, "LD_PRELOAD=%.400s/libmpi2dd-%s.so %.400s", getenv("MPIDBG_BUILD"), mpi_names[mpi],
		 environment ? environment : "");
	argv[n++] = mpi ? "mpirun.mpich" : "mpirun.openmpi";
	if (!mpi)
		argv[n++] = "--oversubscribe";
	argv[n++] = "-n";
	argv[n++] = number;
	n = add_environment(mpi, set, argv, n);
	argv[n++] = path;
	argv[n++] = file;
	argv[n] = NULL;
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static void take_line(struct answers *t, char *line)
{
	json_error_t error;
	json_t *truth = json_loads(line, JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(truth != NULL, "%s: %s", error.text, line);
	t->truths = realloc(t->truths, (t->n + 1) * sizeof(*t->truths));
	ck_assert_ptr_nonnull(t->truths);
	t->truths[t->n++] = truth;
}

void answers_start(struct answers *t, enum answers_mpi mpi, const char *program, int ranks, const char *environment)
{
	static char line[LINE_BYTES];
	char file[SCRATCH_MAX + 16], output[SCRATCH_MAX + 16];

	memset(t, 0, sizeof(*t));
	scratch_make(t->dir, "answers");
	snprintf(file, sizeof file, "%s/data", t->dir);
	snprintf(output, sizeof output, "%s/output", t->dir);
	pid_t test = getpid();
	t->launcher = fork();
	ck_assert_int_ge(t->launcher, 0);
	if (!t->launcher) {
		int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 1);
		launcher_child(test);
		launcher_ranks_sleep();
		exec_job(mpi, program, ranks, environment, file);
	}
	/* its output is a file, so that a job is not blocked if its output is not read */
	double end = job_now() + LAUNCHER_WAIT_S;
	long at = 0;
	while (!t->rank0) {
		FILE *in = fopen(output, "r");
		ck_assert_msg(job_now() < end, "%s: not ready in time", program);
		if (in) {
			fseek(in, at, SEEK_SET);
			while (!t->rank0 && fgets(line, sizeof line, in) && strchr(line, '\n')) {
				at = ftell(in);
				if (sscanf(line, "ready %d", &t->rank0) != 1)
					take_line(t, line);
			}
			fclose(in);
		}
		ck_assert_msg(t->rank0 || waitpid(t->launcher, NULL, WNOHANG) == 0, "%s: the job has ended", program);
		job_nap();
	}
	launcher_give_way(t->launcher);
}

void answers_core(struct answers *t)
{
	char command[3 * SCRATCH_MAX];

	snprintf(command, sizeof command, "gcore -o %s/core %d >%s/gcore.log 2>&1 </dev/null", t->dir, (int)t->rank0,
		 t->dir);
	int rc = system(command);
	snprintf(t->core, sizeof t->core, "%s/core.%d", t->dir, (int)t->rank0);
	ck_assert_msg(rc == 0 && access(t->core, R_OK) == 0, "gcore of %d failed", (int)t->rank0);
}

void answers_stop(struct answers *t)
{
	launcher_stop(t->launcher, &t->rank0, 1);
	for (size_t i = 0; i < t->n; i++)
		json_decref(t->truths[i]);
	free(t->truths);
	scratch_remove(t->dir);
	memset(t, 0, sizeof(*t));
}

/* ---- comparing ---------------------------------------------------------------------------------------- */

static bool differs(const json_t *expected, const json_t *seen, const char *where)
{
	char *e = json_dumps(expected, JSON_ENCODE_ANY | JSON_COMPACT);
	char *s = seen ? json_dumps(seen, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

	fprintf(stderr, "  %s: expected %s, seen %.600s\n", where, e, s ? s : "nothing");
	free(e);
	free(s);
	return false;
}

static bool array_holds(const json_t *expected, const json_t *seen, const char *where)
{
	char name[256];
	size_t n = json_array_size(expected);
	const char *last = n ? json_string_value(json_array_get(expected, n - 1)) : NULL;
	bool open = last && !strcmp(last, "..."), ok = true;

	n -= open;
	if (!json_is_array(seen) || (open ? json_array_size(seen) < n : json_array_size(seen) != n))
		return differs(expected, seen, where);
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "%.200s[%zu]", where, i);
		ok &= answers_holds(json_array_get(expected, i), json_array_get(seen, i), name);
	}
	return ok;
}

bool answers_holds(const json_t *expected, const json_t *seen, const char *where)
{
	const char *text = json_string_value(expected), *key;
	const json_t *member;
	char name[256];
	bool ok = true;

	if (json_is_array(expected))
		return array_holds(expected, seen, where);
	if (json_is_object(expected)) {
		json_object_foreach((json_t *)expected, key, member)
		{
			snprintf(name, sizeof name, "%.120s.%.120s", where, key);
			ok &= answers_holds(member, json_object_get(seen, key), name);
		}
		return ok;
	}
	if (text && !strcmp(text, "<absent>"))
		return !seen || differs(expected, seen, where);
	if (text && text[0] == '~') {
		const char *has = json_string_value(seen);
		return has && strstr(has, text + 1) ? true : differs(expected, seen, where);
	}
	return seen && json_equal(expected, seen) ? true : differs(expected, seen, where);
}

/* ---- asking ------------------------------------------------------------------------------------------- */

void answers_run(struct mpidbg_run *ret, const struct answers *t, const char *args, bool core)
{
	char text[1024], program[PATH_MAX], pid[16];
	const char *argv[WORDS_MAX];

	snprintf(program, sizeof program, "%s/mpidbg", getenv("MPIDBG_BUILD"));
	snprintf(text, sizeof text, "%s", args);
	snprintf(pid, sizeof pid, "%d", (int)t->rank0);
	argv[0] = program;
	size_t n = split(text, argv, 1);
	argv[n++] = core ? "--core" : "-p";
	argv[n++] = core ? t->core : pid;
	argv[n] = NULL;
	mpidbg_run_program(ret, (char *const *)argv);
}

/* The element of an array that has this member. */
static const json_t *element_with(const json_t *array, const char *key, const json_t *value)
{
	const json_t *element;
	size_t i;

	json_array_foreach(array, i, element)
	{
		if (json_equal(json_object_get(element, key), value))
			return element;
	}
	return NULL;
}

/* The part of an answer that a line is about: the object of
 * print, a communicator, an operation, or the whole process. */
static const json_t *part_of(const json_t *answer, const json_t *truth, const char *args)
{
	const json_t *process = json_array_get(json_object_get(answer, "processes"), 0);
	const json_t *comm = json_object_get(truth, "comm"), *tag = json_object_get(truth, "tag");

	if (comm) {
		comm = element_with(json_object_get(process, "communicators"), "name", comm);
		return tag ? element_with(json_object_get(comm, json_string_value(json_object_get(truth, "key"))),
					  "tag", tag)
			   : comm;
	}
	return !strncmp(args, "print ", 6) ? json_object_get(process, "handle") : process;
}

static bool ask_one(struct answers *t, const json_t *truth, bool core)
{
	const char *args = json_string_value(json_object_get(truth, "args"));
	const char *words = json_string_value(json_object_get(truth, "words"));
	const json_t *is = json_object_get(truth, "is"), *code = json_object_get(truth, "exit");
	int expected = code ? (int)json_integer_value(code) : 0;
	struct mpidbg_run r;
	char all[1024];
	bool ok = true;

	ck_assert_ptr_nonnull(args);
	snprintf(all, sizeof all, "%s%s", args, is ? " --json" : "");
	answers_run(&r, t, all, core);
	if (r.exit_code != expected || (words && !strstr(r.out, words) && !strstr(r.err, words))) {
		fprintf(stderr, "  exit %d, expected %d%s%s\n%.2000s%.2000s", r.exit_code, expected,
			words ? "; expected words: " : "", words ? words : "", r.out, r.err);
		ok = false;
	} else if (is) {
		json_t *answer = mpidbg_run_json(&r);
		ok = answers_holds(is, part_of(answer, truth, args), "answer");
		json_decref(answer);
	}
	if (!ok)
		fprintf(stderr, "%s (%s)\n", args, core ? "core" : "live");
	mpidbg_run_free(&r);
	return ok;
}

unsigned answers_ask(struct answers *t, bool core)
{
	unsigned n_bad = 0;

	for (size_t i = 0; i < t->n; i++)
		n_bad += !ask_one(t, t->truths[i], core);
	return n_bad;
}
