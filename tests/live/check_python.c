/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Python functions of programs that use mpi4py (tests/programs/python/hang.py), live and in cores. The truth is what
 * the program's own faulthandler says at the same stop.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/python_truth.h"
#include "../support/scratch.h"
#include "../support/suite.h"
#include "../support/process.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The same, read from outside: the frames of the thread that has any. */
static void read_stack(const json_t *snapshot, int rank, struct python_stack *ret)
{
	const json_t *process = json_array_get(json_object_get(snapshot, "processes"), (size_t)rank), *thread, *frame;
	size_t i, k;

	ret->n = 0;
	json_array_foreach(json_object_get(process, "calls"), i, thread)
	{
		json_array_foreach(json_object_get(thread, "backtrace"), k, frame)
		{
			const char *text = json_string_value(frame);
			if (strstr(text, " at hang.py:") && ret->n < PYTHON_STACK_MAX)
				snprintf(ret->frame[ret->n++], PYTHON_FRAME_BYTES, "%s", text);
		}
	}
}

static void compare(const json_t *snapshot, int rank, const struct python_stack *truth)
{
	struct python_stack ours;

	read_stack(snapshot, rank, &ours);
	ck_assert_msg(ours.n == truth->n, "rank %d: %d frames, not %d", rank, ours.n, truth->n);
	for (int i = 0; i < ours.n; i++)
		ck_assert_msg(python_is_same(ours.frame[i], truth->frame[i]), "rank %d: %s, not %s", rank,
			      ours.frame[i], truth->frame[i]);
}

static json_t *snapshot_of(const char *option, const char *what)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "snapshot", option, what, NULL);
	json_t *ret = mpidbg_run_json(&run);
	mpidbg_run_free(&run);
	return ret;
}

/* The page shows the name of the program, not of the interpreter. */
static void check_title(const struct job *job, const char *title)
{
	char path[600], page[4096];
	struct mpidbg_run run;

	snprintf(path, sizeof(path), "%s/page.html", job->dir);
	mpidbg_run(&run, "report", "--cores", job->dir, "-o", path, NULL);
	mpidbg_run_free(&run);
	FILE *f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	ck_assert_msg(strstr(page, title) != NULL, "%s", page);
}

START_TEST(test_wrong_tag)
{
	struct python_stack truth[2];
	struct job job;
	char pid[32];

	job_start("/usr/bin/python3 tests/programs/python/hang.py wrong_tag", NULL, 2, 0, &job);
	python_wait_for(
		&job,
		"mismatch: rank 0 waits for a message from rank 1, tag 8 on MPI_COMM_WORLD; rank 1 has sent one with "
		"tag 7",
		python_has_qualified_names() ? " in Grid.receive\n" : " in receive\n");
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	json_t *live = snapshot_of("--job", pid);
	for (int r = 0; r < 2; r++) {
		python_ask_rank(&job, r, &truth[r]);
		ck_assert_int_ge(truth[r].n, 5); /* since 3.12 a list comprehension is no function */
		compare(live, r, &truth[r]);
	}
	json_decref(live);
	job_cores(&job);
	job_stop(&job);
	json_t *cores = snapshot_of("--cores", job.dir);
	for (int r = 0; r < 2; r++)
		compare(cores, r, &truth[r]);
	json_decref(cores);
	check_title(&job, "<title>hang.py, 2 ranks: mismatch</title>");
	job_end(&job);
}
END_TEST

START_TEST(test_collective)
{
	struct python_stack truth, ours;
	struct job job;
	char pid[32], place[PYTHON_FRAME_BYTES];

	job_start("/usr/bin/python3 tests/programs/python/hang.py collective", NULL, 3, 0, &job);
	python_wait_for(&job, "missing rank: look at rank 2, hang.py:", " in read_block");
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	json_t *live = snapshot_of("--job", pid);
	python_ask_rank(&job, 2, &truth);
	compare(live, 2, &truth);
	read_stack(live, 2, &ours);
	snprintf(place, sizeof(place), "look at rank 2, %s", strstr(truth.frame[0], "hang.py:"));
	json_decref(live);
	python_wait_for(&job, place, "at hang.py:");
	job_end(&job);
}
END_TEST

/* ---- versions ----------------------------------------------------------------------------------------- */

/* Those that are in PATH are tried; the one of the system always is. */
static const char *const interpreters[] = {
	"/usr/bin/python3", "python3.8",  "python3.9",  "python3.10",  "python3.11",
	"python3.12",       "python3.13", "python3.14", "python3.13t", "python3.14t"
};

static bool is_installed(const char *name)
{
	struct mpidbg_run run;

	mpidbg_run_program(&run, (char **)(const char *[]){ name, "-c", "import faulthandler", NULL });
	bool ret = run.exit_code == 0;
	mpidbg_run_free(&run);
	return ret;
}

static pid_t start_nested(const char *name, const char *file)
{
	double end = job_now() + PYTHON_ASKED_S;
	int ends[2];
	char ready[6];

	ck_assert_int_eq(pipe(ends), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], 1);
		execlp(name, name, "tests/programs/python/nested.py", file, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	ck_assert_int_gt(read(ends[0], ready, sizeof(ready)), 0);
	close(ends[0]);
	/* it sleeps when it has come to the end of its way */
	while (process_state(pid) != 'S' && job_now() < end)
		job_nap();
	return pid;
}

