/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg stacks: stacks of a snapshot merged to one tree, and its forms. */
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[SCRATCH_MAX];
static struct mpidbg_run run;

static void setup(void)
{
	memset(&run, 0, sizeof(run));
	fclose(fdopen(scratch_file(path, "snapshot"), "w"));
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	remove(path);
}

/* One thread of a rank, outermost frame last. */
struct thread {
	int rank;
	const char *function; /* NULL: in no MPI function */
	const char *frames[10];
	bool python;
};

static void write_snapshot(const struct thread *threads, size_t n, int n_ranks)
{
	json_t *snapshot = json_pack("{s:s, s:s, s:i, s:s, s:{s:i}, s:[]}", "schema", "mpidbg-snapshot/1", "command",
				     "snapshot", "time", 1763712000, "host", "node1", "job", "size", n_ranks,
				     "processes");

	for (int r = 0; r < n_ranks; r++) {
		json_t *calls = json_array();

		for (size_t i = 0; i < n; i++) {
			const struct thread *t = &threads[i];
			if (t->rank != r)
				continue;
			json_t *frames = json_array();
			for (size_t k = 0; k < sizeof(t->frames) / sizeof(t->frames[0]) && t->frames[k]; k++)
				json_array_append_new(frames, json_string(t->frames[k]));
			json_t *call = json_pack("{s:i, s:s?, s:o}", "thread", 1000 + (int)i, "function", t->function,
						 "backtrace", frames);
			if (t->python)
				json_object_set_new(
					call, "python",
					json_pack("[{s:s, s:s, s:i}]", "function", "step", "file", "/a.py", "line", 3));
			json_array_append_new(calls, call);
		}
		json_array_append_new(
			json_object_get(snapshot, "processes"),
			json_pack("{s:i, s:i, s:s, s:o}", "rank", r, "pid", 100 + r, "host", "node1", "calls", calls));
	}
	ck_assert_int_eq(json_dump_file(snapshot, path, 0), 0);
	json_decref(snapshot);
}

static void ask(const char *option)
{
	mpidbg_run_free(&run);
	mpidbg_run(&run, "stacks", "--snapshot", path, option, NULL);
}

static void is(const char *expected)
{
	ck_assert_msg(strcmp(run.out, expected) == 0, "%s%s", run.out, run.err);
}

#define OUTER "main at app.c:9", "__libc_start_call_main", "__libc_start_main", "_start"

static const struct thread job[] = {
	{ 0, "MPI_Allreduce", { "poll", "opal_progress", "PMPI_Allreduce", "solve at solve.c:71", OUTER }, false },
	{ 1, "MPI_Allreduce", { "ompi_x", "MPI_Allreduce", "solve at solve.c:74", OUTER }, false },
	{ 2, "MPI_Allreduce", { "pmpi_allreduce_", "mpi_allreduce_", "solve at solve.c:71", OUTER }, false },
	{ 3, NULL, { "read", "read_restart at io.c:88", OUTER }, false },
	/* a thread of the program, and one of a library */
	{ 3,
	  NULL,
	  { "kernel at omp.c:5", "?? in libgomp.so.1", "?? in libgomp.so.1", "start_thread", "clone3" },
	  false },
	{ 3, NULL, { "epoll_wait", "event_base_loop", "start_thread", "clone3" }, false },
};

enum { N_JOB = sizeof(job) / sizeof(job[0]) };

START_TEST(test_text)
{
	write_snapshot(job, N_JOB, 5);
	ask(NULL);
	is("ranks [0-3] (4 ranks, 5 threads)\n"
	   "  rank 3\n"
	   "    ?? in libgomp.so.1\n"
	   "    kernel at omp.c:5\n"
	   "  ranks [0-3] (4 ranks)\n"
	   "    main at app.c:9\n"
	   "    rank 3\n"
	   "      read_restart at io.c:88\n"
	   "      read\n"
	   "    ranks [0-2] (3 ranks)\n"
	   "      solve at solve.c:71,74\n"
	   "      MPI_Allreduce\n"
	   "1 thread that libraries have created: not shown without --all\n"
	   "rank 4: no stack\n");
	ck_assert_int_eq(run.exit_code, 3);
	ask("--all");
	ck_assert_ptr_nonnull(strstr(run.out, "    event_base_loop\n    epoll_wait\n"));
}
END_TEST

