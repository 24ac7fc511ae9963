/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mpidbg deadlock says about threads that wait outside MPI: the cases of tests/programs/waits.c, whose expected
 * texts are in waits.def. Each runs under one MPI; make check-all runs it under both, and from cores.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct wait_case {
	const char *name;
	int n, exit;
	const char *phrase;
} cases[] = {
#define WAIT(name, n, exit, phrase) { #name, n, exit, phrase },
#include "../programs/waits.def"
};
enum { N_CASES = sizeof(cases) / sizeof(cases[0]), ASKED_S = 150 };

/* What is asked of cores: also without CHECK_ALL; with exit status
 * 4 (MPICH does not know what is in flight); with another text. */
static const struct of_core {
	const char *name;
	bool always, for_ever, mpich_too;
	const char *phrase; /* NULL: the same. Whether a thread runs is not in a core */
} of_cores[] = {
	{ "mutex_self", false, true, false, NULL },
	{ "mutexes_crossed", true, true, false, NULL },
	{ "join_mutex", false, true, false, NULL },
	{ "locked_all", true, true, true, NULL },
	{ "mutex_mpi", true, true, false, NULL },
	{ "rwlock_writer", true, false, false, NULL },
	{ "openmp_barrier_mpi", true, false, false, NULL },
	{ "mutex_held_computes", false, false, false,
	  ", waits for the mutex io_lock, held by another thread, at waits.c:" },
	{ "condition_computes", true, false, false, ", waits for the condition variable work" },
	{ "join_computes", false, false, false, ", waits for another thread to end, at waits.c:" },
};

static const struct of_core *of_core(const struct wait_case *c)
{
	static const struct of_core none = { .name = "" };

	for (size_t i = 0; i < sizeof(of_cores) / sizeof(of_cores[0]); i++)
		if (strcmp(c->name, of_cores[i].name) == 0)
			return &of_cores[i];
	return &none;
}

