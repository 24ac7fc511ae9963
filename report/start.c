/* SPDX-License-Identifier: BSD-3-Clause */
#include "start.h"

#include "html.h"

#include "../access/grow.h"
#include "../verdict/job.h"
#include "../verdict/words.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUES_SHOWN = 40 };

/* A value, and the ranks that have it. */
struct value {
	char *text;
	int32_t *ranks;
	size_t n;
};

struct values {
	struct value *v;
	size_t n;
	struct vd_names *names;
};

static void put_value(struct values *l, const char *text, int32_t rank)
{
	int32_t i = vd_name(&l->names, text, (int32_t)l->n);

	if (i == VD_UNKNOWN)
		return;
	if ((size_t)i == l->n) {
		if (!ACC_GROW(l->v, l->n))
			return;
		l->v[l->n++] = (struct value){ .text = strdup(text) };
	}
	struct value *x = &l->v[i];
	if (!ACC_GROW(x->ranks, x->n))
		return;
	x->ranks[x->n++] = rank;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void append_value(struct vd_text *t, const json_t *process, const char *key)
{
	const json_t *mpi = json_object_get(process, "mpi");
	const char *value = text_of(process, key), *component = text_of(mpi, "component");

	if (strcmp(key, "mpi") == 0 && text_of(mpi, "name"))
		vd_append(t, "%s %s%s%s", text_of(mpi, "name"), text_of(mpi, "version") ? text_of(mpi, "version") : "",
			  component ? ", " : "", component ? component : "");
	else if (strcmp(key, "layout") == 0 && text_of(mpi, "layout"))
		vd_append(t, "%s", text_of(mpi, "layout"));
	else if (value)
		vd_append(t, "%s", value);
}

/* A row of the table: each value, and the ranks that have it. */
static void put_row(FILE *out, const struct rp_source *s, const char *name, const char *key)
{
	struct values l = { .n = 0 };

	for (size_t i = 0; i < s->job->n_ranks; i++) {
		struct vd_text t = { .n = 0 };
		append_value(&t, s->processes[i], key);
		if (t.n)
			put_value(&l, t.bytes, (int32_t)i);
	}
	if (l.n)
		fprintf(out, "<tr><th>%s</th><td>", name);
	for (size_t i = 0; i < l.n; i++) {
		if (i < VALUES_SHOWN) {
			fputs(i ? "<br>" : "", out);
			rp_text(out, l.v[i].text);
			if (l.v[i].n < s->job->n_ranks) {
				fputs(" <small>", out);
				rp_ranks(out, s->job, l.v[i].ranks, l.v[i].n);
				fputs("</small>", out);
			}
		}
		free(l.v[i].text);
		free(l.v[i].ranks);
	}
	if (l.n > VALUES_SHOWN)
		fprintf(out, "<br>and %zu more", l.n - VALUES_SHOWN);
	fputs(l.n ? "</td></tr>\n" : "", out);
	free(l.v);
	vd_names_destroy(l.names);
}

static void put_job(FILE *out, const struct rp_source *s)
{
	const json_t *job = json_object_get(s->snapshot, "job"), *word;
	const json_t *launcher = json_object_get(job, "launcher"), *size = json_object_get(job, "size");
	const json_t *words = json_object_get(job, "command_line");
	size_t i;

	if (json_array_size(words)) {
		fputs("<tr><th>command line</th><td><code>", out);
		json_array_foreach(words, i, word)
		{
			fputs(i ? " " : "", out);
			rp_text(out, json_string_value(word));
		}
		fputs("</code></td></tr>\n", out);
	}
	if (json_is_integer(launcher))
		fprintf(out, "<tr><th>launcher</th><td>process %lld</td></tr>\n",
			(long long)json_integer_value(launcher));
	fprintf(out, "<tr><th>ranks</th><td>%zu", s->job->n_ranks);
	if (json_is_integer(size) && (size_t)json_integer_value(size) != s->job->n_ranks)
		fprintf(out, " of %lld", (long long)json_integer_value(size));
	if (s->job->n_worlds > 1)
		fprintf(out, ", %d worlds", s->job->n_worlds);
	if (text_of(job, "source")) {
		fputs(", named by ", out);
		rp_member(out, job, "source");
	}
	fputs("</td></tr>\n", out);
}

void rp_start(FILE *out, const struct rp_source *s)
{
	time_t when = (time_t)json_integer_value(json_object_get(s->snapshot, "time"));
	struct tm tm;
	char date[64];

	fputs("<table class=\"facts\"><tbody>\n", out);
	put_job(out, s);
	put_row(out, s, "program", "executable");
	put_row(out, s, "hosts", "host");
	put_row(out, s, "MPI", "mpi");
	put_row(out, s, "read by", "layout");
	if (when > 0 && gmtime_r(&when, &tm) && strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm)) {
		fprintf(out, "<tr><th>seen</th><td>%s on ", date);
		rp_member(out, s->snapshot, "host");
		fputs(" by mpidbg " MPIDBG_VERSION "</td></tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

/* The script that Python runs: the file of its outermost function. @return NULL: not Python, or no file */
static const char *script_of(const json_t *process)
{
	const json_t *python = json_object_get(json_array_get(json_object_get(process, "calls"), 0), "python");
	const json_t *first = json_array_get(python, json_array_size(python) - 1);
	const char *function = text_of(first, "function"), *file = text_of(first, "file");

	return function && file && strcmp(function, "<module>") == 0 && *file && *file != '<' ? file : NULL;
}

const char *rp_program(const struct rp_source *s)
{
	for (size_t i = 0; i < s->job->n_ranks; i++) {
		const char *script = script_of(s->processes[i]), *base = script ? strrchr(script, '/') : NULL;
		if (script)
			return base && base[1] ? base + 1 : script;
		const char *path = text_of(s->processes[i], "executable"), *slash = path ? strrchr(path, '/') : NULL;
		if (path && *path)
			return slash && slash[1] ? slash + 1 : path;
	}
	return NULL;
}
