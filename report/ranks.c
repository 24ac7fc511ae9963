/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include "html.h"

#include "../access/grow.h"
#include "../verdict/children.h"
#include "../verdict/job.h"
#include "../verdict/source.h"
#include "../verdict/words.h"

#include <stdlib.h>
#include <string.h>

enum {
	STACKS_SHOWN = 6,     /* different stacks of a group */
	STACKED_GROUPS = 200, /* groups whose stacks are shown */
	ROWS_SHOWN = 200,     /* groups in the table: the first and the last ones */
	LAST_ROWS = 20,
	LINES_SHOWN = 40,
	SUSPECTS_SHOWN = 8,
	PRINTED_RANKS = 256, /* of a group whose processes are listed on paper, too */
	MAP_COLUMNS = 64,    /* of a large job */
	FRAMES_SHOWN = 40,
	THREADS_SHOWN = 16
};

int32_t *rp_group_of(const struct vd_job *job, const struct vd_groups *groups)
{
	int32_t *ret = calloc(job->n_ranks + 1, sizeof(*ret));

	for (size_t g = 0; ret && g < groups->n; g++)
		for (size_t i = 0; i < groups->v[g].n; i++)
			ret[groups->v[g].ranks[i]] = (int32_t)g;
	return ret;
}

/* ---- map ------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *class, *words;
} classes[] = { [VD_FREE] = { "free", "in no MPI function" },
		[VD_POLLING] = { "polls", "polls" },
		[VD_WAITING] = { "waits", "waits" },
		[VD_OPAQUE] = { "opaque", "not known what for, or not read" },
		[VD_MOVING] = { "moves", "goes on" },
		[VD_STOPPED] = { "free", "stopped by a signal" },
		[VD_BUSY] = { "waits", "waits, and has a thread outside MPI" },
		[VD_OVER] = { "over", "has finished" } };
enum { N_CLASSES = sizeof(classes) / sizeof(classes[0]), DEAD = N_CLASSES, SUSPECT, N_COLORS };

static const char *color_class(int color)
{
	return color == DEAD ? "dead" : color == SUSPECT ? "suspect" : classes[color].class;
}

static uint8_t *colors_of(const struct rp_source *s)
{
	const struct vd_verdict *v = s->verdict;
	uint8_t *ret = malloc(s->job->n_ranks + 1);

	for (size_t i = 0; ret && i < s->job->n_ranks; i++)
		ret[i] = v->classes[i];
	for (size_t i = 0; ret && !v->uncertain && i < v->n_dead; i++)
		ret[v->dead[i]] = DEAD;
	for (size_t i = 0; ret && i < s->n_suspects && v->result == VD_MISSING_RANK; i++)
		ret[s->suspects[i]] = SUSPECT;
	return ret;
}

void rp_rank_map(FILE *out, const struct rp_source *s)
{
	static const char *const words[] = { "waits for something that can never happen", "missing: look here" };
	uint8_t *colors = colors_of(s);
	size_t n[N_COLORS] = { 0 }, in_row = 0;
	bool many = s->job->n_ranks > 4 * (size_t)MAP_COLUMNS;

	if (!colors)
		return;
	for (size_t i = 0; i < s->job->n_ranks; i++)
		n[colors[i]]++;
	fputs("<p class=\"legend\">", out);
	for (int c = N_COLORS; c-- > 0;)
		if (n[c])
			fprintf(out, "<span><b class=\"cell %s\">%zu</b> %s</span> ", color_class(c), n[c],
				c >= DEAD ? words[c - DEAD] : classes[c].words);
	fputs("</p>\n", out);
	int32_t world = -1;
	for (size_t i = 0; i < s->job->n_ranks; i++) {
		if (s->job->ranks[i].world != world) {
			struct vd_text t = { .n = 0 };
			long long number;
			fputs(world < 0 ? "" : "</div>\n", out);
			world = s->job->ranks[i].world;
			vd_world_number(s->job, (int32_t)i, &number);
			vd_append(&t, "world %lld", number);
			if (s->job->n_worlds > 1)
				fprintf(out, "<h3>%s</h3>\n", t.bytes);
			fputs(many ? "<div class=\"map many\">" : "<div class=\"map\">", out);
			in_row = 0;
		}
		if (many && in_row++ % MAP_COLUMNS == 0)
			fprintf(out, "<span>%d</span>\n", s->job->ranks[i].rank);
		fprintf(out, "<a class=\"%s\" href=\"#", color_class(colors[i]));
		rp_rank_id(out, s->job, (int32_t)i);
		if (many)
			fprintf(out, "\" title=\"rank %d\"", s->job->ranks[i].rank);
		fprintf(out, "%s>%d</a>\n", many ? "" : "\"", s->job->ranks[i].rank);
	}
	fputs(world < 0 ? "" : "</div>\n", out);
	free(colors);
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static void put_group_link(FILE *out, const struct rp_source *s, size_t group, const int32_t *ranks, size_t n)
{
	fprintf(out, "<a href=\"#g%zu\">", group + 1);
	rp_ranks(out, s->job, ranks, n);
	fputs("</a>", out);
}

/* The line at which a rank is; those around it fold out. */
static void put_source(FILE *out, const struct rp_source *s, int32_t rank)
{
	struct vd_source source;

	if (!vd_source_read(s->job, vd_thread_of(s->job, rank), &source))
		return;
	const char *line = source.lines[source.number - source.first];
	fputs("<details class=\"source\"><summary><code>", out);
	rp_text(out, line + strspn(line, " "));
	fputs("</code></summary><p>", out);
	rp_text(out, source.path);
	fputs(source.newer ? ": it is newer than the program</p><pre>" : "</p><pre>", out);
	for (size_t i = 0; i < source.n; i++) {
		bool is_it = source.first + (long)i == source.number;
		fprintf(out, "%s%5ld  ", is_it ? "<b>" : "", source.first + (long)i);
		rp_text(out, source.lines[i]);
		fputs(is_it ? "</b>\n" : "\n", out);
	}
	fputs("</pre></details>\n", out);
}

