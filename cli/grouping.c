/* SPDX-License-Identifier: BSD-3-Clause */
#include "grouping.h"

#include "folding.h"
#include "grouping_text.h"

#include <stdlib.h>
#include <string.h>

enum {
	RELATIVE_MIN = 3,    /* minimum number of ranks with the same relative text for a relative line */
	LISTED_MAX = 3,      /* limit of different members or hosts that are listed */
	PEER_COLUMN = 11,    /* of an operation: "from 31    tag 5" */
	RELATIVE_COLUMN = 13 /* "from rank-1  tag 5" */
};

/* Processes with the same output; their indexes in the job increase. */
struct group {
	const size_t *v; /* borrowed from the order */
	size_t n;
	const bool *relative; /* for each varying part: is it printed relative to the rank? NULL: n is 1 */
};

struct grouping {
	const struct cmd_job *job;
	struct cmd_common *common; /* of each process */
	size_t *order;             /* the processes that are shown, grouped */
	struct group *groups;
	size_t n_groups;
	bool **relatives; /* the arrays `relative` of the groups, to be freed */
	size_t n_relatives;
	FILE *out; /* an open_memstream() */
};

static const char bold[] = "\033[1m", plain[] = "\033[0m";

static bool is_shown(const struct cmd_proc *p)
{
	return !p->answer->left_out && p->answer->text.n;
}

/* ---- peers of each rank ------------------------------------------------------------------- */

/* Reduce to the range -size / 2 .. size / 2. */
static int64_t distance(const struct cmd_varying *v)
{
	int64_t d = (v->value - v->own + v->size) % v->size;

	return d > v->size / 2 ? d - v->size : d;
}