/* Descriptors, children and signals are not in cores, nor whether a thread runs. */
static bool is_outside(const struct wait_case *c)
{
	static const char *const names[] = { "fd_",          "child",       "beside_pipe",
					     "signal_",      "semaphore_s", "locked_rank_computes",
					     "locked_alone", "rank_pipe",   "mutexes_for_ever",
					     "mutex_many" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(c->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Who has a pipe is known completely to root only. */
static bool needs_root(const struct wait_case *c)
{
	static const char *const names[] = { "fd_pipe_", "child_", "rank_pipe" };

	for (size_t i = 0; c->exit == 4 && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(c->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* What must be said of a child, too: where it is itself. */
static const char *of_child(const struct wait_case *c)
{
	static const struct {
		const char *name, *phrase;
	} children[] = {
		{ "child_waits", " in read_one, waits for data from a pipe, at the other end its rank, " },
		{ "child_sleeps", "its child: process " },
		{ "child_static", " (child_static) at pause.c:" },
		{ "fd_pipe_child", "its child: process " },
	};

	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		if (strcmp(c->name, children[i].name) == 0)
			return children[i].phrase;
	return "";
}

/* The rank announces its state shortly before it is in it, so the command is repeated until it says what it should. */
static void ask(const struct wait_case *c, const char *pid)
{
	struct mpidbg_run run;
	double until = job_now() + ASKED_S;
	bool right;

	do {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		right = strstr(run.out, c->phrase) && strstr(run.out, of_child(c)) && run.exit_code == c->exit;
		ck_assert_msg(right || job_now() < until, "%s: exit code %d: %s%s", c->name, run.exit_code, run.out,
			      run.err);
		ck_assert_msg(c->exit == 4 || run.exit_code != 4, "%s: %s%s", c->name, run.out, run.err);
		mpidbg_run_free(&run);
	} while (!right);
}

static void ask_cores(const struct wait_case *c, const char *dir, bool mpich)
{
	const struct of_core *core = of_core(c);
	struct mpidbg_run run;

	mpidbg_run(&run, "deadlock", "--cores", dir, NULL);
	ck_assert_msg(strstr(run.out, core->phrase ? core->phrase : c->phrase), "%s: %s%s", c->name, run.out, run.err);
	ck_assert_msg(c->exit == 4 || run.exit_code != 4, "%s: %s%s", c->name, run.out, run.err);
	if (core->for_ever)
		ck_assert_msg(run.exit_code == (mpich && !core->mpich_too ? 0 : 4), "%s: exit code %d: %s%s", c->name,
			      run.exit_code, run.out, run.err);
	mpidbg_run_free(&run);
}

/* How much processor time, and where before. */
static void check_computes(const char *pid)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "explain", "1", "--job", pid, NULL);
	ck_assert_msg(strstr(run.out, " between the two moments, ") && strstr(run.out, " % of a processor; ") &&
			      (strstr(run.out, "; at the same place both times") ||
			       strstr(run.out, "; before in compute at ")),
		      "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
}

/* A guessed caller, an address without code, is no place. */
static void check_not_unwound(const char *pid)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "explain", "2", "--job", pid, NULL);
	ck_assert_msg(strstr(run.out, "in no MPI function, in lock_without_unwinding\n") &&
			      !strstr(run.out, "?? at 0x"),
		      "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
}

START_TEST(test_waits)
{
	const struct wait_case *c = &cases[_i / 2];
	bool mpich = _i % 2, all = suite_stride(2) == 1;
	char command[64], pid[32];
	struct job job;

	snprintf(command, sizeof(command), "waits %s", c->name);
	if (mpich)
		job_start_mpich(command, c->n, &job);
	else
		job_start(command, NULL, c->n, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	ask(c, pid);
	if (strcmp(c->name, "condition_computes") == 0)
		check_computes(pid);
#ifdef __x86_64__
	if (strcmp(c->name, "mutex_not_unwound") == 0)
		check_not_unwound(pid);
#endif
	if ((all || of_core(c)->always) && !is_outside(c)) {
		job_cores(&job);
		job_stop(&job);
		ask_cores(c, job.dir, mpich);
	}
	job_end(&job);
}
END_TEST

static void check_explained(const char *pid, const char *of_rank)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "explain", "2", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "rank 2: process ") &&
			      strstr(run.out, "  waits for the mutex io_lock, held by another thread, which waits for "
					      "the mutex pool_lock, held by this thread\n  its holder is thread ") &&
			      strstr(run.out, "  waits for the mutex pool_lock, held by its main thread, which waits "
					      "for the mutex io_lock, held by this thread\n") &&
			      strstr(run.out, " lock_both at waits.c:") &&
			      strstr(run.out, "missing rank: look at rank 2"),
		      "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "0", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "): MPI_Barrier on MPI_COMM_WORLD, at waits.c:"), "%s%s",
		      run.out, run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "2", "--json", "--job", pid, NULL);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *thread, *threads = json_object_get(json_object_get(answer, "process"), "threads");
	size_t i, n_held = 0;
	json_array_foreach(threads, i, thread)
	{
		const char *holder = json_string_value(json_object_get(json_object_get(thread, "waits_for"), "holder"));
		n_held += holder && strcmp(holder, "thread") == 0;
	}
	ck_assert_uint_eq(n_held, 2);
	ck_assert(json_is_object(json_object_get(answer, "verdict")));
	json_decref(answer);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "-p", of_rank, NULL);
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "rank 2: process ") &&
			      strstr(run.out, "  waits for the mutex io_lock, held by another thread"),
		      "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "2", "-p", of_rank, NULL);
	ck_assert_int_eq(run.exit_code, 2);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "-p", pid, NULL);
	ck_assert_msg(run.exit_code == 1 && strstr(run.err, " is no rank of its job"), "%s", run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "7", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 1 && strstr(run.err, "the job has no rank 7"), "%s", run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "all", "--job", pid, NULL);
	ck_assert_int_eq(run.exit_code, 2);
	mpidbg_run_free(&run);
}

