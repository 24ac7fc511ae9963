/* SPDX-License-Identifier: BSD-3-Clause */
#include "rollcall.h"

#include "html.h"

#include "../access/grow.h"
#include "../verdict/job.h"
#include "../verdict/words.h"

#include <stdlib.h>
#include <string.h>

enum { COLLECTIVES_SHOWN = 50, LINES_SHOWN = 30 };

struct collective {
	const char *function; /* NULL: a non-blocking one */
	int64_t sequence;
	int32_t comm;
	int32_t *ranks; /* ranks in it */
	size_t n;
};

struct roll {
	struct collective *v;
	size_t n;
	struct vd_names *names;
};

static void enter(struct roll *l, int32_t rank, int32_t comm, const char *function, int64_t sequence)
{
	char key[160];

	snprintf(key, sizeof(key), "%d %.96s %lld", comm, function ? function : "", (long long)sequence);
	int32_t i = vd_name(&l->names, key, (int32_t)l->n);
	if (i == VD_UNKNOWN)
		return;
	if ((size_t)i == l->n) {
		if (!ACC_GROW(l->v, l->n))
			return;
		l->v[l->n++] = (struct collective){ .function = function, .sequence = sequence, .comm = comm };
	}
	struct collective *x = &l->v[i];
	if (!ACC_GROW(x->ranks, x->n))
		return;
	if (!x->n || x->ranks[x->n - 1] != rank) /* two threads of one rank */
		x->ranks[x->n++] = rank;
}

static void take_ranks(struct roll *l, const struct vd_job *job)
{
	for (size_t r = 0; r < job->n_ranks; r++) {
		const struct vd_rank *x = &job->ranks[r];
		for (size_t i = x->first_thread; i < x->first_thread + x->n_threads; i++) {
			const struct vd_thread *t = &job->threads[i];
			if (t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN)
				enter(l, (int32_t)r, t->comm, t->function, 0);
		}
		for (size_t i = x->first_op; i < x->first_op + x->n_ops; i++) {
			const struct vd_op *op = &job->ops[i];
			if (op->kind == VD_COLLECTIVE && op->comm != VD_UNKNOWN && !op->internal && !op->inactive)
				enter(l, (int32_t)r, op->comm, NULL, op->sequence);
		}
	}
}

/* The ranks that are not in it, by group. */
static void put_absent(FILE *out, const struct rp_source *s, const struct collective *x)
{
	const struct vd_comm *c = &s->job->comms[x->comm];
	uint8_t *absent = calloc(s->job->n_ranks + 1, 1);
	int32_t *ranks = malloc((s->job->n_ranks + 1) * sizeof(*ranks));
	size_t n_unknown = 0, n_lines = 0;

	for (int32_t i = 0; absent && i < c->n; i++) {
		int32_t r = c->members ? c->members[i] : i;
		if (r >= 0 && (size_t)r < s->job->n_ranks)
			absent[r] = 1;
		else
			n_unknown++;
	}
	for (size_t i = 0; absent && i < x->n; i++)
		absent[x->ranks[i]] = 0;
	for (size_t f = 0; absent && ranks && f < s->folds->n; f++) {
		const struct vd_fold *fold = &s->folds->v[f];
		size_t n = 0;
		for (size_t i = 0; i < fold->n; i++)
			if (absent[fold->ranks[i]])
				ranks[n++] = fold->ranks[i];
		if (!n || n_lines++ >= LINES_SHOWN)
			continue;
		fputs("<tr class=\"absent\"><td>not in it</td><td>", out);
		fprintf(out, "<a href=\"#g%zu\">", fold->groups[0] + 1);
		rp_ranks(out, s->job, ranks, n);
		fputs("</a></td><td>", out);
		rp_text(out, s->groups->v[fold->groups[0]].activity);
		if (*fold->place) {
			fputs(", ", out);
			rp_text(out, fold->place);
		}
		fputs("</td></tr>\n", out);
	}
	if (n_lines > LINES_SHOWN)
		fprintf(out,
			"<tr class=\"absent\"><td>not in it</td><td colspan=2>ranks of %zu more groups</td></tr>\n",
			n_lines - LINES_SHOWN);
	if (n_unknown)
		fprintf(out,
			"<tr class=\"absent\"><td>not known</td><td colspan=2>%zu ranks that are not in the "
			"snapshot</td></tr>\n",
			n_unknown);
	free(absent);
	free(ranks);
}

size_t rp_rollcall(FILE *out, const struct rp_source *s)
{
	struct roll l = { .n = 0 };

	take_ranks(&l, s->job);
	for (size_t i = 0; i < l.n && i < COLLECTIVES_SHOWN; i++) {
		const struct collective *x = &l.v[i];
		fputs("<h3>", out);
		rp_text(out, x->function ? x->function : "non-blocking collective");
		fputs(" on ", out);
		rp_text(out, vd_comm_name(s->job, x->comm));
		if (!x->function && x->sequence >= 0)
			fprintf(out, ", number %lld", (long long)x->sequence);
		fprintf(out, ": %zu of %d</h3>\n<table><tbody>\n<tr><td>in it</td><td>", x->n,
			s->job->comms[x->comm].n);
		rp_ranks(out, s->job, x->ranks, x->n);
		fputs("</td><td></td></tr>\n", out);
		put_absent(out, s, x);
		fputs("</tbody></table>\n", out);
	}
	if (l.n > COLLECTIVES_SHOWN)
		fprintf(out, "<p>And %zu more collectives.</p>\n", l.n - COLLECTIVES_SHOWN);
	size_t n = l.n;
	for (size_t i = 0; i < l.n; i++)
		free(l.v[i].ranks);
	free(l.v);
	vd_names_destroy(l.names);
	return n;
}