static int64_t peer_key(const struct cmd_varying *v, bool relative)
{
	return relative ? distance(v) : v->value;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Number of occurrences of the most frequent value. @param room for n values */
static size_t most_frequent(int64_t *room, size_t n)
{
	size_t most = 0, run = 0;

	qsort(room, n, sizeof(*room), by_value);
	for (size_t i = 0; i < n; i++) {
		run = i && room[i] == room[i - 1] ? run + 1 : 1;
		most = run > most ? run : most;
	}
	return most;
}

/* Decide for each varying part whether it is a peer better
 * shown relative to the process's own rank. NULL: out of memory */
static bool *choose_relative(const struct grouping *g, const size_t *v, size_t n)
{
	const struct cmd_common *first = &g->common[v[0]];
	bool *ret = calloc(first->n + 1, sizeof(*ret));
	int64_t *room = calloc(n + 1, sizeof(*room));

	for (size_t k = 0; ret && room && n >= RELATIVE_MIN && k < first->n; k++) {
		size_t most[2];
		if (first->varying[k].kind != CMD_VARYING_PEER)
			continue;
		for (int relative = 0; relative < 2; relative++) {
			for (size_t i = 0; i < n; i++)
				room[i] = peer_key(&g->common[v[i]].varying[k], relative);
			most[relative] = most_frequent(room, n);
		}
		ret[k] = most[1] > most[0] && most[1] >= RELATIVE_MIN;
	}
	if (!room) {
		free(ret);
		ret = NULL;
	}
	free(room);
	return ret;
}

/* ---- sorting ---------------------------------------------------------------------------------------- */

/* Compare by world, then by text: -1, 0, 1. A text that cannot be compared forms its own group. */
static int by_text(const void *a, const void *b, void *arg)
{
	const struct grouping *g = arg;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct cmd_proc *p = &g->job->procs[x], *q = &g->job->procs[y];
	const char *s = g->common[x].text, *t = g->common[y].text;

	if (!s || !t)
		return s ? -1 : t ? 1 : (x > y) - (x < y);
	int c = strcmp(s, t);
	if (!c && p->world != q->world)
		c = p->world < q->world ? -1 : 1;
	if (!c)
		c = strcmp(p->job, q->job);
	return c ? c : (x > y) - (x < y);
}

struct by_peers {
	const struct grouping *g;
	const bool *relative;
};

static int compare_peers(const struct by_peers *b, size_t x, size_t y)
{
	const struct cmd_common *p = &b->g->common[x], *q = &b->g->common[y];

	for (size_t k = 0; k < p->n; k++) {
		if (p->varying[k].kind != CMD_VARYING_PEER)
			continue;
		int64_t s = peer_key(&p->varying[k], b->relative[k]), t = peer_key(&q->varying[k], b->relative[k]);
		if (s != t)
			return s < t ? -1 : 1;
	}
	return 0;
}

static int by_peers(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int c = compare_peers(arg, x, y);

	return c ? c : (x > y) - (x < y);
}

/* Small groups first, the largest last; equal ones in order of rank. */
static int by_size(const void *a, const void *b, void *arg)
{
	const struct grouping *g = arg;
	const struct group *x = a, *y = b;
	bool same = cmd_same_world(&g->job->procs[x->v[0]], &g->job->procs[y->v[0]]);

	if (same && x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return (x->v[0] > y->v[0]) - (x->v[0] < y->v[0]);
}

/* Split ranks with equal texts by their peers. */
static bool add_groups(struct grouping *g, size_t *v, size_t n)
{
	bool *relative = n > 1 ? choose_relative(g, v, n) : NULL;
	struct by_peers peers = { g, relative };

	if (n > 1 && !relative)
		return false;
	if (relative) {
		g->relatives[g->n_relatives++] = relative;
		qsort_r(v, n, sizeof(*v), by_peers, &peers);
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && compare_peers(&peers, v[i], v[end]) == 0;)
			end++;
		g->groups[g->n_groups++] = (struct group){ .v = v + i, .n = end - i, .relative = relative };
	}
	return true;
}

static bool is_alike(const struct grouping *g, size_t x, size_t y)
{
	const char *s = g->common[x].text, *t = g->common[y].text;

	return s && t && strcmp(s, t) == 0 && cmd_same_world(&g->job->procs[x], &g->job->procs[y]);
}

/* @return false: out of memory, and nothing is grouped */
static bool make_groups(struct grouping *g)
{
	size_t n = 0;

	g->order = calloc(g->job->n + 1, sizeof(*g->order));
	g->groups = calloc(g->job->n + 1, sizeof(*g->groups));
	g->common = calloc(g->job->n + 1, sizeof(*g->common));
	g->relatives = calloc(g->job->n + 1, sizeof(*g->relatives));
	if (!g->order || !g->groups || !g->common || !g->relatives)
		return false;
	for (size_t i = 0; i < g->job->n; i++) {
		if (!is_shown(&g->job->procs[i]))
			continue;
		g->order[n++] = i;
		if (g->job->n > 1)
			cmd_common_take(&g->job->procs[i], &g->common[i]);
	}
	qsort_r(g->order, n, sizeof(*g->order), by_text, g);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && is_alike(g, g->order[i], g->order[end]);)
			end++;
		if (!add_groups(g, g->order + i, end - i))
			return false;
	}
	qsort_r(g->groups, g->n_groups, sizeof(*g->groups), by_size, g);
	return true;
}

