/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include "place.h"
#include "text.h"
#include "values.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 1000, FILE_MAX = 64 << 20, TAB = 8 };

struct vd_sources {
	const char *dir;
	pid_t pid; /* the process that reads; 0: not started yet */
	int fd;    /* to it; -1: it does not answer */
};

struct question {
	char path[4096];
	long number;
};

struct answer {
	bool found;
	int64_t changed; /* s since 1970 */
	struct vd_source source;
};

/* ---- the process that reads --------------------------------------------------------------------------------- */

static bool is_source_name(const char *path)
{
	static const char *const ends[] = { "c",   "cc",  "cpp", "cxx", "c++", "cu",  "h",   "hh", "hpp", "hxx",
					    "inl", "ipp", "tcc", "hip", "cl",  "m",   "mm",  "f",  "for", "ftn",
					    "f77", "f90", "f95", "f03", "f08", "f18", "inc", "py", "pyx", "pxd",
					    "jl",  "rs",  "go",  "d",   "ada", "adb", "chpl" };
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	for (size_t i = 0; dot && (!slash || dot > slash) && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcasecmp(dot + 1, ends[i]) == 0)
			return true;
	return false;
}

/* Store a line with tabs expanded and without its end. */
static void store(const char *line, size_t n, char ret[VD_SOURCE_BYTES])
{
	size_t k = 0;

	for (size_t i = 0; i < n && line[i] != '\n' && line[i] != '\r' && k + 1 < VD_SOURCE_BYTES; i++) {
		ret[k++] = line[i] == '\t' ? ' ' : line[i];
		while (line[i] == '\t' && k % TAB && k + 1 < VD_SOURCE_BYTES)
			ret[k++] = ' ';
	}
	ret[k] = '\0';
}

static void read_lines(FILE *f, long number, struct vd_source *ret)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	long at = 0;

	ret->number = number;
	ret->first = number > VD_SOURCE_AROUND ? number - VD_SOURCE_AROUND : 1;
	while (++at <= number + VD_SOURCE_AROUND && (n = getline(&line, &room, f)) >= 0)
		if (at >= ret->first)
			store(line, (size_t)n, ret->lines[ret->n++]);
	free(line);
}

static void look_into(const struct question *q, struct answer *ret)
{
	int fd = is_source_name(q->path) ? open(q->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct stat st;
	FILE *f = NULL;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX)
		f = fdopen(fd, "r");
	if (!f) {
		if (fd >= 0)
			close(fd);
		return;
	}
	read_lines(f, q->number, &ret->source);
	ret->found = ret->source.first + (long)ret->source.n > q->number;
	ret->changed = (int64_t)st.st_mtime;
	fclose(f);
}

static void serve(int fd)
{
	struct question q;
	struct answer a;

	/* If it does not end, nobody may wait for its end. */
	for (int i = 0; i <= 2; i++)
		close(i);
	while (recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		memset(&a, 0, sizeof(a));
		look_into(&q, &a);
		if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) != (ssize_t)sizeof(a))
			break;
	}
	_exit(0);
}

/* ---- asking it ---------------------------------------------------------------------------------------------- */

struct vd_sources *vd_sources_create(const char *dir)
{
	struct vd_sources *s = malloc(sizeof(*s));

	if (s)
		*s = (struct vd_sources){ .dir = dir, .fd = -1 };
	return s;
}

static void start_sources(struct vd_sources *s)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return;
	s->pid = fork();
	if (s->pid == 0) {
		close(fds[0]);
		serve(fds[1]);
	}
	close(fds[1]);
	if (s->pid > 0)
		s->fd = fds[0];
	else
		close(fds[0]);
}

void vd_sources_destroy(struct vd_sources *s)
{
	if (s && s->pid > 0) {
		if (s->fd >= 0)
			close(s->fd);
		kill(s->pid, SIGKILL);
		/* in an uninterruptible system call it remains; it has nothing that others wait for */
		waitpid(s->pid, NULL, s->fd >= 0 ? 0 : WNOHANG);
	}
	free(s);
}

/* @return false: it has not answered; it is not asked again */
static bool ask(struct vd_sources *s, const char *path, long number, struct answer *ret)
{
	struct question q = { .number = number };
	size_t n = strlen(path);

	if (n >= sizeof(q.path))
		return true;
	memcpy(q.path, path, n);
	if (!s->pid)
		start_sources(s);
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	if (s->fd >= 0 && send(s->fd, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t)sizeof(q) && poll(&p, 1, WAIT_MS) == 1 &&
	    recv(s->fd, ret, sizeof(*ret), 0) == (ssize_t)sizeof(*ret))
		return true;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	ret->found = false;
	return false;
}

/* In the folder of --source-dir with as many of the file's own folders as there are, then where the
 * compiler found it. */
static bool find_answer(struct vd_sources *s, const char *path, long number, struct answer *ret)
{
	char in[4096];
	const char *rest = path;
	bool answers = true;

	ret->found = false;
	while (s->dir && rest && answers && !ret->found) {
		while (*rest == '/')
			rest++;
		int n = snprintf(in, sizeof(in), "%s/%s", s->dir, rest);
		if (n > 0 && n < (int)sizeof(in) && !strstr(rest, "../"))
			answers = ask(s, in, number, ret);
		rest = strchr(rest, '/');
	}
	if (ret->found)
		path = in;
	else if (answers && *path == '/')
		ask(s, path, number, ret);
	if (ret->found)
		memcpy(ret->source.path, path, strlen(path) + 1);
	return ret->found;
}

bool vd_source_read(const struct vd_job *job, const struct vd_thread *x, struct vd_source *ret)
{
	const long number = vd_place_of(x ? x->place : NULL).line;
	struct answer a;

	if (!job->sources || number < 1 || number > INT_MAX || !x->source || strlen(x->source) >= sizeof(a.source.path))
		return false;
	if (!find_answer(job->sources, x->source, number, &a))
		return false;
	*ret = a.source;
	ret->newer = x->built >= 0 && a.changed > x->built;
	return true;
}

/* ---- output ------------------------------------------------------------------------------------------------- */

static const char *text_of(const struct vd_source *s)
{
	const char *line = s->lines[s->number - s->first];

	return line + strspn(line, " ");
}

void vd_source_print(const struct vd_source *s, int indent, FILE *out)
{
	fprintf(out, "%*s%ld | ", indent, "", s->number);
	vd_print(out, text_of(s));
	fputs(s->newer ? "  (the file is newer than the program)\n" : "\n", out);
}

json_t *vd_source_json(const struct vd_source *s)
{
	json_t *o = json_object();

	json_object_set_new(o, "path", vd_text_json(s->path));
	json_object_set_new(o, "line", json_integer(s->number));
	json_object_set_new(o, "text", vd_text_json(text_of(s)));
	json_object_set_new(o, "newer_than_program", json_boolean(s->newer));
	return o;
}
