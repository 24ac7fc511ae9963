/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of the standard ABI of MPI 5 that cannot be read: of an MPI that is not known and has few functions, of
 * another version of the ABI, and linked with libraries whose handles differ. Each is said in one line, and nothing
 * breaks.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 120, UP_S = 60 };

static char dir[SCRATCH_MAX];
static pid_t pid;

/* The library some/libmpi_abi.so.VERSION, and a program that needs it. */
static void setup(void)
{
	scratch_make(dir, "abi");
	for (int version = 1; version <= 2; version++) {
		shell_run("gcc -shared -fPIC -DABI_VERSION=%d -Impi2dd/abi -Wl,-soname,libmpi_abi.so.%d -o "
			  "%s/libmpi_abi.so.%d tests/programs/abi/few_functions.c",
			  version, version, dir, version);
		shell_run("gcc -Impi2dd/abi -o %s/receive%d tests/programs/abi/receive.c %s/libmpi_abi.so.%d "
			  "-Wl,-rpath,%s",
			  dir, version, dir, version, dir);
	}
}

static void teardown(void)
{
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	scratch_remove(dir);
}

/* Start a program in the folder with an argument, and wait until it has made the file with which it says that it is
 * up. */
static void start(const char *program, const char *argument, const char *file, const char *preload)
{
	char path[SCRATCH_MAX + 64], ready[SCRATCH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, program);
	snprintf(ready, sizeof(ready), "%s/%s", dir, file);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		setenv("OMPI_MCA_ess_singleton_isolated", "1", 1); /* no daemon, which would outlive the program */
		if (chdir(dir) == 0)
			execl(path, path, argument, (char *)NULL);
		_exit(127);
	}
	for (double end = job_now() + UP_S; access(ready, F_OK) != 0; job_nap())
		ck_assert_msg(job_now() < end && waitpid(pid, NULL, WNOHANG) == 0, "%s has ended", program);
}

/* One line on standard error, with these words. */
static void expect(const char *command, int exit_code, const char *words)
{
	struct mpidbg_run run;
	char text[32];

	snprintf(text, sizeof(text), "%d", (int)pid);
	mpidbg_run(&run, command, "-p", text, NULL);
	ck_assert_msg(run.exit_code == exit_code && strstr(run.err, words) &&
			      strchr(run.err, '\n') == run.err + strlen(run.err) - 1,
		      "%s: %d: %s%s", command, run.exit_code, run.out, run.err);
	mpidbg_run_free(&run);
}

/* The MPI is not known: its calls are on the stack, and the in-target library does nothing to it. */
START_TEST(test_unknown_mpi)
{
	char build[PATH_MAX], library[PATH_MAX + 32];

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));

	start("receive1", "ready", "ready", NULL);
	expect("queues", 1,
	       "is a process of an MPI of the standard ABI that we do not know, which this plugin can read only when "
	       "it was "
	       "started with mpi2dd-run");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	shell_run("rm %s/ready", dir);
	snprintf(library, sizeof(library), "%s/libmpi2dd-abi.so", build);
	start("receive1", "ready", "ready", library);
	expect("handles", 1, "objects are not known before MPI_Init has returned");
}
END_TEST

START_TEST(test_other_version)
{
	static const char
		words[] = "it is linked with libmpi_abi.so.2, a version of the MPI ABI that is not known here";

	start("receive2", "ready", "ready", NULL);
	expect("queues", 1, words);
	expect("doctor", 1, words);
}
END_TEST

/* What is read of a process that is linked with both is shown, with a warning. */
START_TEST(test_both)
{
	struct mpidbg_run run;
	char text[32];

	shell_run("mpicc.openmpi -o %s/both tests/programs/ring_hang.c -Wl,--no-as-needed -lmpi %s/libmpi_abi.so.1 "
		  "-Wl,-rpath,%s",
		  dir, dir, dir);
	start("both", ".", "0", NULL);
	snprintf(text, sizeof(text), "%d", (int)pid);
	mpidbg_run(&run, "queues", "-p", text, NULL);
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "tag 8") &&
			      strstr(run.err,
				     "it is linked with both libmpi_abi.so.1 and libmpi.so.40, whose handles differ"),
		      "%d: %s%s", run.exit_code, run.out, run.err);
	ck_assert_ptr_eq(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
	mpidbg_run_free(&run);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("abi errors");
	TCase *tc = tcase_create("fakes");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_unknown_mpi);
	tcase_add_test(tc, test_other_version);
	tcase_add_test(tc, test_both);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