/* The line of the mutex, from a file that is there, or has moved and changed since. */
static void check_source(const char *option, const char *value)
{
	static const char line[] = " | pthread_mutex_lock(&io_lock);",
			  changed[] = "  (the file is newer than the program)\n";
	char dir[SCRATCH_MAX], command[3 * SCRATCH_MAX];
	struct mpidbg_run run;

	mpidbg_run(&run, "deadlock", option, value, "--source-dir", ".", NULL);
	ck_assert_msg(strstr(run.out, line) && strstr(run.out, " | MPI_Barrier(MPI_COMM_WORLD);\n"), "%s%s", run.out,
		      run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "explain", "2", option, value, "--source-dir", "tests/programs", NULL);
	ck_assert_msg(strstr(run.out, line), "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "report", option, value, "--source-dir", "tests", NULL);
	ck_assert_msg(strstr(run.out, "<summary><code>pthread_mutex_lock(&amp;io_lock);</code></summary>"), "%s%s",
		      run.out, run.err);
	mpidbg_run_free(&run);

	scratch_make(dir, "moved");
	snprintf(command, sizeof(command), "cp tests/programs/waits.c %s && touch -d tomorrow %s/waits.c", dir, dir);
	ck_assert_int_eq(system(command), 0);
	mpidbg_run(&run, "deadlock", option, value, "--source-dir", dir, NULL);
	const char *at = strstr(run.out, line);
	ck_assert_msg(at && !strncmp(at + strlen(line), changed, strlen(changed)), "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", option, value, "--source-dir", dir, "--json", NULL);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *group, *groups = json_object_get(json_object_get(answer, "verdict"), "groups");
	size_t i, n_newer = 0;
	json_array_foreach(groups, i, group)
	{
		const json_t *source = json_object_get(group, "source");
		const char *path = json_string_value(json_object_get(source, "path"));
		n_newer += path && !strncmp(path, dir, strlen(dir)) &&
			   json_is_true(json_object_get(source, "newer_than_program"));
	}
	ck_assert_uint_eq(n_newer, 2);
	json_decref(answer);
	mpidbg_run_free(&run);
	scratch_remove(dir);
	mpidbg_run(&run, "deadlock", option, value, "--source-dir", dir, NULL);
	ck_assert_int_eq(run.exit_code, 2);
	mpidbg_run_free(&run);
}

/* mpidbg queues, calls and explain say it, too, in text and as JSON. */
START_TEST(test_queues)
{
	static const char *const commands[] = { "queues", "calls" };
	const struct wait_case c = { "mutexes_crossed", 3, 4, "which waits for the mutex pool_lock" };
	struct mpidbg_run run;
	struct job job;
	char pid[32], of_rank[32];

	job_start("waits mutexes_crossed", NULL, c.n, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	ask(&c, pid);
	check_source("--job", pid);
	snprintf(of_rank, sizeof(of_rank), "%d", (int)job.ranks[2].pid);
	check_explained(pid, of_rank);
	for (int i = 0; i < 4; i++) {
		mpidbg_run(&run, commands[i / 2], "-p", of_rank, i % 2 ? "--json" : NULL, NULL);
		ck_assert_msg(strstr(run.out, "waits for the mutex io_lock, held by thread ") &&
				      strstr(run.out, "waits for the mutex pool_lock, held by the main thread"),
			      "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	}
	job_cores(&job);
	job_stop(&job);
	check_source("--cores", job.dir);
	job_end(&job);
}
END_TEST

/* Ask about a job of another program than waits. @param leave called for each rank before it is ended;
 * NULL: nothing is */
static void start_and_ask(const char *program, const struct wait_case *c, void (*leave)(pid_t))
{
	char command[128], pid[32];
	struct job job;

	snprintf(command, sizeof(command), "%s %s", program, c->name);
	job_start(command, NULL, c->n, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	ask(c, pid);
	for (size_t i = 0; leave && i < job.n_ranks; i++)
		leave(job.ranks[i].pid);
	job_end(&job);
}

/* In Python: locks of its threads, pools of processes that are forked after MPI_Init. */
static const struct wait_case python_cases[] = {
	{ "take_twice", 3, 4, ", waits for a lock of Python" },
	{ "get", 3, 4, ", waits for a lock of Python in Queue.get" },
	{ "child", 3, 0, " (python3) at waits.py:63 in sleep_in_child, sleeping\n" },
	{ "pool_lock", 3, 0, " (python3) at waits.py:79 in take_inherited, waits for a lock of Python\n" },
	{ "pool_pipe", 3, 0, " (python3) at waits.py:84 in read_own_pipe, waits for data from a pipe" },
	{ "futures_lock", 3, 0, " (python3) at waits.py:79 in take_inherited, waits for a lock of Python\n" },
	{ "global_lock", 3, 0, "Python's global lock, held by its main thread, at waits.py:46 in global_lock" },
	{ "switched_lock", 3, 0, "Python's global lock, held by its main thread, at waits.py:59 in switched_lock" },
};
enum { N_PYTHON = sizeof(python_cases) / sizeof(python_cases[0]) };

START_TEST(test_python)
{
	start_and_ask("/usr/bin/python3 tests/programs/python/waits.py", &python_cases[_i], NULL);
}
END_TEST

/* With the OpenMP of LLVM. The critical section is waited for by spinning. */
static const struct wait_case llvm_cases[] = {
	{ "openmp_barrier", 3, 4, "waits for an OpenMP barrier, to which 1 thread has not come, at waits.c:" },
	{ "openmp_critical", 3, 0, "waits for an OpenMP critical section" },
	{ "openmp_region", 3, 4, "waits for the end of an OpenMP region, to which 1 thread has not come, at waits.c:" },
};
enum { N_LLVM = sizeof(llvm_cases) / sizeof(llvm_cases[0]) };

/* LLVM's runtime has a file in shared memory, which stays when the process is killed. */
static void remove_registration(pid_t pid)
{
	char path[96];

	snprintf(path, sizeof(path), "/dev/shm/__KMP_REGISTERED_LIB_%d_%d", (int)pid, (int)getuid());
	unlink(path);
}

START_TEST(test_llvm)
{
	start_and_ask("waits_llvm", &llvm_cases[_i], remove_registration);
}
END_TEST

/* C++: tasks of oneTBB, and futures. Places are in the program, not in the headers. */
static const struct wait_case tbb_cases[] = {
	{ "tbb_receives", 3, 4, "waits for tasks of TBB (main at waits.cc:" },
	{ "tbb_computes", 3, 0, "missing rank: look at rank 0, waits.cc:" },
	{ "future_receives", 3, 4,
	  "waits for the result of another thread (std::future) (wait_for_promise at waits.cc:" },
	{ "future_computes", 3, 0, "missing rank: look at rank 0, waits.cc:" },
};
enum { N_TBB = sizeof(tbb_cases) / sizeof(tbb_cases[0]) };

START_TEST(test_tbb)
{
	start_and_ask("waits_tbb", &tbb_cases[_i], NULL);
}
END_TEST

static bool is_built(const char *program)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/programs/%s", getenv("MPIDBG_BUILD"), program);
	return access(path, X_OK) == 0;
}

int main(void)
{
	job_require();
	Suite *s = suite_create("waits");
	TCase *tc = tcase_create("waits");
	bool all = suite_stride(2) == 1;

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	for (int i = 0; i < 2 * N_CASES; i++) {
		bool mpich = i % 2;
		if ((all || mpich == (i / 2) % 2) && !(mpich && !job_mpich_is_read()) &&
		    (geteuid() == 0 || !needs_root(&cases[i / 2])) &&
		    (strcmp(cases[i / 2].name, "child_musl") != 0 || is_built("child_musl")))
			tcase_add_loop_test(tc, test_waits, i, i + 1);
	}
	TCase *queues = tcase_create("queues");
	tcase_set_timeout(queues, LIVE_TIMEOUT_S);
	tcase_add_test(queues, test_queues);
	suite_add_tcase(s, tc);
	suite_add_tcase(s, queues);
	TCase *python = tcase_create("python");
	tcase_set_timeout(python, LIVE_TIMEOUT_S);
	tcase_add_loop_test(python, test_python, 0, N_PYTHON);
	suite_add_tcase(s, python);
	TCase *llvm = tcase_create("llvm");
	tcase_set_timeout(llvm, LIVE_TIMEOUT_S);
	tcase_add_loop_test(llvm, test_llvm, 0, is_built("waits_llvm") ? N_LLVM : 0);
	suite_add_tcase(s, llvm);
	TCase *tbb = tcase_create("tbb");
	tcase_set_timeout(tbb, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tbb, test_tbb, 0, is_built("waits_tbb") ? N_TBB : 0);
	suite_add_tcase(s, tbb);
	return suite_run(s);
}
