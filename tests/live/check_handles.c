/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg handles, print and calls against what tests/programs/handles.c says of itself, under both MPIs. */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, N_MPIS = 2 };

/* A job whose rank 0 tells the truth on standard output. */
struct teller {
	pid_t launcher, rank0;
	char dir[SCRATCH_MAX], pid_text[16];
	char **lines;
	size_t n;
};

static const char *build(void)
{
	const char *dir = getenv("MPIDBG_BUILD");

	ck_assert_ptr_nonnull(dir);
	return dir;
}

static void exec_job(int mpi, const char *file)
{
	char preload[PATH_MAX], program[PATH_MAX];

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	unsetenv("LD_PRELOAD");
	snprintf(program, sizeof(program), "%s/%s/handles", build(), mpi ? "programs-mpich" : "programs");
	if (mpi) {
		snprintf(preload, sizeof(preload), "%s/libmpi2dd-mpich.so", build());
		execlp("mpirun.mpich", "mpirun.mpich", "-n", "2", "-genv", "LD_PRELOAD", preload, program, file, NULL);
	} else {
		snprintf(preload, sizeof(preload), "LD_PRELOAD=%s/libmpi2dd-openmpi.so", build());
		execlp("mpirun.openmpi", "mpirun.openmpi", "--oversubscribe", "-n", "2", "-x", preload, program, file,
		       NULL);
	}
	_exit(127);
}

static void start(int mpi, struct teller *t)
{
	char file[SCRATCH_MAX + 16], line[1 << 16];
	int fds[2];

	memset(t, 0, sizeof(*t));
	scratch_make(t->dir, "handles");
	snprintf(file, sizeof(file), "%s/data", t->dir);
	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	t->launcher = fork();
	ck_assert_int_ge(t->launcher, 0);
	if (!t->launcher) {
		dup2(fds[1], 1);
		exec_job(mpi, file);
	}
	close(fds[1]);
	FILE *in = fdopen(fds[0], "r");
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "ready %d", &t->rank0) == 1)
			break;
		t->lines = realloc(t->lines, (t->n + 1) * sizeof(*t->lines));
		t->lines[t->n++] = strdup(line);
	}
	ck_assert_msg(t->rank0 > 0, "the job did not get ready; its last line: %s", t->n ? t->lines[t->n - 1] : "none");
	snprintf(t->pid_text, sizeof(t->pid_text), "%d", (int)t->rank0);
	/* in is not closed: a rank that writes more must not be killed for it */
}

static void stop(struct teller *t)
{
	kill(t->launcher, SIGTERM);
	waitpid(t->launcher, NULL, 0);
	for (size_t i = 0; i < t->n; i++)
		free(t->lines[i]);
	free(t->lines);
	scratch_remove(t->dir);
}

/* The first process of an answer. */
static json_t *process_of(json_t *answer)
{
	return json_array_get(json_object_get(answer, "processes"), 0);
}

/* The object of a kind with a handle: live unless @p gone. */
static json_t *object_of(json_t *answer, const char *kind, const char *handle, int gone)
{
	json_t *group, *object;
	size_t i, k;

	json_array_foreach(json_object_get(process_of(answer), "handles"), i, group)
	{
		if (strcmp(json_string_value(json_object_get(group, "kind")), kind))
			continue;
		json_array_foreach(json_object_get(group, "objects"), k, object)
		{
			const char *state = json_string_value(json_object_get(object, "state"));

			if (!strcmp(json_string_value(json_object_get(object, "handle")), handle) &&
			    (strcmp(state, "live") != 0) == gone)
				return object;
		}
	}
	return NULL;
}

