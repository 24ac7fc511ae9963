/* SPDX-License-Identifier: BSD-3-Clause */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_STARTED = 127, TERM_MS = 300, POLL_MS = 20 };

static void run(char *const *words, const char *input, int out, int err, pid_t parent)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(NOT_STARTED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	int in = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0)
		close(STDIN_FILENO);
	else
		dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execvp(words[0], words);
	dprintf(STDERR_FILENO, "%s: %s\n", words[0], errno == ENOENT ? "not found" : strerror(errno));
	_exit(NOT_STARTED);
}

bool hs_child_start(char *const *words, const char *input, struct hs_child *ret)
{
	int out[2], err[2];
	pid_t parent = getpid();

	*ret = (struct hs_child){ .out.fd = -1, .err.fd = -1 };
	if (pipe2(out, O_CLOEXEC) != 0)
		return false;
	if (pipe2(err, O_CLOEXEC) != 0) {
		close(out[0]);
		close(out[1]);
		return false;
	}
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		run(words, input, out[1], err[1], parent);
	close(out[1]);
	close(err[1]);
	if (pid < 0) {
		close(out[0]);
		close(err[0]);
		return false;
	}
	setpgid(pid, pid); /* also here, so that it can be ended at once */
	ret->pid = pid;
	ret->out.fd = out[0];
	ret->err.fd = err[0];
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	return true;
}

static void take_line(struct hs_stream *s, hs_on_line *on_line, void *ctx)
{
	while (s->n && s->line[s->n - 1] == '\r')
		s->n--;
	s->line[s->n] = '\0';
	if (!s->skips && s->n && !memchr(s->line, '\0', s->n))
		on_line(ctx, s->line);
	s->n = 0;
	s->skips = false;
}

static void take_bytes(struct hs_stream *s, const char *bytes, size_t n, hs_on_line *on_line, void *ctx)
{
	while (n) {
		const char *end = memchr(bytes, '\n', n);
		size_t length = end ? (size_t)(end - bytes) : n;
		if (s->n + length >= sizeof(s->line))
			s->skips = true;
		if (!s->skips) {
			memcpy(s->line + s->n, bytes, length);
			s->n += length;
		}
		if (end)
			take_line(s, on_line, ctx);
		bytes += length + (end != NULL);
		n -= length + (end != NULL);
	}
}

void hs_stream_read(struct hs_stream *s, hs_on_line *on_line, void *ctx)
{
	char bytes[1 << 14];

	while (s->fd >= 0) {
		ssize_t n = read(s->fd, bytes, sizeof(bytes));
		if (n > 0) {
			take_bytes(s, bytes, (size_t)n, on_line, ctx);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (s->n || s->skips)
			take_line(s, on_line, ctx);
		close(s->fd);
		s->fd = -1;
	}
}

bool hs_child_over(struct hs_child *c)
{
	if (c->pid <= 0)
		return true;
	pid_t got = waitpid(c->pid, &c->status, WNOHANG);
	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	c->pid = 0;
	return true;
}

static void close_stream(struct hs_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

void hs_child_end(struct hs_child *c)
{
	pid_t group = c->pid;

	if (group > 0 && !hs_child_over(c)) {
		kill(-group, SIGTERM);
		for (int ms = 0; ms < TERM_MS && !hs_child_over(c); ms += 10)
			nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		if (!hs_child_over(c)) {
			kill(-group, SIGKILL);
			waitpid(group, &c->status, 0);
			c->pid = 0;
		}
	}
	close_stream(&c->out);
	close_stream(&c->err);
}

/* ---- whole output --------------------------------------------------------------------------------------- */

struct output {
	FILE *f;
	char *why;
	size_t n_why;
};

static void on_output(void *ctx, const char *line)
{
	fprintf(((struct output *)ctx)->f, "%s\n", line);
}

static void on_error(void *ctx, const char *line)
{
	struct output *o = ctx;

	if (o->why)
		snprintf(o->why, o->n_why, "%s", line);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

char *hs_child_output(char *const *words, double limit_s, char *why, size_t n_why)
{
	struct hs_child c;
	char *text = NULL;
	size_t n = 0;
	struct output o = { .why = why, .n_why = n_why };
	double start = now_s();
	bool over = false;

	if (why && n_why)
		*why = '\0';
	o.f = open_memstream(&text, &n);
	if (!o.f || !hs_child_start(words, NULL, &c)) {
		if (o.f)
			fclose(o.f);
		free(text);
		return NULL;
	}
	while (!over && now_s() - start < limit_s) {
		struct pollfd fds[2] = { { c.out.fd, POLLIN, 0 }, { c.err.fd, POLLIN, 0 } };
		poll(fds, 2, POLL_MS);
		over = hs_child_over(&c);
		hs_stream_read(&c.out, on_output, &o);
		hs_stream_read(&c.err, on_error, &o);
	}
	if (!over && why)
		snprintf(why, n_why, "%s: timed out", words[0]);
	hs_child_end(&c);
	fclose(o.f);
	if (!over || !WIFEXITED(c.status) || WEXITSTATUS(c.status) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
