/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that cannot be stopped, because it is in an uninterruptible system call (tests/programs/held.c): the others
 * wait for it, and it is named, with the call and its file. It may come back at any time, which is no deadlock. The
 * same for a rank that its control group or another debugger keeps from running.
 */
#include "../support/host_child.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/slow_disk.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 3 };

/* "; the kernel is in request_wait_answer"; "" if the kernel does not say so. */
static void kernel_of(pid_t pid, char *ret, size_t size)
{
	char path[64], name[128] = "0";

	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)pid);
	FILE *f = fopen(path, "re");
	bool known = f && fgets(name, sizeof(name), f) && strcmp(name, "0") != 0;
	if (f)
		fclose(f);
	snprintf(ret, size, "%s%s", known ? "; the kernel is in " : "", known ? name : "");
}

/* The deadlock of a job whose rank 2 is in this system call.
 * @param missing how the first line begins what it says of it */
static void check_suspect(const struct job *job, const char *missing, const char *call)
{
	struct mpidbg_run run;
	char pid[32], first[SCRATCH_MAX + 128], state[SCRATCH_MAX + 300], kernel[160];

	kernel_of(job->ranks[N - 1].pid, kernel, sizeof(kernel));
	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	snprintf(first, sizeof(first), "missing rank: look at rank 2, %s", missing);
	snprintf(state, sizeof(state), "MPI function not known, in an uninterruptible system call (%s%s)", call,
		 kernel);
	mpidbg_run(&run, "deadlock", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 3 && strstr(run.out, first), "exit code %d\n%s%s", run.exit_code, run.out,
		      run.err);
	ck_assert_msg(strstr(run.out, state) && !strstr(run.out, "could not be read") &&
			      !strstr(run.out, "rank 2 is not in it"),
		      "%s", run.out);
	ck_assert_msg(strstr(run.err, "does not stop: it is in a system call that cannot be interrupted"), "%s",
		      run.err);
	mpidbg_run_free(&run);
}

START_TEST(test_suspect)
{
	struct job job;

	if (_i && job_omits_mpich())
		return;
	if (_i)
		job_start_mpich("held", N, &job);
	else
		job_start("held", NULL, N, 0, &job);
	for (double end = job_now() + LAUNCHER_WAIT_S; host_child_state(job.ranks[N - 1].pid) != 'D'; job_nap())
		ck_assert_msg(job_now() < end, "rank 2 is in state %c", host_child_state(job.ranks[N - 1].pid));
	check_suspect(&job, "in an uninterruptible system call (vfork", "vfork");
	job_end(&job);
}
END_TEST

static bool is_in_call(pid_t pid, long number)
{
	char path[64];
	long now = -1;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	FILE *f = fopen(path, "re");
	bool is = f && fscanf(f, "%ld", &now) == 1 && now == number;
	if (f)
		fclose(f);
	return is;
}

/* It saves to a disk that does not answer. */
START_TEST(test_fsync)
{
	char folder[SCRATCH_MAX], command[SCRATCH_MAX + 16], call[SCRATCH_MAX + 16], missing[SCRATCH_MAX + 96];
	struct job job;
	pid_t server;

	if (_i && job_omits_mpich())
		return;
	scratch_make(folder, "disk");
	if (!slow_disk_mount(folder, &server)) {
		printf("skipped: a rank in fsync: no file system can be mounted here\n");
		scratch_remove(folder);
		return;
	}
	snprintf(command, sizeof(command), "held %s/out", folder);
	if (_i)
		job_start_mpich(command, N, &job);
	else
		job_start(command, NULL, N, 0, &job);
	for (double end = job_now() + LAUNCHER_WAIT_S; !is_in_call(job.ranks[N - 1].pid, SYS_fsync); job_nap())
		ck_assert_msg(job_now() < end, "rank 2 is not in fsync");
	snprintf(call, sizeof(call), "fsync of %s/out", folder);
	snprintf(missing, sizeof(missing), "which waits for the system to write the file %s/out (fuse): it can go on",
		 folder);
	check_suspect(&job, missing, call);
	/* the calls return, and the ranks can be ended */
	kill(server, SIGKILL);
	ck_assert_int_eq(waitpid(server, NULL, 0), server);
	job_end(&job);
	ck_assert_int_eq(umount2(folder, MNT_DETACH), 0);
	scratch_remove(folder);
}
END_TEST

