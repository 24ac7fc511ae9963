/* SPDX-License-Identifier: BSD-3-Clause */
#include "variables.h"

#include "html.h"

#include "../verdict/members.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 300, VALUES_SHOWN = 40 };

/* Marks ranks of the first world, by number. */
struct marks {
	uint8_t *of_rank; /* of each rank of the job */
	int32_t *index;   /* of each number of a rank: its index; -1: none */
	size_t n;
};

static void mark(struct marks *m, const json_t *ranks, uint8_t bit)
{
	const json_t *r;
	int64_t first, last;
	size_t i;

	json_array_foreach(ranks, i, r)
	{
		if (json_is_integer(r))
			first = last = json_integer_value(r);
		else if (!vd_members_range(r, &first, &last))
			continue;
		for (; first >= 0 && first <= last && (uint64_t)first < m->n; first++)
			if (m->index[first] >= 0)
				m->of_rank[m->index[first]] |= bit;
	}
}

/* Collects ranks with exactly these bits. @return how many */
static size_t collect(const struct marks *m, size_t n_ranks, uint8_t bits, int32_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < n_ranks; i++)
		if (m->of_rank[i] == bits)
			ret[n++] = (int32_t)i;
	return n;
}

enum { ANSWERED = 1, UNREAD = 2, HAS = 4, THIS = 8 };

static void put_value(FILE *out, const struct rp_source *s, const char *words, const int32_t *ranks, size_t n,
		      size_t *shown)
{
	if (!n || (*shown)++ >= VALUES_SHOWN)
		return;
	fputs(*shown > 1 ? "<br>" : "", out);
	rp_text(out, words);
	fputs(" <small>", out);
	rp_ranks(out, s->job, ranks, n);
	fputs("</small>", out);
}

static void clear(struct marks *m, size_t n_ranks, uint8_t bits)
{
	for (size_t i = 0; i < n_ranks; i++)
		m->of_rank[i] &= (uint8_t)~bits;
}

/* Writes a row if the variable differs between ranks. @return whether it does */
static bool put_variable(FILE *out, const struct rp_source *s, const json_t *variable, struct marks *m, int32_t *ranks,
			 bool shows)
{
	const json_t *values = json_object_get(variable, "values"), *value;
	size_t n_ranks = s->job->n_ranks, i, n_absent, shown = 0;
	bool of_mpi = json_is_true(json_object_get(variable, "of_mpi"));

	clear(m, n_ranks, HAS | THIS);
	json_array_foreach(values, i, value) mark(m, json_object_get(value, "ranks"), HAS);
	/* a rank whose MPI library's variables were not read may have it */
	n_absent = collect(m, n_ranks, ANSWERED, ranks);
	if (!of_mpi)
		n_absent += collect(m, n_ranks, ANSWERED | UNREAD, ranks + n_absent);
	bool differs = json_array_size(values) > 1 || n_absent;
	if (!differs || !shows)
		return differs;
	fputs("<tr><td>", out);
	rp_member(out, variable, "name");
	fputs("</td><td>", out);
	put_value(out, s, "not there", ranks, n_absent, &shown);
	json_array_foreach(values, i, value)
	{
		size_t n = 0;
		clear(m, n_ranks, THIS);
		mark(m, json_object_get(value, "ranks"), THIS);
		for (size_t k = 0; k < n_ranks; k++)
			if (m->of_rank[k] & THIS)
				ranks[n++] = (int32_t)k;
		put_value(out, s, json_string_value(json_object_get(value, "words")), ranks, n, &shown);
	}
	if (shown > VALUES_SHOWN)
		fprintf(out, "<br>and %zu more values", shown - VALUES_SHOWN);
	fputs("</td></tr>\n", out);
	return true;
}

static bool marks_init(struct marks *m, const struct vd_job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].world == 0 && (size_t)job->ranks[i].rank >= m->n &&
		    job->ranks[i].rank < VD_MEMBERS_MAX)
			m->n = (size_t)job->ranks[i].rank + 1;
	m->of_rank = calloc(job->n_ranks + 1, sizeof(*m->of_rank));
	m->index = malloc((m->n + 1) * sizeof(*m->index));
	for (size_t i = 0; m->index && i < m->n; i++)
		m->index[i] = -1;
	for (size_t i = 0; m->index && i < job->n_ranks; i++)
		if (job->ranks[i].world == 0 && (size_t)job->ranks[i].rank < m->n)
			m->index[job->ranks[i].rank] = (int32_t)i;
	return m->of_rank && m->index;
}

void rp_variables(FILE *out, const struct rp_source *s)
{
	const json_t *variables = json_object_get(s->snapshot, "variables"), *variable;
	const json_t *list = json_object_get(variables, "list");
	struct marks m = { .n = 0 };
	int32_t *ranks = malloc(2 * (s->job->n_ranks + 1) * sizeof(*ranks));
	size_t i, n = 0;

	if (!json_array_size(list)) {
		fputs("<p>Not known: the program was not started with mpi2dd-run.</p>\n", out);
	} else if (ranks && marks_init(&m, s->job)) {
		mark(&m, json_object_get(variables, "ranks"), ANSWERED);
		mark(&m, json_object_get(variables, "unread"), UNREAD);
		json_array_foreach(list, i, variable) n += put_variable(out, s, variable, &m, ranks, false);
		fprintf(out, "<p>%zu of %zu control variables differ.", n, json_array_size(list));
		if (json_array_size(json_object_get(variables, "unread")))
			fputs(" Those of the MPI library were not read in all ranks: start with MPI2DD_VARS=host.",
			      out);
		fputs("</p>\n", out);
		if (n)
			fputs("<table><thead><tr><th>variable</th><th>values, and which ranks have "
			      "them</th></tr></thead><tbody>\n",
			      out);
		size_t rows = 0;
		json_array_foreach(list, i, variable)
			rows += put_variable(out, s, variable, &m, ranks, rows < ROWS_SHOWN);
		if (n)
			fputs("</tbody></table>\n", out);
		if (n > ROWS_SHOWN)
			fprintf(out, "<p>And %zu more.</p>\n", n - ROWS_SHOWN);
	}
	free(ranks);
	free(m.of_rank);
	free(m.index);
}