/* Displacements of all bytes, in the order of the type map. */
static json_t *bytes_of(const json_t *object)
{
	json_t *ret = json_array(), *entry;
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

static unsigned compare(const char *line, const json_t *seen, const char *expected)
{
	json_t *e = json_loads(expected, JSON_DECODE_ANY, NULL);

	ck_assert_msg(e != NULL, "no JSON: %s", line);
	bool equal = seen && json_equal(seen, e);
	if (!equal) {
		char *text = seen ? json_dumps(seen, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

		fprintf(stderr, "%s\n    seen: %s\n", line, text ? text : "nothing");
		free(text);
	}
	json_decref(e);
	return !equal;
}

START_TEST(test_objects)
{
	struct teller t;
	struct mpidbg_run r;
	unsigned n_facts = 0, n_bytes = 0, n_bad = 0;

	start(_i, &t);
	mpidbg_run(&r, "handles", "--all", "--freed", "--json", "-p", t.pid_text, NULL);
	ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
	json_t *answer = mpidbg_run_json(&r);
	for (size_t i = 0; i < t.n; i++) {
		char word[16], kind[16], handle[32], key[32] = "";
		int rest = 0;
		const char *line = t.lines[i];

		if (sscanf(line, "gone %15s %31s", kind, handle) == 2) {
			/* MPI may have given the value away again: then there are two, one of them gone */
			n_facts++;
			n_bad += compare(line, json_object_get(object_of(answer, kind, handle, 1), "made_by"),
					 "\"MPI_Comm_dup\"");
		} else if (sscanf(line, "bytes %15s %31s %n", kind, handle, &rest) == 2 && rest) {
			json_t *bytes = bytes_of(object_of(answer, kind, handle, 0));

			n_bytes++;
			n_bad += compare(line, bytes, line + rest);
			json_decref(bytes);
		} else if (sscanf(line, "%15s %15s %31s %31s %n", word, kind, handle, key, &rest) == 4 &&
			   !strcmp(word, "fact")) {
			n_facts++;
			n_bad += compare(line, json_object_get(object_of(answer, kind, handle, 0), key), line + rest);
		}
	}
	ck_assert_uint_gt(n_facts, 150);
	ck_assert_uint_gt(n_bytes, 15);
	ck_assert_msg(!n_bad, "%u of %u facts differ, see above", n_bad, n_facts + n_bytes);
	json_decref(answer);
	mpidbg_run_free(&r);
	stop(&t);
}
END_TEST

/* Every way to name an object, and statuses. */
START_TEST(test_print)
{
	struct teller t;
	unsigned n = 0, n_bad = 0;

	start(_i, &t);
	for (size_t i = 0; i < t.n; i++) {
		char kind[16], at[40] = "@", handle[40], key[32], expected[64];
		int rest = 0;
		struct mpidbg_run r;
		const char *line = t.lines[i], *value = at;

		if (sscanf(line, "var %15s %38s %39s", kind, at + 1, handle) == 3) {
			snprintf(key, sizeof(key), "handle");
			snprintf(expected, sizeof(expected), "\"%s\"", handle);
		} else if (sscanf(line, "status %38s %31s %n", at + 1, key, &rest) == 2 && rest) {
			strcpy(kind, "status");
			snprintf(expected, sizeof(expected), "%s", line + rest);
			value = at + 1;
		} else {
			continue;
		}
		mpidbg_run(&r, "print", kind, value, "--json", "-p", t.pid_text, NULL);
		ck_assert_msg(r.exit_code == 0, "%s: exit %d: %s", line, r.exit_code, r.err);
		json_t *answer = mpidbg_run_json(&r);
		n_bad += compare(line, json_object_get(json_object_get(process_of(answer), "handle"), key), expected);
		n++;
		json_decref(answer);
		mpidbg_run_free(&r);
	}
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(n_bad, 0);

	static const char *const names[][2] = { { "comm", "MPI_COMM_SELF" },
						{ "datatype", "with holes" },
						{ "op", "MPI_SUM" },
						{ "errhandler", "MPI_ERRORS_RETURN" },
						{ "MPI_Comm", "MPI_COMM_WORLD" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct mpidbg_run r;

		mpidbg_run(&r, "print", names[i][0], names[i][1], "-p", t.pid_text, NULL);
		ck_assert_msg(r.exit_code == 0 && strstr(r.out, names[i][1]), "%s: exit %d: %s%s", names[i][1],
			      r.exit_code, r.out, r.err);
		mpidbg_run_free(&r);
	}
	stop(&t);
}
END_TEST

START_TEST(test_calls)
{
	struct teller t;
	unsigned n = 0, n_bad = 1;
	double end = job_now() + 20;

	start(_i, &t);
	/* rank 0 has said what it will do, and may not have got there yet */
	while (n_bad && job_now() < end) {
		struct mpidbg_run r;

		mpidbg_run(&r, "calls", "--json", "-p", t.pid_text, NULL);
		ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
		json_t *answer = mpidbg_run_json(&r);
		const json_t *call = json_array_get(json_object_get(process_of(answer), "calls"), 0);
		n = n_bad = 0;
		for (size_t i = 0; i < t.n; i++) {
			char key[32];
			int rest = 0;

			if (sscanf(t.lines[i], "call %31s %n", key, &rest) != 1 || !rest)
				continue;
			n++;
			n_bad += compare(t.lines[i], json_object_get(call, key), t.lines[i] + rest);
		}
		json_decref(answer);
		mpidbg_run_free(&r);
	}
	ck_assert_uint_eq(n, 7);
	ck_assert_uint_eq(n_bad, 0);
	stop(&t);
}
END_TEST

/* MPICH is not read itself: the tracker's communicators and queues stand in. */
START_TEST(test_queues)
{
	struct teller t;
	struct mpidbg_run r;

	start(1, &t);
	double end = job_now() + 20;
	for (;;) {
		mpidbg_run(&r, "queues", "-p", t.pid_text, NULL);
		ck_assert_msg(r.exit_code == 0, "exit %d: %s", r.exit_code, r.err);
		if (strstr(r.out, "blocked: thread") || job_now() > end)
			break;
		mpidbg_run_free(&r);
	}
	ck_assert_msg(strstr(r.out, "MPI_Irecv"), "%s", r.out);
	ck_assert_msg(strstr(r.out, "from 1     tag 77   8 bytes (2 MPI_INT)"), "%s", r.out);
	ck_assert_msg(strstr(r.out, "unexpected messages: unavailable"), "%s", r.out);
	mpidbg_run_free(&r);
	stop(&t);
}
END_TEST

START_TEST(test_usage)
{
	static const struct {
		const char *args[4];
		int exit_code;
		const char *words;
	} cases[] = {
		{ { "handles", "nonsense" }, 2, "there is no such kind of object" },
		{ { "print", "comm" }, 2, "of which object?" },
		{ { "print", "nonsense", "1" }, 2, "there is no such kind of object" },
		{ { "print", "comm", "0x1" }, 1, "no communicator is 0x1" },
		{ { "print", "comm", "@0x1" }, 3, "0x1: cannot be read" },
		{ { "print", "comm", "no such name" }, 1, "no communicator is" },
		{ { "print", "status", "name" }, 2, "address" },
		{ { "print", "status", "0x10" }, 3, "cannot be read" },
	};
	struct teller t;

	start(0, &t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const *a = cases[i].args;
		struct mpidbg_run r;

		mpidbg_run(&r, a[0], "-p", t.pid_text, a[1], a[2], NULL);
		ck_assert_msg(r.exit_code == cases[i].exit_code && strstr(r.err, cases[i].words),
			      "%s %s %s: exit %d: %s", a[0], a[1], a[2] ? a[2] : "", r.exit_code, r.err);
		mpidbg_run_free(&r);
	}
	stop(&t);
}
END_TEST

/* Without the in-target library there is one clear line. */
START_TEST(test_without)
{
	static const char *const commands[][3] = { { "handles", NULL }, { "calls", NULL }, { "print", "comm", "1" } };
	struct job job = { 0 };
	char pid[16];

	job_start("sends", NULL, 2, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.ranks[0].pid);
	for (size_t i = 0; i < 3; i++) {
		struct mpidbg_run r;

		mpidbg_run(&r, commands[i][0], "-p", pid, commands[i][1], commands[i][2], NULL);
		ck_assert_msg(r.exit_code == 1 && strstr(r.err, "mpi2dd-run"), "%s: exit %d: %s", commands[i][0],
			      r.exit_code, r.err);
		mpidbg_run_free(&r);
	}
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("handles");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_loop_test(tcase, test_objects, 0, N_MPIS);
	tcase_add_loop_test(tcase, test_print, 0, N_MPIS);
	tcase_add_loop_test(tcase, test_calls, 0, N_MPIS);
	tcase_add_test(tcase, test_queues);
	tcase_add_test(tcase, test_usage);
	tcase_add_test(tcase, test_without);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