START_TEST(test_folded)
{
	write_snapshot(job, N_JOB, 4);
	ask("--folded");
	is("main;solve;MPI_Allreduce 3\n"
	   "main;read_restart;read 1\n"
	   "?? in libgomp.so.1;kernel 1\n");
	ck_assert_int_eq(run.exit_code, 0);
}
END_TEST

START_TEST(test_dot)
{
	static const struct thread odd[] = { { 0, NULL, { "f(\"x\", \\y)\x1b[31m;z at a.c:1", OUTER }, false } };

	write_snapshot(odd, 1, 1);
	ask("--dot");
	ck_assert_msg(strstr(run.out, "[label=\"f(\\\"x\\\", \\\\\\\\y)\\\\x1b[31m;z at a.c:1\\nrank 0\"];") ||
			      strstr(run.out, "[label=\"f(\\\"x\\\", \\\\y)\\\\x1b[31m;z at a.c:1\\nrank 0\"];"),
		      "%s", run.out);
	ck_assert_ptr_nonnull(strstr(run.out, "\tf1 -> f2;\n"));
	ask("--folded");
	is("main;f(\"x\", \\y)\\x1b[31m:z 1\n");
}
END_TEST

START_TEST(test_json)
{
	write_snapshot(job, N_JOB, 4);
	ask("--json");
	json_t *answer = mpidbg_run_json(&run), *tree = json_object_get(answer, "tree");
	json_t *in_main = json_array_get(json_object_get(tree, "callees"), 1);
	json_t *solve = json_array_get(json_object_get(in_main, "callees"), 1);
	ck_assert_str_eq(json_string_value(json_object_get(solve, "function")), "solve");
	ck_assert_str_eq(json_string_value(json_object_get(solve, "file")), "solve.c");
	ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(solve, "lines"), 1)), 74);
	ck_assert_int_eq(json_integer_value(json_object_get(solve, "n_ranks")), 3);
	ck_assert_uint_eq(json_array_size(json_object_get(solve, "ranks")), 3);
	ck_assert(json_is_true(json_object_get(json_array_get(json_object_get(solve, "callees"), 0), "mpi")));
	json_decref(answer);
}
END_TEST

START_TEST(test_python)
{
	static const struct thread odd[] = {
		{ 0,
		  "MPI_Recv",
		  { "MPI_Recv", "__pyx_pw_recv", "cfunction_call", "step at a.py:3", "_PyEval_EvalFrameDefault",
		    "<module> at a.py:9", "PyEval_EvalCode", "main", "_start" },
		  true },
		{ 1,
		  NULL,
		  { "my_kernel", "PyObject_Call", "step at a.py:3", "_PyEval_EvalFrameDefault", "main" },
		  true }
	};

	write_snapshot(odd, 2, 2);
	ask("--folded");
	is("main;<module>;step;MPI_Recv 1\n"
	   "main;step;my_kernel 1\n");
}
END_TEST

/* The depth is limited: a file may have any. */
START_TEST(test_deep)
{
	json_t *snapshot, *frames;

	write_snapshot(job, N_JOB, 1);
	snapshot = json_load_file(path, 0, NULL);
	json_t *process = json_array_get(json_object_get(snapshot, "processes"), 0);
	frames = json_object_get(json_array_get(json_object_get(process, "calls"), 0), "backtrace");
	for (int i = 0; i < 100000; i++)
		json_array_append_new(frames, json_sprintf("f%d at a.c:1", i));
	ck_assert_int_eq(json_dump_file(snapshot, path, 0), 0);
	json_decref(snapshot);
	ask(NULL);
	ck_assert_int_eq(run.exit_code, 0);
}
END_TEST

START_TEST(test_nothing)
{
	write_snapshot(NULL, 0, 2);
	ask(NULL);
	is("ranks [0-1]: no stack\n");
	ck_assert_int_eq(run.exit_code, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stacks");
	TCase *tc = tcase_create("snapshots");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_text);
	tcase_add_test(tc, test_folded);
	tcase_add_test(tc, test_dot);
	tcase_add_test(tc, test_json);
	tcase_add_test(tc, test_python);
	tcase_add_test(tc, test_deep);
	tcase_add_test(tc, test_nothing);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
