/* SPDX-License-Identifier: BSD-3-Clause */
#include "gdb_session.h"

#include "job.h"
#include "process.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLLED_TICKS = 5, ASLEEP_NAPS = 25 };

static void run_launcher(const struct gdb_hang *h, const char *flavour, bool tracked)
{
	char starter[PATH_MAX], launcher[32], n[16], log[300];
	const char *argv[12];
	int k = 0;

	snprintf(starter, sizeof(starter), "%s/mpi2dd-run", getenv("MPIDBG_BUILD"));
	snprintf(launcher, sizeof(launcher), "mpirun.%s", flavour);
	snprintf(n, sizeof(n), "%d", h->n);
	snprintf(log, sizeof(log), "%s/log", h->dir);
	if (tracked)
		argv[k++] = starter;
	argv[k++] = launcher;
	if (!strcmp(flavour, "openmpi"))
		argv[k++] = "--oversubscribe";
	argv[k++] = "-n";
	argv[k++] = n;
	argv[k++] = h->program;
	argv[k++] = h->dir;
	argv[k] = NULL;
	if (freopen(log, "w", stdout) && dup2(1, 2) >= 0 && freopen("/dev/null", "r", stdin))
		execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static pid_t rank_of(const struct gdb_hang *h, int rank)
{
	char path[300];
	long pid = 0;

	snprintf(path, sizeof(path), "%s/%d", h->dir, rank);
	FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return (pid_t)pid;
}

static unsigned long cpu_ticks(pid_t pid)
{
	struct process_stat s;

	return process_stat(pid, &s) ? s.ticks : 0;
}

/*
 * Wait until the rank is in the call that never returns; it reports that it is ready a few instructions earlier. It is
 * in the call once it has used some processor ticks since then, because it polls, or has slept for a while.
 */
static void await_blocked(pid_t rank)
{
	unsigned long start = cpu_ticks(rank);

	for (int sleeps = 0; sleeps < ASLEEP_NAPS && cpu_ticks(rank) < start + POLLED_TICKS; job_nap())
		sleeps = process_state(rank) == 'R' ? 0 : sleeps + 1;
}

static void await_ready(struct gdb_hang *h)
{
	double deadline = job_now() + LAUNCHER_WAIT_S;

	for (int i = 0; i < h->n; i++) {
		while (!(h->ranks[i] = rank_of(h, i))) {
			ck_assert_msg(waitpid(h->launcher, NULL, WNOHANG) == 0, "%s has ended: %s/log", h->program,
				      h->dir);
			ck_assert_msg(job_now() < deadline, "%s does not get ready: %s/log", h->program, h->dir);
			job_nap();
		}
	}
	for (int i = 0; i < h->n; i++)
		await_blocked(h->ranks[i]);
	launcher_give_way(h->launcher);
}

void gdb_hang_start(struct gdb_hang *ret, const char *flavour, bool tracked, int n)
{
	gdb_job_start(ret, "ring_hang", flavour, tracked, n);
}

void gdb_job_start(struct gdb_hang *ret, const char *program, const char *flavour, bool tracked, int n)
{
	char build[PATH_MAX], name[16];

	memset(ret, 0, sizeof(*ret));
	ck_assert_int_le(n, GDB_HANG_MAX);
	ret->n = n;
	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	scratch_make(ret->dir, "hang");
	snprintf(ret->program, sizeof(ret->program), "%.500s/programs%s/%s", build,
		 strcmp(flavour, "mpich") ? "" : "-mpich", program);
	ck_assert_msg(access(ret->program, X_OK) == 0, "%s: is not there", ret->program);

	pid_t parent = getpid();
	ret->launcher = fork();
	ck_assert_int_ge(ret->launcher, 0);
	if (ret->launcher == 0) {
		launcher_child(parent);
		run_launcher(ret, flavour, tracked);
	}
	await_ready(ret);
	gdb_words_clear();
	gdb_word("PROGRAM", "%s", ret->program);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "PID%d", i);
		gdb_word(name, "%d", (int)ret->ranks[i]);
	}
	gdb_word("LAUNCHER", "%d", (int)ret->launcher);
}

/* The core of one rank, core.PID in the job's folder or below it. */
static void dump(const struct gdb_hang *hang, int rank, const char *below, char *core, size_t bytes)
{
	char command[1200];

	snprintf(command, sizeof(command), "mkdir -p %s%s; gcore -o %s%s/core %d >%s/gcore.log 2>&1 </dev/null",
		 hang->dir, below, hang->dir, below, (int)hang->ranks[rank], hang->dir);
	int rc = system(command);
	snprintf(core, bytes, "%s%s/core.%d", hang->dir, below, (int)hang->ranks[rank]);
	ck_assert_msg(rc == 0 && access(core, R_OK) == 0, "gcore failed: see %s/gcore.log", hang->dir);
}

void gdb_hang_core(struct gdb_hang *hang)
{
	dump(hang, 0, "", hang->core, sizeof(hang->core));
	gdb_word("CORE", "%s", hang->core);
}

void gdb_hang_cores(struct gdb_hang *hang)
{
	char core[sizeof(hang->core) + 16];

	for (int rank = 1; rank < hang->n; rank++)
		dump(hang, rank, "/cores", core, sizeof(core));
	snprintf(core, sizeof(core), "%s/cores/core.%d", hang->dir, (int)hang->ranks[0]);
	ck_assert_int_eq(link(hang->core, core), 0);
	gdb_word("CORES", "%s/cores", hang->dir);
}

void gdb_hang_end(struct gdb_hang *hang)
{
	launcher_stop(hang->launcher, hang->ranks, (size_t)hang->n);
	scratch_remove(hang->dir);
	memset(hang, 0, sizeof(*hang));
}
