/* SPDX-License-Identifier: BSD-3-Clause */
#include "vars_diff.h"

#include "json.h"
#include "query_frame.h"
#include "ranks.h"
#include "vars_value.h"

#include "../access/grow.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value, and the ranks that have it. */
struct group {
	char *value;  /* as text; NULL: they do not have the item */
	json_t *json; /* borrowed; NULL: they do not have it, or it is not known */
	struct cmd_ranks ranks;
};

/* A variable, category or event of any rank. */
struct thing {
	const char *kind, *name; /* borrowed */
	const char *class;       /* of a performance variable: its name is unique only within its class */
	bool of_mpi;             /* of the MPI library: may exist in ranks where these were not read */
	struct group *groups;
	size_t n;
};

struct diff {
	struct cmd_job *job;
	json_t **answers; /* one for each process; NULL: none */
	size_t n_answers;
	struct thing *things;
	size_t n;
	json_t *index;           /* "kind/class/name": index of the item */
	struct cmd_ranks unread; /* ranks whose MPI library's variables were not read */
};

static const char *const kinds[] = { "cvars", "pvars", "categories", "events" };
static const char *const words[] = { "control variables", "performance variables", "categories", "events" };
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- reading --------------------------------------------------------------------------------------------- */

/* The text may continue in a file. */
static json_t *parse(struct cmd_answer *a)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	bool ok = cmd_spool_copy(&a->text, 0, f);
	ok = fclose(f) == 0 && ok;
	json_t *ret = ok && text ? json_loadb(text, n, 0, NULL) : NULL;
	free(text);
	return ret;
}

static struct thing *thing_of(struct diff *d, const char *kind, json_t *entry)
{
	const char *name = json_string_value(json_object_get(entry, "name"));
	const char *class = json_string_value(json_object_get(entry, "class"));
	char key[1024];

	snprintf(key, sizeof(key), "%s/%s/%s", kind, class ? class : "", name ? name : "");
	json_t *known = json_object_get(d->index, key);
	if (known)
		return &d->things[json_integer_value(known)];
	if (!ACC_GROW(d->things, d->n))
		return NULL;
	json_object_set_new(d->index, key, json_integer((json_int_t)d->n));
	const char *origin = json_string_value(json_object_get(entry, "origin"));
	d->things[d->n] = (struct thing){
		.kind = kind, .name = name ? name : "", .class = class, .of_mpi = origin && !strcmp(origin, "mpi")
	};
	return &d->things[d->n++];
}

/* Takes ownership of @p value. */
static bool put_value(struct thing *t, char *value, json_t *json, int64_t rank)
{
	size_t i = 0;

	while (i < t->n && strcmp(t->groups[i].value, value) != 0)
		i++;
	if (i == t->n) {
		if (!ACC_GROW(t->groups, t->n)) {
			free(value);
			return false;
		}
		t->groups[t->n++] = (struct group){ .value = value, .json = json };
	} else {
		free(value);
	}
	return cmd_ranks_add(&t->groups[i].ranks, rank, rank);
}

static bool read_answer(struct diff *d, json_t *answer, int64_t rank)
{
	for (int k = 0; k < N_KINDS; k++) {
		json_t *entry;
		size_t i;

		json_array_foreach(json_object_get(answer, kinds[k]), i, entry)
		{
			struct thing *t = thing_of(d, kinds[k], entry);
			char *value = t ? cmd_vars_value(kinds[k], entry) : NULL;

			if (!value || !put_value(t, value, json_object_get(entry, "value"), rank))
				return false;
		}
	}
	return true;
}

/* Ranks without the item form a group of their own. For ranks whose MPI library was not read, this is unknown. */
static bool add_absent(struct diff *d, const struct cmd_ranks *all)
{
	for (size_t i = 0; i < d->n; i++) {
		struct thing *t = &d->things[i];
		uint64_t n = 0;

		for (size_t g = 0; g < t->n; g++)
			n += cmd_ranks_count(&t->groups[g].ranks);
		if (n == cmd_ranks_count(all))
			continue;
		for (size_t r = 0; r < all->n; r++)
			for (int64_t rank = all->range[r].first; rank <= all->range[r].last; rank++) {
				bool has = t->of_mpi && cmd_ranks_has(&d->unread, rank);

				for (size_t g = 0; g < t->n && !has; g++)
					has = cmd_ranks_has(&t->groups[g].ranks, rank);
				char *value = has ? NULL : strdup("not there");
				if (!has && (!value || !put_value(t, value, NULL, rank)))
					return false;
			}
	}
	return true;
}

/* Report the ranks whose MPI library's variables were not read while others were: their answers are incomplete. */
static void report_unread(const struct diff *d, const struct cmd_ranks *all)
{
	uint64_t n = cmd_ranks_count(&d->unread);
	char *set = n && n < cmd_ranks_count(all) ? cmd_ranks_text(&d->unread) : NULL;

	if (set)
		cmd_lines_add(&d->job->problems,
			      "rank%s %s: the MPI library's own were not read, and are not compared: start the program "
			      "with MPI2DD_VARS=host, or call MPI2DD_refresh() in every rank",
			      n == 1 ? "" : "s", set);
	free(set);
}

/* ---- printing -------------------------------------------------------------------------------------------- */

