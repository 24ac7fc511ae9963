/* SPDX-License-Identifier: BSD-3-Clause */
#include "starter_run.h"

#include "job.h"
#include "launcher.h"
#include "scratch.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 96, LINE_MAX_BYTES = 4096 };

char starter_dir[STARTER_PATH_MAX];

void starter_setup(void)
{
	scratch_make(starter_dir, "starter");
	/* libraries preloaded into a sanitized test must not be loaded
	 * into the job; a sanitized starter may be preloaded into */
	launcher_environment();
	launcher_oversubscribe();
	const char *options = getenv("ASAN_OPTIONS");
	char all[512];
	snprintf(all, sizeof(all), "%s%sverify_asan_link_order=0", options ? options : "", options ? ":" : "");
	setenv("ASAN_OPTIONS", all, 1);
}

void starter_teardown(void)
{
	scratch_remove(starter_dir);
}

/* In place; '...' keeps its spaces. */
static void split(char *line, char *argv[WORDS_MAX])
{
	size_t n = 0;

	for (char *p = line; *p;) {
		p += strspn(p, " ");
		if (!*p)
			break;
		ck_assert_uint_lt(n, WORDS_MAX - 1);
		char *to = p;
		bool quoted = false;
		argv[n++] = p;
		for (; *p && (quoted || *p != ' '); p++) {
			if (*p == '\'')
				quoted = !quoted;
			else
				*to++ = *p;
		}
		if (*p)
			p++;
		*to = '\0';
	}
	argv[n] = NULL;
}

/* "R" and "@file", in front of a word or after "=". */
static char *expand(char *word, bool first)
{
	char *ret = NULL, *at = word[0] == '@' ? word : strstr(word, "=@");
	int n;

	if (first && strcmp(word, "R") == 0)
		n = asprintf(&ret, "%s/mpi2dd-run", getenv("MPIDBG_BUILD"));
	else if (at)
		n = asprintf(&ret, "%.*s%s%s/%s", (int)(at - word), word, *at == '=' ? "=" : "", starter_dir,
			     at + (*at == '=' ? 2 : 1));
	else
		n = asprintf(&ret, "%s", word);
	ck_assert_int_ge(n, 0);
	return ret;
}

static void start(struct starter_run *ret, bool has_input, const char *format, va_list ap)
{
	char line[LINE_MAX_BYTES], *argv[WORDS_MAX];
	int in[2] = { -1, -1 };

	memset(ret, 0, sizeof(*ret));
	vsnprintf(line, sizeof(line), format, ap);
	split(line, argv);
	for (size_t i = 0; argv[i]; i++)
		argv[i] = expand(argv[i], i == 0);
	snprintf(ret->out_path, sizeof(ret->out_path), "%s/out.XXXXXX", starter_dir);
	snprintf(ret->err_path, sizeof(ret->err_path), "%s/err.XXXXXX", starter_dir);
	int out = mkostemp(ret->out_path, O_CLOEXEC | O_APPEND), err = mkostemp(ret->err_path, O_CLOEXEC | O_APPEND);
	if (has_input)
		ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	else
		in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert(out >= 0 && err >= 0 && in[0] >= 0);
	pid_t parent = getpid();
	ret->pid = fork();
	ck_assert_int_ge(ret->pid, 0);
	if (ret->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(99);
		setpgid(0, 0);
		dup2(in[0], 0);
		dup2(out, 1);
		dup2(err, 2);
		execvp(argv[0], argv);
		_exit(99);
	}
	setpgid(ret->pid, ret->pid);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	close(in[0]);
	close(out);
	close(err);
	ret->in = in[1];
}

void starter_start(struct starter_run *ret, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	start(ret, false, format, ap);
	va_end(ap);
}

void starter_start_with_input(struct starter_run *ret, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	start(ret, true, format, ap);
	va_end(ap);
}

static void slurp(const char *path, char text[STARTER_TEXT_MAX])
{
	FILE *f = fopen(path, "r");

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, STARTER_TEXT_MAX - 1, f)] = '\0';
	fclose(f);
}

void starter_wait(struct starter_run *run)
{
	double deadline = job_now() + LAUNCHER_WAIT_S;

	if (run->in >= 0)
		close(run->in);
	run->in = -1;
	while (waitpid(run->pid, &run->status, WNOHANG) == 0) {
		if (job_now() > deadline) {
			kill(-run->pid, SIGKILL);
			waitpid(run->pid, &run->status, 0);
			slurp(run->out_path, run->out);
			slurp(run->err_path, run->err);
			ck_abort_msg("no end in time:\n%.1000s\n%.1000s", run->out, run->err);
		}
		job_nap();
	}
	slurp(run->out_path, run->out);
	slurp(run->err_path, run->err);
}

void starter_do(struct starter_run *ret, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	start(ret, false, format, ap);
	va_end(ap);
	starter_wait(ret);
}

void starter_await(struct starter_run *run, const char *text)
{
	double deadline = job_now() + LAUNCHER_WAIT_S;

	for (;;) {
		slurp(run->out_path, run->out);
		if (strstr(run->out, text))
			return;
		slurp(run->err_path, run->err);
		ck_assert_msg(job_now() < deadline, "\"%s\" does not come:\n%.1000s\n%.1000s", text, run->out,
			      run->err);
		job_nap();
	}
}

int starter_code(const struct starter_run *run)
{
	return WIFSIGNALED(run->status) ? 128 + WTERMSIG(run->status) : WEXITSTATUS(run->status);
}

void starter_put(const char *name, const char *text)
{
	char path[2 * STARTER_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", starter_dir, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

void starter_make_fifo(const char *name)
{
	char path[2 * STARTER_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", starter_dir, name);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
}

void starter_open_fifo(const char *name)
{
	double deadline = job_now() + LAUNCHER_WAIT_S;
	char path[2 * STARTER_PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", starter_dir, name);
	while ((fd = open(path, O_WRONLY | O_NONBLOCK)) < 0) {
		ck_assert_msg(errno == ENXIO && job_now() < deadline, "nobody reads %s: %s", name, strerror(errno));
		job_nap();
	}
	close(fd);
}

void starter_compile(const char *cc, const char *name)
{
	char command[2 * STARTER_PATH_MAX];

	snprintf(command, sizeof(command), "cd '%s' && %s -o '%s' '%s.c' -ldl", starter_dir, cc, name, name);
	ck_assert_msg(system(command) == 0, "%s", command);
}