static void put_children(FILE *out, const struct rp_source *s, int32_t rank)
{
	const struct vd_rank *r = &s->job->ranks[rank];

	for (size_t i = 0; i < r->n_children; i++) {
		struct vd_text t = { .n = 0 };
		vd_append(&t, "child of rank %d: ", r->rank);
		vd_append_child(&t, &s->job->children[r->first_child + i]);
		fputs("<p>", out);
		rp_text(out, t.bytes);
		fputs("</p>\n", out);
	}
}

/* The groups of a fold: "at physics.c:212 in flux: ranks [3,17]" */
static void put_folded(FILE *out, const struct rp_source *s, const struct vd_fold *x)
{
	fputs("<details><summary>", out);
	rp_text(out, x->place);
	fprintf(out, ", %zu lines</summary><ul>\n", x->n_groups);
	for (size_t i = 0; i < x->n_groups && i < LINES_SHOWN; i++) {
		const struct vd_group *g = &s->groups->v[x->groups[i]];
		fputs("<li>", out);
		rp_text(out, g->place);
		fputs(": ", out);
		put_group_link(out, s, x->groups[i], g->ranks, g->n);
		fputs("</li>\n", out);
	}
	if (x->n_groups > LINES_SHOWN)
		fprintf(out, "<li>and %zu more lines</li>\n", x->n_groups - LINES_SHOWN);
	fputs("</ul></details>", out);
}

/* A row of the table, by its position in it. */
struct row {
	const struct vd_fold *fold;
	bool suspect; /* has a rank to look at first */
};

static int by_importance(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->suspect != y->suspect)
		return x->suspect ? -1 : 1;
	if (x->fold->n != y->fold->n)
		return x->fold->n < y->fold->n ? -1 : 1;
	return (x->fold->ranks[0] > y->fold->ranks[0]) - (x->fold->ranks[0] < y->fold->ranks[0]);
}

/* The folds with suspects first, then small ones before large ones; malloc, NULL: out of memory. */
static struct row *sorted_rows(const struct rp_source *s)
{
	const struct vd_folds *l = s->folds;
	struct row *rows = calloc(l->n + 1, sizeof(*rows));
	bool *is_suspect = calloc(s->job->n_ranks + 1, sizeof(*is_suspect));

	for (size_t i = 0; is_suspect && i < s->n_suspects; i++)
		is_suspect[s->suspects[i]] = true;
	for (size_t f = 0; rows && is_suspect && f < l->n; f++) {
		rows[f].fold = &l->v[f];
		for (size_t i = 0; i < l->v[f].n && !rows[f].suspect; i++)
			rows[f].suspect = is_suspect[l->v[f].ranks[i]];
	}
	if (rows && is_suspect)
		qsort(rows, l->n, sizeof(*rows), by_importance);
	bool ok = is_suspect;
	free(is_suspect);
	if (ok)
		return rows;
	free(rows);
	return NULL;
}