static void print_text(const struct diff *d)
{
	for (int k = 0; k < N_KINDS; k++) {
		size_t n = 0, differ = 0;

		for (size_t i = 0; i < d->n; i++) {
			if (strcmp(d->things[i].kind, kinds[k]) != 0)
				continue;
			n++;
			differ += d->things[i].n > 1;
		}
		if (!n)
			continue;
		printf("%s: %zu of %zu differ%s\n", words[k], differ, n, differ ? ":" : "");
		for (size_t i = 0; i < d->n; i++) {
			const struct thing *t = &d->things[i];

			if (strcmp(t->kind, kinds[k]) != 0 || t->n < 2)
				continue;
			printf("  %s\n", t->name);
			for (size_t g = 0; g < t->n; g++) {
				char *set = cmd_ranks_text(&t->groups[g].ranks);
				uint64_t count = cmd_ranks_count(&t->groups[g].ranks);

				printf("    %-40s %s (%llu rank%s)\n", t->groups[g].value, set ? set : "?",
				       (unsigned long long)count, count == 1 ? "" : "s");
				free(set);
			}
		}
	}
}

static json_t *groups_json(const struct thing *t)
{
	json_t *ret = json_array();

	for (size_t g = 0; g < t->n; g++) {
		const struct group *group = &t->groups[g];
		json_t *one = json_object(), *ranks = json_array();

		for (size_t r = 0; r < group->ranks.n; r++)
			for (int64_t rank = group->ranks.range[r].first; rank <= group->ranks.range[r].last; rank++)
				json_array_append_new(ranks, json_integer(rank));
		json_object_set_new(one, "ranks", ranks);
		json_object_set(one, "value", group->json ? group->json : json_null());
		json_object_set_new(one, "words", json_string(group->value));
		json_array_append_new(ret, one);
	}
	return ret;
}

static bool print_json(const struct diff *d)
{
	bool ok = true, first = true;

	cmd_query_json_begin("vars", d->job);
	printf(" ],\n \"compared\": %zu,\n \"differences\": [\n", d->n);
	for (size_t i = 0; i < d->n; i++) {
		const struct thing *t = &d->things[i];

		if (t->n < 2)
			continue;
		json_t *one = json_object();
		json_object_set_new(one, "kind", json_string(t->kind));
		json_object_set_new(one, "name", json_string(t->name));
		json_object_set_new(one, "values", groups_json(t));
		char *text = cmd_json_text(one, JSON_COMPACT);
		ok = ok && text;
		printf("  %s%s\n", first ? "" : ",", text ? text : "null");
		first = false;
		free(text);
		json_decref(one);
	}
	cmd_query_json_end(d->job);
	return ok;
}

/* ---- all --------------------------------------------------------------------------------------------------- */

static void deinit(struct diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		for (size_t g = 0; g < d->things[i].n; g++) {
			free(d->things[i].groups[g].value);
			cmd_ranks_deinit(&d->things[i].groups[g].ranks);
		}
		free(d->things[i].groups);
	}
	free(d->things);
	for (size_t i = 0; i < d->n_answers; i++)
		json_decref(d->answers[i]);
	free(d->answers);
	json_decref(d->index);
}

enum cmd_exit cmd_vars_diff(struct cmd_job *job, const struct cmd_options *o, bool json)
{
	struct diff d = { .job = job, .answers = calloc(job->n + 1, sizeof(json_t *)), .index = json_object() };
	struct cmd_ranks all = { 0 };
	size_t n_absent = 0;
	enum cmd_exit rc = CMD_DONE;
	bool ok = d.answers && d.index;
	size_t n_others = 0;

	(void)o;
	for (size_t i = 0; ok && i < job->n; i++) {
		struct cmd_proc *p = &job->procs[i];

		n_absent += p->answer->rc == CMD_ABSENT;
		if (p->answer->left_out || !p->answer->text.n || p->answer->rc == CMD_ABSENT || p->rank < 0)
			continue;
		if (!cmd_same_world(p, &job->procs[0])) {
			n_others++;
			continue;
		}
		json_t *answer = parse(p->answer);
		if (!answer) {
			cmd_lines_add(&job->problems, "rank %lld: its answer cannot be compared", (long long)p->rank);
			rc = CMD_PARTIAL;
			continue;
		}
		d.answers[d.n_answers++] = answer;
		ok = cmd_ranks_add(&all, p->rank, p->rank) && read_answer(&d, answer, p->rank) &&
		     (json_is_true(json_object_get(answer, "mpi_library")) ||
		      cmd_ranks_add(&d.unread, p->rank, p->rank));
	}
	if (n_others)
		cmd_lines_add(&job->problems, "%zu processes of other worlds are not compared", n_others);
	ok = ok && add_absent(&d, &all);
	if (ok)
		report_unread(&d, &all);
	if (!ok) {
		cmd_message("vars: out of memory");
		rc = CMD_PARTIAL;
	} else if (d.n_answers == 0 && n_absent) {
		rc = rc == CMD_DONE ? CMD_ABSENT : rc; /* each process has reported why */
	} else if (d.n_answers < 2) {
		cmd_message("vars: --diff: %zu rank%s answered: two or more are needed", d.n_answers,
			    d.n_answers == 1 ? " has" : "s have");
		rc = rc == CMD_DONE ? CMD_ABSENT : rc;
	} else if (json) {
		ok = print_json(&d);
	} else {
		cmd_query_heading(job);
		print_text(&d);
	}
	cmd_ranks_deinit(&all);
	cmd_ranks_deinit(&d.unread);
	deinit(&d);
	return ok ? rc : CMD_PARTIAL;
}
