/* SPDX-License-Identifier: BSD-3-Clause */
#include "folds.h"

#include "job.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12 /* so many groups are not folded */, NAMES_SHOWN = 3 };

enum level { BY_LINE, BY_FUNCTION, BY_FILE, N_LEVELS };

struct folding {
	const struct vd_job *job;
	const struct vd_verdict *v;
	const struct vd_groups *groups;
};

/* May the group be folded with others? Ranks that sleep or wait are those that matter. */
static bool place_of(const struct folding *f, size_t g, struct vd_place *ret)
{
	const int32_t rank = f->groups->v[g].ranks[0];
	const struct vd_thread *x = vd_thread_of(f->job, rank);
	const struct vd_rank *r = &f->job->ranks[rank];

	*ret = vd_place_of(x ? x->place : NULL);
	return f->v->classes[rank] == VD_FREE && r->state == VD_READ && r->process_state &&
	       strcmp(r->process_state, "running") == 0 && ret->file;
}

/* Groups with the same key become one fold. */
static void key_of(const struct folding *f, size_t g, enum level level, struct vd_text *ret)
{
	struct vd_place p;

	if (level == BY_LINE || !place_of(f, g, &p))
		vd_append(ret, "%zu", g);
	else
		vd_append(ret, "%d %.*s\n%.*s", (int)f->job->ranks[f->groups->v[g].ranks[0]].world, p.n_file, p.file,
			  level == BY_FUNCTION ? p.n_function : 0, p.function);
}

static int by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* "at physics.c:212-225 in flux" */
static void append_lines(struct vd_text *t, const struct folding *f, const struct vd_fold *x)
{
	struct vd_place p, first = { .function = "", .file = "" };
	long lo = 0, hi = 0;

	place_of(f, x->groups[0], &first);
	for (size_t i = 0; i < x->n_groups; i++) {
		place_of(f, x->groups[i], &p);
		lo = !i || p.line < lo ? p.line : lo;
		hi = !i || p.line > hi ? p.line : hi;
	}
	vd_append(t, "at %.*s:%ld-%ld in %.*s", first.n_file, first.file, lo, hi, first.n_function, first.function);
}

/* "in physics.c (flux, sources, ...)" */
static void append_functions(struct vd_text *t, const struct folding *f, const struct vd_fold *x)
{
	struct vd_place shown[NAMES_SHOWN], p = { .function = "", .file = "" };
	size_t n = 0;
	bool more = false;

	for (size_t i = 0; i < x->n_groups; i++) {
		size_t k = 0;
		place_of(f, x->groups[i], &p);
		while (k < n && (shown[k].n_function != p.n_function ||
				 strncmp(shown[k].function, p.function, (size_t)p.n_function) != 0))
			k++;
		if (k == n && n < NAMES_SHOWN)
			shown[n++] = p;
		else
			more |= k == n;
	}
	vd_append(t, "in %.*s (", p.n_file, p.file);
	for (size_t k = 0; k < n; k++)
		vd_append(t, "%s%.*s", k ? ", " : "", shown[k].n_function, shown[k].function);
	vd_append(t, "%s)", more ? ", ..." : "");
}

/* The groups are all there. */
static bool finish(const struct folding *f, enum level level, struct vd_fold *x)
{
	struct vd_text t = { .n = 0 };
	const struct vd_group *first = &f->groups->v[x->groups[0]];

	for (size_t i = 0; i < x->n_groups; i++)
		x->n += f->groups->v[x->groups[i]].n;
	x->ranks = calloc(x->n + 1, sizeof(*x->ranks));
	for (size_t i = 0, n = 0; x->ranks && i < x->n_groups; n += f->groups->v[x->groups[i++]].n)
		memcpy(x->ranks + n, f->groups->v[x->groups[i]].ranks,
		       f->groups->v[x->groups[i]].n * sizeof(*x->ranks));
	if (x->ranks && x->n_groups > 1)
		qsort(x->ranks, x->n, sizeof(*x->ranks), by_number);
	x->last = first->last;
	if (x->n_groups == 1)
		vd_append(&t, "%s", first->place ? first->place : "");
	else if (level == BY_FUNCTION)
		append_lines(&t, f, x);
	else
		append_functions(&t, f, x);
	x->place = strdup(t.bytes);
	return x->ranks && x->place;
}

static int by_size(const void *a, const void *b)
{
	const struct vd_fold *x = a, *y = b;

	if (x->last != y->last)
		return x->last ? 1 : -1;
	if (x->last && x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return (x->groups[0] > y->groups[0]) - (x->groups[0] < y->groups[0]);
}

static bool add_to_fold(struct vd_folds *ret, struct vd_names **names, const char *key, size_t g)
{
	int32_t i = vd_name(names, key, (int32_t)ret->n);

	if (i == VD_UNKNOWN)
		return false;
	struct vd_fold *x = &ret->v[i];
	ret->n += (size_t)i == ret->n;
	size_t *grown = realloc(x->groups, (x->n_groups + 1) * sizeof(*grown));
	if (!grown)
		return false;
	x->groups = grown;
	x->groups[x->n_groups++] = g;
	return true;
}

static void fold(struct vd_folds *ret, const struct folding *f, enum level level)
{
	struct vd_names *names = NULL;

	ret->v = calloc(f->groups->n + 1, sizeof(*ret->v));
	ret->no_memory = !ret->v;
	for (size_t g = 0; !ret->no_memory && g < f->groups->n; g++) {
		struct vd_text key = { .n = 0 };
		key_of(f, g, level, &key);
		ret->no_memory = !add_to_fold(ret, &names, key.bytes, g);
	}
	vd_names_destroy(names);
	for (size_t i = 0; !ret->no_memory && i < ret->n; i++)
		ret->no_memory = !finish(f, level, &ret->v[i]);
	if (!ret->no_memory && level != BY_LINE)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_size);
}

void vd_fold_groups(struct vd_folds *ret, const struct vd_job *job, const struct vd_verdict *v,
		    const struct vd_groups *groups)
{
	const struct folding f = { job, v, groups };

	for (int level = BY_LINE; level < N_LEVELS; level++) {
		vd_folds_deinit(ret);
		fold(ret, &f, (enum level)level);
		if (ret->no_memory || ret->n <= SHOWN)
			return;
	}
}

void vd_folds_deinit(struct vd_folds *l)
{
	for (size_t i = 0; l->v && i < l->n; i++) {
		free(l->v[i].place);
		free(l->v[i].ranks);
		free(l->v[i].groups);
	}
	free(l->v);
	*l = (struct vd_folds){ .n = 0 };
}