static void put_row(FILE *out, const struct rp_source *s, const struct vd_fold *x)
{
	fputs("<tr><td>", out);
	put_group_link(out, s, x->groups[0], x->ranks, x->n);
	fputs("</td><td>", out);
	rp_text(out, s->groups->v[x->groups[0]].activity);
	fputs("</td><td>", out);
	if (x->n_groups > 1)
		put_folded(out, s, x);
	else
		rp_text(out, x->place);
	fputs("</td></tr>\n", out);
}

void rp_rank_table(FILE *out, const struct rp_source *s)
{
	const size_t n = s->folds->n, first = n > ROWS_SHOWN ? ROWS_SHOWN - LAST_ROWS : n;
	struct row *rows = sorted_rows(s);

	if (!rows)
		return;
	fputs("<table><thead><tr><th>ranks</th><th>activity</th><th>location</th></tr></thead><tbody>\n", out);
	for (size_t i = 0; i < n; i++) {
		if (i < first || i >= n - LAST_ROWS)
			put_row(out, s, rows[i].fold);
		else if (i == first)
			fprintf(out,
				"<tr><td colspan=\"3\">And %zu more groups, <a href=\"#g%zu\">below</a>.</td></tr>\n",
				n - ROWS_SHOWN, rows[i].fold->groups[0] + 1);
	}
	fputs("</tbody></table>\n", out);
	free(rows);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

/* Is it a thread of the program: in an MPI function, or the first one? */
static bool is_shown(const json_t *process, const json_t *thread)
{
	return json_is_string(json_object_get(thread, "function")) ||
	       json_equal(json_object_get(thread, "thread"), json_object_get(process, "pid"));
}

static char *stacks_text(const json_t *process)
{
	const json_t *thread, *frame;
	char *text = NULL;
	size_t size = 0, i, k, n = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	json_array_foreach(json_object_get(process, "calls"), i, thread)
	{
		const json_t *frames = json_object_get(thread, "backtrace");
		if (!is_shown(process, thread) || n++ >= THREADS_SHOWN || !json_array_size(frames))
			continue;
		if (n > 1)
			fputs("another thread\n", f);
		json_array_foreach(frames, k, frame) if (k < FRAMES_SHOWN)
		{
			const char *name = json_string_value(frame);
			fprintf(f, "%s\n", name ? name : "?");
		}
		if (k > FRAMES_SHOWN)
			fprintf(f, "... and %zu more\n", k - FRAMES_SHOWN);
	}
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

struct stack {
	char *text;
	int32_t *ranks;
	size_t n;
};

static void put_stacks(FILE *out, const struct rp_source *s, const struct vd_group *group)
{
	struct stack stacks[STACKS_SHOWN] = { 0 };
	size_t n = 0, n_more = 0;

	for (size_t i = 0; i < group->n; i++) {
		char *text = stacks_text(s->processes[group->ranks[i]]);
		size_t k = 0;
		while (text && k < n && strcmp(stacks[k].text, text) != 0)
			k++;
		if (!text || !*text || k == STACKS_SHOWN) {
			n_more += k == STACKS_SHOWN;
			free(text);
			continue;
		}
		if (k == n)
			stacks[n++].text = text;
		else
			free(text);
		if (!ACC_GROW(stacks[k].ranks, stacks[k].n))
			continue;
		stacks[k].ranks[stacks[k].n++] = group->ranks[i];
	}
	for (size_t k = 0; k < n; k++) {
		fputs("<figure><figcaption>stack of ", out);
		rp_ranks(out, s->job, stacks[k].ranks, stacks[k].n);
		fputs("</figcaption><pre>", out);
		for (char *state = NULL, *line = strtok_r(stacks[k].text, "\n", &state); line;
		     line = strtok_r(NULL, "\n", &state)) {
			rp_text(out, line);
			fputc('\n', out);
		}
		fputs("</pre></figure>\n", out);
		free(stacks[k].text);
		free(stacks[k].ranks);
	}
	if (n_more)
		fprintf(out, "<p>%zu ranks of this group have other stacks.</p>\n", n_more);
}

/* @param target other places of the page refer to it */
static void put_entry(FILE *out, const struct rp_source *s, int32_t rank, bool target)
{
	const json_t *process = s->processes[rank], *problem;
	const struct vd_rank *r = &s->job->ranks[rank];
	const char *core = json_string_value(json_object_get(process, "core"));
	size_t i;

	fputs(target ? "<li id=\"" : "<li><a href=\"#", out);
	rp_rank_id(out, s->job, rank);
	fprintf(out, "\"><b>%d</b>%s", r->rank, target ? "" : "</a>");
	if (r->pid > 0)
		fprintf(out, " pid %lld", (long long)r->pid);
	fputc(' ', out);
	rp_member(out, process, "host");
	if (core) {
		fputs(" core ", out);
		rp_text(out, core);
	}
	if (r->process_state) {
		fputs(" <i>", out);
		rp_text(out, r->process_state);
		fputs("</i>", out);
	}
	json_array_foreach(json_object_get(process, "problems"), i, problem)
	{
		fputs("<br><em>", out);
		rp_text(out, json_string_value(problem));
		fputs("</em>", out);
	}
	fputs("</li>\n", out);
}

/* The suspects of one group: what they do, where, and their stacks. */
static void put_suspects(FILE *out, const struct rp_source *s, const struct vd_group *suspects)
{
	const int32_t first = suspects->ranks[0];
	const struct vd_group *group = &s->groups->v[s->group_of[first]];

	fputs("<section class=\"group\"><h3>", out);
	rp_ranks(out, s->job, suspects->ranks, suspects->n);
	fputs(": ", out);
	rp_text(out, group->activity);
	if (group->place && *group->place) {
		fputs(", ", out);
		rp_text(out, group->place);
	}
	fputs("</h3>\n", out);
	put_source(out, s, first);
	put_children(out, s, first);
	put_stacks(out, s, suspects);
	fputs("<ul class=\"ranks\">\n", out);
	for (size_t i = 0; i < suspects->n && i < SUSPECTS_SHOWN; i++)
		put_entry(out, s, suspects->ranks[i], false);
	fputs("</ul></section>\n", out);
}

void rp_suspects(FILE *out, const struct rp_source *s)
{
	bool *done = calloc(s->n_suspects + 1, sizeof(*done));
	int32_t *ranks = malloc((s->n_suspects + 1) * sizeof(*ranks));
	size_t n_sections = 0;

	for (size_t i = 0; done && ranks && i < s->n_suspects; i++) {
		struct vd_group alike = { .ranks = ranks };
		for (size_t k = i; !done[i] && k < s->n_suspects; k++)
			if (s->group_of[s->suspects[k]] == s->group_of[s->suspects[i]])
				ranks[alike.n++] = s->suspects[k];
		if (!alike.n || n_sections++ >= SUSPECTS_SHOWN)
			continue;
		for (size_t k = i; k < s->n_suspects; k++)
			done[k] |= s->group_of[s->suspects[k]] == s->group_of[s->suspects[i]];
		put_suspects(out, s, &alike);
	}
	if (n_sections > SUSPECTS_SHOWN)
		fprintf(out, "<p>And %zu more.</p>\n", n_sections - SUSPECTS_SHOWN);
	free(done);
	free(ranks);
}

void rp_rank_entries(FILE *out, const struct rp_source *s)
{
	for (size_t g = 0; g < s->groups->n; g++) {
		const struct vd_group *x = &s->groups->v[g];
		fprintf(out, "<section class=\"group\" id=\"g%zu\"><h3>", g + 1);
		rp_ranks(out, s->job, x->ranks, x->n);
		fputs(": ", out);
		rp_text(out, x->activity);
		fputs("</h3>\n<p>", out);
		rp_text(out, x->place);
		fputs("</p>\n", out);
		if (g < STACKED_GROUPS) {
			put_source(out, s, x->ranks[0]);
			put_children(out, s, x->ranks[0]);
			put_stacks(out, s, x);
		}
		if (x->n > PRINTED_RANKS)
			fprintf(out, "<p class=\"onpaper soft\">The processes of the %zu ranks are in the file.</p>",
				x->n);
		fprintf(out, "<ul class=\"ranks%s\">\n", x->n > PRINTED_RANKS ? " many" : "");
		for (size_t i = 0; i < x->n; i++)
			put_entry(out, s, x->ranks[i], true);
		fputs("</ul></section>\n", out);
	}
}
