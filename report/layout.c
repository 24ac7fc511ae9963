/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#include "dot.h"

#include "../host/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAYOUT_S = 10, ANSWER_MAX = 4 << 20, POINTS_MAX = 1000 };
#define UNITS      72.0F
#define EXTENT_MAX 1e5F

extern char **environ;

/* ---- running dot ---------------------------------------------------------------------------------------------- */

/* Read until the end of the output. @return release with free(); NULL: too much, timeout, out of memory. */
static char *read_all(int fd)
{
	double end = host_now_ms() + LAYOUT_S * 1e3;
	size_t n = 0, size = 65536;
	char *text = malloc(size);

	while (text) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double left = end - host_now_ms();
		int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
		if (ready == 0 || (ready < 0 && errno != EINTR))
			break;
		ssize_t got = read(fd, text + n, size - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		n += (size_t)got;
		text[n] = '\0';
		if (!got)
			return text;
		if (n + 1 < size)
			continue;
		char *wider = size < ANSWER_MAX ? realloc(text, 2 * size) : NULL;
		if (!wider)
			break;
		text = wider;
		size *= 2;
	}
	free(text);
	return NULL;
}

/* @return the output of dot, release with free(); NULL: see @p why */
static char *run_dot(const char *program, FILE *question, const char **why)
{
	char *argv[] = { (char *)"dot", (char *)"-Tplain", NULL }, *answer = NULL;
	posix_spawn_file_actions_t actions;
	int ends[2] = { -1, -1 }, status = 0;
	pid_t pid = -1;

	*why = "dot (Graphviz) cannot be started";
	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(question), 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	int rc = posix_spawnp(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (rc == 0) {
		answer = read_all(ends[0]);
		if (!answer)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		*why = "dot (Graphviz) did not answer as it should";
		if (answer && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
			free(answer);
			answer = NULL;
		}
	} else if (rc == ENOENT) {
		*why = "dot (Graphviz) is not installed";
	}
	close(ends[0]);
	return answer;
}

/* ---- output of dot: graph, node and edge lines of numbers ------------------------------------------------------ */

static bool parse_float(char **at, float *ret)
{
	char *end;

	*ret = strtof(*at, &end) * UNITS;
	bool ok = end != *at && *ret > -EXTENT_MAX && *ret < EXTENT_MAX; /* not a NaN */
	*at = end;
	return ok;
}

/* " n12" @return -1: no such node */
static long node(char **at, const struct rp_waits *w)
{
	char *end;

	*at += strspn(*at, " ");
	if (**at != 'n')
		return -1;
	unsigned long i = strtoul(*at + 1, &end, 10);
	bool ok = end != *at + 1 && i < w->n_nodes;
	*at = end;
	return ok ? (long)i : -1;
}

static bool point(char **at, const struct rp_layout *l, struct rp_point *ret)
{
	float y;

	if (!parse_float(at, &ret->x) || !parse_float(at, &y))
		return false;
	ret->y = l->height - y;
	return true;
}

static bool read_node(struct rp_layout *l, const struct rp_waits *w, char *at)
{
	long i = node(&at, w);

	return i >= 0 && point(&at, l, &l->boxes[i].middle) && parse_float(&at, &l->boxes[i].width) &&
	       parse_float(&at, &l->boxes[i].height);
}

static bool read_edge(struct rp_layout *l, const struct rp_waits *w, char *at)
{
	long from = node(&at, w), to = node(&at, w);
	size_t i = 0;
	char *end;

	while (i < w->n_edges && (w->edges[i].from != from || w->edges[i].to != to))
		i++;
	unsigned long n = strtoul(at, &end, 10);
	if (i == w->n_edges || end == at || n < 4 || n > POINTS_MAX || n % 3 != 1 || l->curves[i].points)
		return false;
	at = end;
	struct rp_curve *c = &l->curves[i];
	c->points = calloc(n, sizeof(*c->points));
	for (; c->points && c->n < n; c->n++)
		if (!point(&at, l, &c->points[c->n]))
			return false;
	at += strspn(at, " ");
	if (*at == 'x') { /* the text of the edge, and its position */
		at += strspn(at, "x");
		return point(&at, l, &c->label);
	}
	return c->points != NULL;
}

static bool read_answer(struct rp_layout *l, const struct rp_waits *w, char *text)
{
	size_t n_nodes = 0, n_edges = 0;
	bool ok = true, ended = false;
	char *state = NULL;

	for (char *line = strtok_r(text, "\n", &state); line && ok; line = strtok_r(NULL, "\n", &state)) {
		char *at = line + strcspn(line, " ");
		float scale;
		if (strncmp(line, "graph ", 6) == 0) {
			ok = parse_float(&at, &scale) && parse_float(&at, &l->width) && parse_float(&at, &l->height);
		} else if (strncmp(line, "node ", 5) == 0) {
			ok = read_node(l, w, at);
			n_nodes++;
		} else if (strncmp(line, "edge ", 5) == 0) {
			ok = read_edge(l, w, at);
			n_edges++;
		} else {
			ended |= strcmp(line, "stop") == 0;
		}
	}
	return ok && ended && n_nodes == w->n_nodes && n_edges == w->n_edges;
}

const char *rp_layout_make(struct rp_layout *ret, const struct rp_waits *w, const char *program)
{
	const char *why = "no memory for the layout";
	FILE *question = tmpfile();
	char *answer = NULL;

	ret->boxes = calloc(w->n_nodes + 1, sizeof(*ret->boxes));
	ret->curves = calloc(w->n_edges + 1, sizeof(*ret->curves));
	ret->n_curves = w->n_edges;
	if (question && ret->boxes && ret->curves) {
		rp_dot_sizes(question, w);
		if (fflush(question) == 0 && lseek(fileno(question), 0, SEEK_SET) == 0)
			answer = run_dot(program, question, &why);
	}
	if (question)
		fclose(question);
	if (answer)
		why = read_answer(ret, w, answer) ? NULL : "dot (Graphviz) did not answer as it should";
	free(answer);
	return why;
}

void rp_layout_deinit(struct rp_layout *l)
{
	for (size_t i = 0; l->curves && i < l->n_curves; i++)
		free(l->curves[i].points);
	free(l->curves);
	free(l->boxes);
	memset(l, 0, sizeof(*l));
}
