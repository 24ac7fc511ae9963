/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg-static (make static) in a root that has this one file and /proc: it gives the answer that the command gives
 * here, with both MPIs, live and from cores. And what it refuses.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/process.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, N_RANKS = 3 };

static char dir[SCRATCH_MAX], root[SCRATCH_MAX + 8];
static struct job job;

static void setup(void)
{
	scratch_make(dir, "static");
	snprintf(root, sizeof(root), "%s/root", dir);
	shell_run("mkdir -p %s/proc %s/cores && cp %s/mpidbg-static %s/", root, root, getenv("MPIDBG_BUILD"), root);
	/* the source files, of which the output quotes lines */
	shell_run("cd \"$(readelf --debug-dump=info --dwarf-depth=1 %s/programs/hangs |"
		  " sed -n '/DW_AT_comp_dir/{s/.*: //p;q}')\" && d=\"%s$PWD/tests/programs\" && mkdir -p \"$d\" &&"
		  " cp -p tests/programs/hangs.c tests/programs/hangs.h \"$d\"",
		  getenv("MPIDBG_BUILD"), root);
}

static void teardown(void)
{
	job_end(&job);
	scratch_remove(dir);
}

/* Run it in the root; the mount of /proc ends with its mount name space. */
static void run_static(struct mpidbg_run *ret, const char *arguments)
{
	char command[2 * SCRATCH_MAX + 600];

	snprintf(command, sizeof(command), "mount --bind /proc %s/proc && exec chroot %s /mpidbg-static %s", root, root,
		 arguments);
	mpidbg_run_program(
		ret, (char *[]){ (char *)"unshare", (char *)"--mount", (char *)"sh", (char *)"-c", command, NULL });
}

static void cut(char *text, const char *from, const char *to)
{
	char *at = strstr(text, from), *end = at ? strstr(at, to) : NULL;

	if (end)
		memmove(at, end, strlen(end) + 1);
}

/* Without what depends on when the job was seen. */
static void cut_moment(char *text)
{
	cut(text, "seen at ", "\n");
	cut(text, "sleeping for another ", "at hangs.h");
}

static void check_same(struct mpidbg_run *one, struct mpidbg_run *other)
{
	cut_moment(one->out);
	cut_moment(other->out);
	ck_assert_msg(strstr(one->out, "rank 2 is not in it"), "%s%s", one->out, one->err);
	ck_assert_str_eq(one->out, other->out);
	ck_assert_str_eq(one->err, other->err);
	ck_assert_int_eq(one->exit_code, 4);
	ck_assert_int_eq(other->exit_code, 4);
	mpidbg_run_free(one);
	mpidbg_run_free(other);
}

static void start(int mpich)
{
	if (mpich)
		job_start_mpich("hangs allreduce_sleeps", N_RANKS, &job);
	else
		job_start("hangs allreduce_sleeps", NULL, N_RANKS, 0, &job);
}

START_TEST(test_live)
{
	struct mpidbg_run here, there;
	char pid[16], arguments[64];

	if (_i && job_omits_mpich())
		return;
	start(_i);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	snprintf(arguments, sizeof(arguments), "deadlock --job %s", pid);
	/* ranks may still be on their way into the collective */
	for (double end = job_now() + TIMEOUT_S / 4.0;; job_nap()) {
		mpidbg_run(&here, "deadlock", "--job", pid, NULL);
		if (here.exit_code == 4 || job_now() > end)
			break;
		mpidbg_run_free(&here);
	}
	run_static(&there, arguments);
	check_same(&here, &there);
}
END_TEST

/* The files that the cores name are not in the root: symbols and lines are there as far as --sysroot has them. */
START_TEST(test_cores)
{
	struct mpidbg_run queues;

	start(0);
	job_cores(&job);
	shell_run("cp %s %s/cores/", job.ranks[0].core, root);
	shell_run("mkdir %s/files && awk '$6 ~ /^\\// && !/deleted/ { print $6 }' /proc/%d/maps | sort -u | grep -v -e "
		  "^/dev -e ^/tmp/ompi | "
		  "xargs cp --parents -t %s/files",
		  root, (int)job.ranks[0].pid, root);
	run_static(&queues, "queues --cores /cores --sysroot /files");
	ck_assert_msg(strstr(queues.out, "MPI_COMM_WORLD  rank 0 of 3") && strstr(queues.out, "MPI_Allreduce"), "%s%s",
		      queues.out, queues.err);
	mpidbg_run_free(&queues);
}
END_TEST

