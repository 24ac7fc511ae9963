/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_truth.h"

#include "mpidbg_run.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What faulthandler says: lines 'File "x/hang.py", line 52 in receive'. */
static bool read_dump(const char *path, const char *file, struct python_stack *ret)
{
	char line[1024];
	FILE *f = fopen(path, "re");
	bool whole = false;

	ret->n = 0;
	while (f && fgets(line, sizeof(line), f) && ret->n < PYTHON_STACK_MAX) {
		int n;
		char name[128];
		const char *at = strstr(line, ", line ");
		if (strncmp(line, "Stack ", 6) == 0) { /* the last one counts */
			ret->n = 0;
			whole = false;
		}
		if (!at || sscanf(at, ", line %d in %127s", &n, name) != 2)
			continue;
		snprintf(ret->frame[ret->n++], PYTHON_FRAME_BYTES, "%s at %s:%d", name, file, n);
		whole |= strcmp(name, "<module>") == 0;
	}
	if (f)
		fclose(f);
	return whole;
}

enum { AGAIN_S = 5 };

/* Signals the first thread, which runs the program, repeatedly, because it may be unable to answer at first. */
void python_ask(pid_t pid, const char *path, const char *file, struct python_stack *ret)
{
	double now = job_now(), end = now + PYTHON_ASKED_S, next = now;
	bool whole = false;

	while (!whole && (now = job_now()) < end) {
		if (now >= next) {
			ck_assert_int_eq(syscall(SYS_tgkill, pid, pid, SIGUSR1), 0);
			next = now + AGAIN_S;
		}
		job_nap();
		whole = read_dump(path, file, ret);
	}
	ck_assert(whole);
}

void python_ask_rank(const struct job *job, int rank, struct python_stack *ret)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/stack.%d", job->dir, rank);
	python_ask(job->ranks[rank].pid, path, "hang.py", ret);
}

bool python_is_same(const char *ours, const char *truth)
{
	const char *at = strstr(ours, " at "), *at_truth = strstr(truth, " at ");
	size_t n = (size_t)(at - ours), n_truth = (size_t)(at_truth - truth);

	if (strcmp(at, at_truth) != 0)
		return false;
	if (memchr(truth, '\\', n_truth))
		return true;
	return n >= n_truth && strncmp(at - n_truth, truth, n_truth) == 0 &&
	       (n == n_truth || at[-(long)n_truth - 1] == '.');
}

bool python_has_qualified_names(void)
{
	return system("/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'") == 0;
}

void python_wait_for(const struct job *job, const char *result, const char *place)
{
	char pid[32], said[1024] = "";
	double end = job_now() + PYTHON_ASKED_S;
	bool right = false;

	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	while (!right && job_now() < end) {
		struct mpidbg_run run;
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		snprintf(said, sizeof(said), "%s", run.out);
		right = run.exit_code == 4 && strstr(run.out, result) && strstr(run.out, place);
		mpidbg_run_free(&run);
	}
	ck_assert_msg(right, "%s", said);
}
