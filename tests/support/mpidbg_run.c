/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpidbg_run.h"

#include "snapshots.h"

#include "job.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 32, SECONDS_MAX = 600 };

static char *slurp(int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)n + 1);
	off_t done = 0;

	ck_assert(n >= 0 && text != NULL);
	while (done < n) {
		ssize_t got = pread(fd, text + done, (size_t)(n - done), done);
		ck_assert_int_gt(got, 0);
		done += got;
	}
	text[n] = '\0';
	close(fd);
	return text;
}

void mpidbg_run_program(struct mpidbg_run *ret, char *const argv[])
{
	int status, out = memfd_create("out", 0), err = memfd_create("err", 0);

	memset(ret, 0, sizeof *ret);
	ck_assert(out >= 0 && err >= 0);

	double start = job_now();
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		dup2(out, 1);
		dup2(err, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	pid_t done;
	while ((done = waitpid(child, &status, WNOHANG)) == 0 && job_now() < start + SECONDS_MAX)
		usleep(2000);
	if (done == 0) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		ret->exit_code = -1000;
	} else {
		ret->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	}
	ret->seconds = job_now() - start;
	ret->out = slurp(out);
	ret->err = slurp(err);
}

void mpidbg_run(struct mpidbg_run *ret, ...)
{
	const char *build = getenv("MPIDBG_BUILD");
	char path[1024];
	char *argv[ARGS_MAX] = { path };
	int n = 1;
	va_list args;

	ck_assert(build != NULL);
	snprintf(path, sizeof path, "%s/mpidbg", build);
	va_start(args, ret);
	for (char *a; (a = va_arg(args, char *));) {
		ck_assert_int_lt(n, ARGS_MAX - 1);
		argv[n++] = a;
	}
	va_end(args);
	mpidbg_run_program(ret, argv);
}

void mpidbg_run_read(struct mpidbg_run *run, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(run->out);
	run->out = fd < 0 ? strdup("") : slurp(fd);
	if (fd >= 0)
		close(fd);
	unlink(path);
}

void mpidbg_run_free(struct mpidbg_run *run)
{
	free(run->out);
	free(run->err);
	memset(run, 0, sizeof *run);
}

json_t *mpidbg_run_json(const struct mpidbg_run *run)
{
	ck_assert_msg(*run->out, "no JSON: exit %d\n%s", run->exit_code, run->err);
	return snapshots_tree(run->out);
}