/* ---- control groups -------------------------------------------------------------------------------------------- */

static const struct kind {
	const char *top;             /* where its groups are: root may have the right to make one, or not */
	const char *file, *on, *off; /* what keeps its processes from running */
	const char *what;
} kinds[] = {
	{ "/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED",
	  "which is frozen by its cgroup /mpidbg-test-" },
	{ "/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0", "which is frozen by its cgroup /mpidbg-test-" },
	{ "/sys/fs/cgroup", "cgroup.freeze", "1", "0", "which is frozen by its cgroup /mpidbg-test-" },
	{ "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "1000", "-1", " s: the CPU quota of its cgroup is used up" },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };
static char group[64];

static bool put(const char *folder, const char *below, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, below, file);
	FILE *f = fopen(path, "r+e");
	bool ok = f && fputs(text, f) >= 0;
	return f && fclose(f) == 0 && ok;
}

static void name_group(void)
{
	snprintf(group, sizeof(group), "mpidbg-test-%d", (int)getpid());
}

/* Also after a test that has failed: a frozen process does not end. */
static void remove_groups(void)
{
	char path[256];

	for (size_t i = 0; i < N_KINDS; i++) {
		snprintf(path, sizeof(path), "%s/%s", kinds[i].top, group);
		put(kinds[i].top, group, kinds[i].file, kinds[i].off);
		for (int k = 0; access(path, F_OK) == 0 && rmdir(path) != 0 && k < 500; k++)
			usleep(10000);
	}
}

static void ask(const char *pid, const char *wanted)
{
	struct mpidbg_run run;
	double end = job_now() + LAUNCHER_WAIT_S;
	bool right;

	do {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		ck_assert_msg(run.exit_code != 4, "%s%s", run.out, run.err);
		right = strstr(run.out, wanted);
		ck_assert_msg(right || job_now() < end, "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	} while (!right);
}

START_TEST(test_kept)
{
	char pid[32], path[256];
	struct job job;
	int n = 0;

	job_start("waits condition_computes", NULL, N, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	snprintf(path, sizeof(path), "%d", (int)job.ranks[N - 1].pid);
	for (const struct kind *k = kinds; k < kinds + N_KINDS; k++) {
		char folder[256];
		snprintf(folder, sizeof(folder), "%s/%s/%s", k->top, group, k->file);
		*strrchr(folder, '/') = '\0';
		mkdir(folder, 0755);
		if (!put(k->top, group, k->file, k->off) || !put(k->top, group, "cgroup.procs", path))
			continue;
		n++;
		ck_assert(put(k->top, group, k->file, k->on));
		ask(pid, k->what);
		ck_assert(put(k->top, group, k->file, k->off));
		ck_assert(put(k->top, "", "cgroup.procs", path));
	}
	if (!n)
		printf("skipped: ranks in control groups: none can be made here\n");
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, job.ranks[N - 1].pid, NULL, NULL), 0);
	snprintf(path, sizeof(path), ", traced by process %d (", (int)getpid());
	ask(pid, path);
	ck_assert_int_eq(ptrace(PTRACE_INTERRUPT, job.ranks[N - 1].pid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(job.ranks[N - 1].pid, NULL, __WALL), job.ranks[N - 1].pid);
	ck_assert_int_eq(ptrace(PTRACE_DETACH, job.ranks[N - 1].pid, NULL, NULL), 0);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("uninterruptible");
	TCase *tc = tcase_create("suspect");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_suspect, 0, 2);
	tcase_add_loop_test(tc, test_fsync, 0, 2);
	suite_add_tcase(s, tc);
	TCase *kept = tcase_create("kept");
	tcase_set_timeout(kept, LIVE_TIMEOUT_S);
	tcase_add_unchecked_fixture(kept, name_group, remove_groups);
	tcase_add_test(kept, test_kept);
	suite_add_tcase(s, kept);
	return suite_run(s);
}