START_TEST(test_refused)
{
	struct mpidbg_run run;

	run_static(&run, "queues -p 1 --plugin /lib/libmpidbg.so");
	ck_assert_msg(strstr(run.err, "the static mpidbg cannot load plugins"), "%s", run.err);
	ck_assert_int_eq(run.exit_code, 1);
	mpidbg_run_free(&run);
	run_static(&run, "--version");
	ck_assert_msg(strstr(run.out, "mpidbg ") == run.out, "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
}
END_TEST

/* One line, which begins with the name of the command and has the words. */
static void expect(struct mpidbg_run *run, int exit_code, const char *words)
{
	ck_assert_msg(run->exit_code == exit_code && strncmp(run->err, "mpidbg: ", 8) == 0 && strstr(run->err, words) &&
			      strchr(run->err, '\n') == run->err + strlen(run->err) - 1,
		      "%d: %s%s", run->exit_code, run->out, run->err);
	mpidbg_run_free(run);
}

/* In the root as the user nobody, after these commands. */
static void run_nobody(struct mpidbg_run *ret, const char *before, const char *command, pid_t pid)
{
	char text[3 * SCRATCH_MAX + 400];

	snprintf(text, sizeof(text), "cd %s && %s && exec chroot --userspec=65534:65534 . /mpidbg-static %s %d", root,
		 before, command, (int)pid);
	mpidbg_run_program(ret,
			   (char *[]){ (char *)"unshare", (char *)"--mount", (char *)"sh", (char *)"-c", text, NULL });
}

START_TEST(test_without_proc)
{
	static const char *const commands[] = { "queues -p", "deadlock --job", "stacks --job",
						"doctor -p", "snapshot --job", "explain 0 --job" };
	struct mpidbg_run run;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		run_nobody(&run, "true", commands[i], getpid());
		expect(&run, 3, "no process can be read: /proc is not mounted here");
	}
	run_nobody(&run, "true", "jobs #", 0);
	expect(&run, 3, "no process can be read: /proc is not mounted here");
	run_nobody(&run, "mount -t proc -o hidepid=2 proc proc", "queues -p", getpid());
	expect(&run, 3, "there is such a process, but /proc hides it (option hidepid)");
	run_nobody(&run, "mount -t proc -o hidepid=2 proc proc", "deadlock --job", getpid());
	expect(&run, 3, "there is such a process, but /proc hides it (option hidepid)");
	run_nobody(&run, "mount -t proc proc proc", "queues -p", getpid());
	expect(&run, 3, "it belongs to another user (uid 0): run as that user or as root");
}
END_TEST

/* A process of nobody that others of this user may not trace, since it has become theirs without exec. */
static pid_t start_undumpable(void)
{
	int ready[2];
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

/* Tracing that Yama or a seccomp filter forbids. */
START_TEST(test_without_ptrace)
{
	static const char yama[] = "mount -t proc proc proc && mount -t tmpfs none proc/sys/kernel && mkdir "
				   "proc/sys/kernel/yama && echo %d >proc/sys/kernel/yama/ptrace_scope";
	static const int errors[] = { EPERM, ENOSYS };
	pid_t pid = start_undumpable();
	struct mpidbg_run run;
	char text[400];

	snprintf(text, sizeof(text), yama, 1);
	run_nobody(&run, text, "queues -p", pid);
	expect(&run, 3, "kernel.yama.ptrace_scope is 1: run as root, or sysctl kernel.yama.ptrace_scope=0");
	snprintf(text, sizeof(text), yama, 3);
	run_nobody(&run, text, "queues -p", pid);
	expect(&run, 3, "kernel.yama.ptrace_scope is 3, nobody may trace until the next boot: take a core");
	run_nobody(&run, "mount -t proc proc proc", "queues -p", pid);
	expect(&run, 3, "it may be set-uid or undumpable, or a container or a security module forbids tracing");
	process_forbid(SYS_ptrace, (unsigned)errors[_i]);
	snprintf(text, sizeof(text), "queues -p %d", (int)pid);
	run_static(&run, text);
	expect(&run, 3, "a seccomp filter of this container or batch system may forbid ptrace: run mpidbg outside");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

int main(void)
{
	job_require();
	if (geteuid() || WEXITSTATUS(system("unshare --mount true 2>/dev/null"))) {
		printf("skipped: chroot and a mount name space need root\n");
		return 77;
	}
	Suite *suite = suite_create("static");
	TCase *tc = tcase_create("root");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_live, 0, 2);
	tcase_add_test(tc, test_cores);
	tcase_add_test(tc, test_refused);
	tcase_add_test(tc, test_without_proc);
	tcase_add_loop_test(tc, test_without_ptrace, 0, 2);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
