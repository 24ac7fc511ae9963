/* SPDX-License-Identifier: BSD-3-Clause */
#include "gather.h"

#include "../host/clock.h"
#include "child.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum {
	AT_ONCE = 64,  /* commands for one host each */
	REMOVE_S = 20, /* for the removal of copies */
	POLL_MS = 20
};

/* A command that runs, for one host or for all of them. */
struct running {
	struct hs_child child;
	struct gather *of;
	size_t host; /* ALL: for all hosts */
	bool over;
	char last[256]; /* the last line of its standard error */
};
#define ALL SIZE_MAX

struct gather {
	const struct hs_request *r;
	struct hs_answers *a;
	size_t *by_name; /* indexes of hosts, sorted by name */
	struct running *running;
	size_t n_running, n_started;
	bool started_all; /* the command for all has been started */
	double start;
};

static double now_s(void)
{
	return host_now_ms() / 1e3;
}

/* The time of day, to which hosts relate theirs. */
static double time_of_day_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

/* Compare up to the first dot, at which the domain begins; in an address every dot counts. */
static int compare_names(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");
	bool address = (*a >= '0' && *a <= '9') || (*b >= '0' && *b <= '9');
	int c;

	if (address)
		return strcmp(a, b);
	c = strncmp(a, b, n < m ? n : m);
	return c ? c : (n > m) - (n < m);
}

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct hs_host *hosts = ctx;

	return compare_names(hosts[*(const size_t *)a].name, hosts[*(const size_t *)b].name);
}

/* @return NULL: no host has this name */
static struct hs_host *find(const struct gather *g, const char *name)
{
	size_t low = 0, high = g->a->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct hs_host *h = &g->a->hosts[g->by_name[middle]];
		int c = compare_names(name, h->name);
		if (c == 0)
			return h;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* ---- what arrives ------------------------------------------------------------------------------------------ */

static void set_why(struct hs_host *h, const char *why)
{
	if (!*h->why)
		snprintf(h->why, sizeof(h->why), "%s", why);
}

static bool is_over(const struct hs_host *h)
{
	return h->answered || *h->why;
}

static struct hs_text *text_of(struct hs_host *h, char kind)
{
	switch (kind) {
	case HS_KIND_FIRST:
		return &h->first;
	case HS_KIND_SECOND:
		return &h->second;
	case HS_KIND_ABOUT:
		return &h->about;
	default:
		return NULL;
	}
}

static const char not_run
	[] = "the copy of mpidbg cannot be run there (is its folder noexec, or shared by hosts?): --copy=FOLDER names "
	     "another one";

static void on_out(void *ctx, const char *text)
{
	struct running *run = ctx;
	struct gather *g = run->of;
	struct hs_line line;

	if (!hs_line_parse(text, &line))
		return;
	struct hs_host *h = run->host != ALL ? &g->a->hosts[run->host] : find(g, line.host);
	struct hs_text *t = h ? text_of(h, line.kind) : NULL;
	if (!h || is_over(h))
		return;
	if (line.none || line.noexec) {
		set_why(h, line.none ? "no mpidbg there" : not_run);
		return;
	}
	if (!t)
		return;
	if (!hs_text_add(t, &line))
		set_why(h, "its answer was damaged on the way");
	if (t == &h->first && t->text)
		h->first_s = now_s() - g->start;
	if (t == &h->about && t->text) {
		h->answered = true;
		g->a->n_answered++;
	}
}

/* The host that an error message names: "pdsh@login: n2: ...", "srun: error: n2: ...", "n2: ...". */
static struct hs_host *named_in(const struct gather *g, const char *text)
{
	while (*text) {
		char word[HS_HOST_MAX];
		size_t n = strcspn(text, " :,()");
		if (n && n < sizeof(word)) {
			memcpy(word, text, n);
			word[n] = '\0';
			struct hs_host *h = find(g, word);
			if (h)
				return h;
		}
		text += n;
		text += strspn(text, " :,()");
	}
	return NULL;
}

static bool says_absent(const char *text)
{
	return strstr(text, "mpidbg") && !strstr(text, "mktemp") &&
	       (strstr(text, "not found") || strstr(text, "No such file"));
}

static void on_err(void *ctx, const char *text)
{
	struct running *run = ctx;
	struct hs_host *h = run->host != ALL ? &run->of->a->hosts[run->host] : named_in(run->of, text);

	if (*run->of->r->copied && strstr(text, "execve"))
		text = not_run;
	if (!strstr(text, "Exited with exit code") && !strstr(text, "exited with exit code"))
		snprintf(run->last, sizeof(run->last), "%.*s", (int)sizeof(run->last) - 1, text);
	else
		return;
	if (h && !is_over(h) && run->host == ALL)
		set_why(h, says_absent(text) ? "no mpidbg there" : text);
}

/* ---- running ----------------------------------------------------------------------------------------------- */

/* Is this command the one for this host? */
static bool is_for(const struct running *run, size_t host)
{
	const struct hs_request *r = run->of->r;

	return run->host == host || (run->host == ALL && !hs_is_here(r, host));
}

static void fail_all(const struct running *run, const char *why)
{
	struct hs_answers *a = run->of->a;

	for (size_t i = 0; i < a->n; i++)
		if (is_for(run, i) && !is_over(&a->hosts[i]))
			set_why(&a->hosts[i], a->hosts[i].first.n_packed ? "its answer was cut off" : why);
}

/* Start the command for the next host, unless it is one for all that has been started. */
static bool start_next(struct gather *g)
{
	size_t host = g->n_started++;
	bool all = hs_way_is_for_all(g->r->way) && !hs_is_here(g->r, host);
	struct hs_words words = { 0 };
	struct running *run = NULL;

	if (all && g->started_all)
		return true;
	g->started_all |= all;
	for (size_t i = 0; i < g->n_running && !run; i++)
		if (g->running[i].over)
			run = &g->running[i];
	if (!run)
		run = &g->running[g->n_running++];
	*run = (struct running){ .of = g, .host = all ? ALL : host };
	bool ok = hs_way_command(g->r, host, &words);
	if (*g->r->copied)
		setenv("SLURM_BCAST", g->r->copied, 1);
	bool started = ok && hs_child_start(words.v, hs_way_input(g->r, host), &run->child);
	if (*g->r->copied)
		unsetenv("SLURM_BCAST");
	if (ok && !started) {
		run->over = true;
		fail_all(run, "no process can be started here");
	}
	hs_words_deinit(&words);
	return ok;
}

/* The command has ended: hosts that have not answered never will. */
static void finish(struct running *run)
{
	struct gather *g = run->of;
	int status = run->child.status;
	char why[sizeof(g->a->hosts->why)];

	run->over = true;
	hs_child_end(&run->child);
	if (*run->last && says_absent(run->last))
		snprintf(why, sizeof(why), "no mpidbg there");
	else if (*run->last)
		snprintf(why, sizeof(why), "%s", run->last);
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		snprintf(why, sizeof(why), "%s ended with exit code %d and no answer", g->a->way, WEXITSTATUS(status));
	else
		snprintf(why, sizeof(why), "%s ended without an answer", g->a->way);
	fail_all(run, why);
}

static void wait_and_read(struct gather *g)
{
	struct pollfd fds[2 * AT_ONCE];
	nfds_t n = 0;

	for (size_t i = 0; i < g->n_running; i++) {
		if (g->running[i].over)
			continue;
		fds[n++] = (struct pollfd){ g->running[i].child.out.fd, POLLIN, 0 };
		fds[n++] = (struct pollfd){ g->running[i].child.err.fd, POLLIN, 0 };
	}
	poll(fds, n, POLL_MS);
	for (size_t i = 0; i < g->n_running; i++) {
		struct running *run = &g->running[i];
		if (run->over)
			continue;
		bool over = hs_child_over(&run->child); /* before the last reading */
		hs_stream_read(&run->child.out, on_out, run);
		hs_stream_read(&run->child.err, on_err, run);
		if (over)
			finish(run);
	}
}

static size_t count_over(const struct hs_answers *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += is_over(&a->hosts[i]);
	return n;
}

static bool may_start(const struct gather *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_running; i++)
		n += !g->running[i].over;
	return g->n_started < g->a->n && n < AT_ONCE;
}