/* What `queues --json` says of a process that is no MPI's: its threads all the same. */
static json_t *first_thread_of(pid_t pid)
{
	struct mpidbg_run run;
	char number[32];

	snprintf(number, sizeof(number), "%d", (int)pid);
	mpidbg_run(&run, "queues", "--json", "-p", number, NULL);
	json_t *answer = mpidbg_run_json(&run);
	mpidbg_run_free(&run);
	json_t *process = json_array_get(json_object_get(answer, "processes"), 0);
	ck_assert_ptr_null(json_object_get(process, "python_why"));
	ck_assert_uint_eq(json_array_size(json_object_get(process, "calls")), 1);
	json_t *ret = json_incref(json_array_get(json_object_get(process, "calls"), 0));
	json_decref(answer);
	return ret;
}

/* The frames as facts: the words of the backtrace are made of them. */
static void compare_facts(const json_t *thread, const struct python_stack *ours)
{
	const json_t *frame;
	size_t i;

	ck_assert_uint_eq(json_array_size(json_object_get(thread, "python")), (size_t)ours->n);
	json_array_foreach(json_object_get(thread, "python"), i, frame)
	{
		const char *file = json_string_value(json_object_get(frame, "file")), *slash = strrchr(file, '/');
		char text[PYTHON_FRAME_BYTES];

		snprintf(text, sizeof(text), "%s at %s:%d", json_string_value(json_object_get(frame, "function")),
			 slash ? slash + 1 : file, (int)json_integer_value(json_object_get(frame, "line")));
		ck_assert_str_eq(text, ours->frame[i]);
		ck_assert_ptr_nonnull(strstr(file, "tests/programs/python/nested.py"));
	}
}

/*
 * Has the compiler moved most of the evaluation loop out of its function? The moved part has no symbol in a stripped
 * interpreter (Debian's python3.14, GCC 16), so the function is not in stacks.
 */
static bool is_loop_moved(const char *name)
{
	enum { WHOLE_BYTES = 4096 }; /* of a loop in one part: 50 KiB and more */
	char command[256];
	unsigned bytes = 0;

	snprintf(command, sizeof(command),
		 "nm -D -S \"$(command -v %s)\" 2>/dev/null | awk '$4 == \"_PyEval_EvalFrameDefault\" { print $2 }'",
		 name);
	FILE *f = popen(command, "r");
	bool found = f && fscanf(f, "%x", &bytes) == 1;

	if (f)
		pclose(f);
	return found && bytes < WHOLE_BYTES;
}

/*
 * Functions of Python between functions of C: each stands above the loop that runs it. Without the loop all are in one
 * place, above the function that started Python.
 */
START_TEST(test_version)
{
	char dir[SCRATCH_MAX], file[SCRATCH_MAX + 16];
	struct python_stack truth, ours = { .n = 0 };
	const json_t *line;
	size_t i, n_loops = 0, last = 0;

	if (!is_installed(interpreters[_i]))
		return;
	scratch_make(dir, "python");
	snprintf(file, sizeof(file), "%s/stack", dir);
	pid_t pid = start_nested(interpreters[_i], file);
	python_ask(pid, file, "nested.py", &truth);
	ck_assert_int_eq(truth.n, 6);
	json_t *thread = first_thread_of(pid);
	json_array_foreach(json_object_get(thread, "backtrace"), i, line)
	{
		const char *text = json_string_value(line);
		if (strstr(text, " at nested.py:") && ours.n < PYTHON_STACK_MAX) {
			snprintf(ours.frame[ours.n++], PYTHON_FRAME_BYTES, "%s", text);
			last = i;
		}
		if (strncmp(text, "_PyEval_EvalFrameDefault", 24) == 0) {
			/* sorted(), list() and reduce() are C functions: a callback runs in an activation of the loop
			 * of its own */
			n_loops++;
			if (n_loops == 1)
				ck_assert_msg(ours.n == 1 || ours.n == 2, "%s: %d functions", interpreters[_i], ours.n);
		}
	}
	ck_assert_msg(ours.n == truth.n, "%s: %d frames, not %d", interpreters[_i], ours.n, truth.n);
	for (int k = 0; k < ours.n; k++)
		ck_assert_msg(python_is_same(ours.frame[k], truth.frame[k]), "%s: %s, not %s", interpreters[_i],
			      ours.frame[k], truth.frame[k]);
	if (is_loop_moved(interpreters[_i])) {
		const json_t *next = json_array_get(json_object_get(thread, "backtrace"), last + 1);
		ck_assert_uint_eq(n_loops, 0);
		ck_assert_int_eq(strncmp(json_string_value(next), "PyEval_EvalCode", 15), 0);
	} else {
		ck_assert_uint_ge(n_loops, 4);
	}
	compare_facts(thread, &ours);
	json_decref(thread);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	scratch_remove(dir);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("python");
	TCase *tc = tcase_create("mpi4py");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_test(tc, test_wrong_tag);
	tcase_add_test(tc, test_collective);
	tcase_add_loop_test(tc, test_version, 0, (int)(sizeof(interpreters) / sizeof(interpreters[0])));
	suite_add_tcase(s, tc);
	return suite_run(s);
}