static void grouping_deinit(struct grouping *g)
{
	for (size_t i = 0; g->common && i < g->job->n; i++)
		cmd_common_deinit(&g->common[i]);
	for (size_t i = 0; i < g->n_relatives; i++)
		free(g->relatives[i]);
	free(g->relatives);
	free(g->common);
	free(g->groups);
	free(g->order);
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static const struct cmd_varying *varying(const struct grouping *g, const struct group *x, size_t i, size_t k)
{
	return &g->common[x->v[i]].varying[k];
}

static void print_range(const struct grouping *g, const struct group *x, size_t k, int digits)
{
	double least = varying(g, x, 0, k)->number, most = least;

	for (size_t i = 1; i < x->n; i++) {
		double v = varying(g, x, i, k)->number;
		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	fprintf(g->out, "%.*f", digits, least);
	if (most > least)
		fprintf(g->out, "-%.*f", digits, most);
}

/* @param before text before it, @param behind text after it, for the next column */
static void print_peer(const struct grouping *g, const struct group *x, size_t k, const char *before,
		       const char *behind)
{
	const struct cmd_varying *v = varying(g, x, 0, k);
	int width = (int)strlen(before);

	if (!x->relative[k])
		width += fprintf(g->out, "%lld", (long long)v->value);
	else if (distance(v) == 0)
		width += fprintf(g->out, "itself");
	else
		width += fprintf(g->out, "rank%+lld", (long long)distance(v));
	int column = (x->relative[k] ? RELATIVE_COLUMN : PEER_COLUMN) - 2;
	if (behind[0] == ' ' && behind[1] == ' ' && width < column)
		fprintf(g->out, "%*s", column - width, "");
}

/* The different texts of one varying part, in the order of the ranks. */
struct texts {
	const struct cmd_varying *v[LISTED_MAX];
	size_t n; /* may be more than are listed */
};

static bool is_same_text(const struct cmd_varying *a, const struct cmd_varying *b)
{
	return a->n_text == b->n_text && a->size == b->size &&
	       !memcmp(a->text ? a->text : "", b->text ? b->text : "", a->n_text);
}

static int by_members(const void *a, const void *b)
{
	const struct cmd_varying *x = *(const struct cmd_varying *const *)a, *y = *(const struct cmd_varying *const *)b;
	size_t n = x->n_text < y->n_text ? x->n_text : y->n_text;
	int c = n ? memcmp(x->text, y->text, n) : 0;

	if (!c)
		c = (x->n_text > y->n_text) - (x->n_text < y->n_text);
	return c ? c : (x->size > y->size) - (x->size < y->size);
}

static size_t count_different(const struct grouping *g, const struct group *x, size_t k)
{
	const struct cmd_varying **all = calloc(x->n + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; all && i < x->n; i++)
		all[i] = varying(g, x, i, k);
	if (all)
		qsort(all, x->n, sizeof(*all), by_members);
	for (size_t i = 0; all && i < x->n; i++)
		n += i == 0 || !is_same_text(all[i], all[i - 1]);
	free(all);
	return n;
}

static struct texts different(const struct grouping *g, const struct group *x, size_t k)
{
	struct texts t = { .n = 0 };

	for (size_t i = 0; i < x->n && t.n <= LISTED_MAX; i++) {
		const struct cmd_varying *v = varying(g, x, i, k);
		size_t j = 0;
		while (j < t.n && j < LISTED_MAX && !is_same_text(t.v[j], v))
			j++;
		if (j < t.n && j < LISTED_MAX)
			continue;
		if (t.n < LISTED_MAX)
			t.v[t.n] = v;
		t.n++;
	}
	if (t.n > LISTED_MAX)
		t.n = count_different(g, x, k);
	return t;
}

static void print_members_of(const struct cmd_varying *v, FILE *out)
{
	if (v->n_text)
		fwrite(v->text, 1, v->n_text, out);
	else
		fprintf(out, "[0-%lld]", (long long)v->size - 1);
}

static void print_members(const struct grouping *g, const struct group *x, size_t k)
{
	struct texts t = different(g, x, k);

	if (t.n == 1 && !t.v[0]->n_text)
		return;
	if (t.n == 1)
		fputs("  world ranks ", g->out);
	else
		fprintf(g->out, ", %zu communicators: world ranks ", t.n);
	for (size_t i = 0; i < t.n && i < LISTED_MAX; i++) {
		fputs(i ? ", " : "", g->out);
		print_members_of(t.v[i], g->out);
	}
	fputs(t.n > LISTED_MAX ? " ..." : "", g->out);
}

static void print_hosts(const struct grouping *g, const struct group *x, size_t k)
{
	struct texts t = different(g, x, k);

	if (t.n > LISTED_MAX) {
		fprintf(g->out, "on %zu hosts", t.n);
		return;
	}
	fputs(t.n > 1 ? "hosts " : "host ", g->out);
	for (size_t i = 0; i < t.n; i++)
		fprintf(g->out, "%s%.*s", i ? ", " : "", (int)t.v[i]->n_text, t.v[i]->text);
}

/* " to " or " from ", without the trailing space, as at the end of a piece. */
static const char *word_before(const char *text, size_t n)
{
	if (n >= 4 && !strncmp(text + n - 4, " to ", 4))
		return "to ";
	return n >= 6 && !strncmp(text + n - 6, " from ", 6) ? "from " : "";
}

static void print_group(const struct grouping *g, const struct group *x)
{
	const struct cmd_common *first = &g->common[x->v[0]];
	const char *text = first->text;
	bool colored = strchr(text, '\033') != NULL;
	struct cmd_ranks ranks = { NULL };

	for (size_t i = 0; i < x->n; i++)
		cmd_ranks_add(&ranks, g->job->procs[x->v[i]].rank, g->job->procs[x->v[i]].rank);
	char *set = cmd_ranks_text(&ranks);
	fprintf(g->out, "%sranks %s (%zu ranks)%s", colored ? bold : "", set ? set : "?", x->n, colored ? plain : "");
	free(set);
	cmd_ranks_deinit(&ranks);
	for (size_t k = 0; k < first->n; k++) {
		size_t n = strcspn(text, "\001\002\003\004\005"), n_words = n;
		/* not "(world rank rank+1)" */
		if (first->varying[k].kind == CMD_VARYING_PEER && x->relative[k] && n > 5 &&
		    strncmp(text + n - 5, "rank ", 5) == 0)
			n_words -= 5;
		fwrite(text, 1, n_words, g->out);
		switch (first->varying[k].kind) {
		case CMD_VARYING_WHOLE:
		case CMD_VARYING_TENTH:
			print_range(g, x, k, first->varying[k].kind == CMD_VARYING_TENTH);
			break;
		case CMD_VARYING_PEER:
			print_peer(g, x, k, word_before(text, n), text + n + 1);
			break;
		case CMD_VARYING_MEMBERS:
			print_members(g, x, k);
			break;
		case CMD_VARYING_HOST:
			print_hosts(g, x, k);
			break;
		}
		text += n + 1;
	}
	fputs(text, g->out);
}

/* Print the text of a group with folded operations. @return false: nothing to fold, or out of memory */
static bool print_folded(struct grouping *g, const struct group *x)
{
	const struct cmd_spool *spool = &g->job->procs[x->v[0]].answer->text;
	char *text = NULL;
	size_t n = 0;

	if (x->n == 1 && !spool->rest)
		cmd_fold_print(spool->text, spool->n, stdout);
	if (x->n == 1)
		return !spool->rest;
	g->out = open_memstream(&text, &n);
	if (!g->out)
		return false;
	print_group(g, x);
	bool ok = fclose(g->out) == 0;
	if (ok)
		cmd_fold_print(text, n, stdout);
	free(text);
	return ok;
}

/* Print the answers ungrouped. */
static void print_each(const struct grouping *g, const struct group *x)
{
	for (size_t i = 0; i < x->n; i++)
		cmd_spool_copy(&g->job->procs[x->v[i]].answer->text, 0, stdout);
}

void cmd_grouping_print(struct cmd_job *job)
{
	struct grouping g = { .job = job };
	bool first = !job->is_job, grouped = make_groups(&g);

	for (size_t i = 0; grouped && i < g.n_groups; i++) {
		fputs(first ? "" : "\n", stdout);
		first = false;
		if (!job->is_job || !print_folded(&g, &g.groups[i]))
			print_each(&g, &g.groups[i]);
	}
	for (size_t i = 0; !grouped && i < job->n; i++) {
		if (!is_shown(&job->procs[i]))
			continue;
		fputs(first ? "" : "\n", stdout);
		first = false;
		cmd_spool_copy(&job->procs[i].answer->text, 0, stdout);
	}
	grouping_deinit(&g);
}