static bool run_all(struct gather *g, hs_progress *progress, void *ctx)
{
	size_t n_over = 0;
	bool ok = true;

	while (ok && n_over < g->a->n && now_s() - g->start < g->r->limit_s) {
		while (ok && may_start(g))
			ok = start_next(g);
		wait_and_read(g);
		size_t n = count_over(g->a);
		if (n != n_over && progress)
			progress(ctx, g->a, n);
		n_over = n;
	}
	for (size_t i = 0; i < g->n_running; i++)
		hs_child_end(&g->running[i].child);
	for (size_t i = 0; i < g->a->n; i++)
		if (!is_over(&g->a->hosts[i]))
			set_why(&g->a->hosts[i], "timed out");
	return ok;
}

/* Copies of mpidbg that were never started have not removed themselves. */
static void remove_copies(const struct hs_request *r)
{
	struct hs_words words = { 0 };

	if (hs_way_remove_command(r, &words))
		free(hs_child_output(words.v, REMOVE_S, NULL, 0));
	hs_words_deinit(&words);
}

bool hs_gather(const struct hs_request *r, hs_progress *progress, void *ctx, struct hs_answers *ret)
{
	struct hs_answers a = { .hosts = calloc(r->n_hosts, sizeof(*a.hosts)),
				.n = r->n_hosts,
				.started = time_of_day_s() };
	struct gather g = { .r = r,
			    .a = &a,
			    .by_name = calloc(r->n_hosts, sizeof(size_t)),
			    .running = calloc(AT_ONCE, sizeof(*g.running)),
			    .start = now_s() };
	bool ok = a.hosts && g.by_name && g.running;

	if (!a.hosts)
		a.n = 0;
	hs_way_name(r->way, a.way, sizeof(a.way));
	for (size_t i = 0; ok && i < a.n; i++) {
		a.hosts[i].name = strdup(r->hosts[i]);
		g.by_name[i] = i;
		ok = a.hosts[i].name != NULL;
	}
	if (ok && a.n)
		qsort_r(g.by_name, a.n, sizeof(size_t), by_name, a.hosts);
	ok = ok && run_all(&g, progress, ctx);
	if (*r->copied && a.n_answered < a.n)
		remove_copies(r);
	free(g.by_name);
	free(g.running);
	if (!ok)
		hs_answers_deinit(&a);
	*ret = a;
	return ok;
}

void hs_answers_deinit(struct hs_answers *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->hosts[i].name);
		hs_text_deinit(&a->hosts[i].first);
		hs_text_deinit(&a->hosts[i].second);
		hs_text_deinit(&a->hosts[i].about);
	}
	free(a->hosts);
	*a = (struct hs_answers){ 0 };
}
