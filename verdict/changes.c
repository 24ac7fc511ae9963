/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include "job.h"
#include "place.h"
#include "text.h"
#include "words.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- one rank ---------------------------------------------------------------------------------------------- */

static bool same_place(const struct vd_thread *a, const struct vd_thread *b)
{
	return vd_same_text(a ? a->place : NULL, b ? b->place : NULL);
}

static bool is_running(const struct vd_rank *r)
{
	return vd_same_text(r->process_state, "running");
}

static enum vd_change change_of(const struct vd_changes *c, int32_t before, int32_t after)
{
	const struct vd_rank *a = &c->before.job->ranks[before], *b = &c->after.job->ranks[after];
	const struct vd_thread *t = vd_thread_of(c->before.job, before), *u = vd_thread_of(c->after.job, after);
	enum vd_call from = t ? t->call : VD_CALL_NONE, to = u ? u->call : VD_CALL_NONE;
	bool same_ops = a->ops_print == b->ops_print, no_calls = a->n_calls == b->n_calls;

	if (a->pid > 0 && b->pid > 0 && a->pid != b->pid)
		return VD_OTHER;
	if (b->state == VD_ENDED)
		return a->state == VD_ENDED ? VD_OVER_NOW : VD_FINISHED;
	if (a->state != VD_READ || b->state != VD_READ)
		return VD_NOT_KNOWN;
	if (same_ops && (from == VD_CALL_POLL || to == VD_CALL_POLL) &&
	    (from == VD_CALL_POLL || from == VD_CALL_NONE) && (to == VD_CALL_POLL || to == VD_CALL_NONE))
		return VD_POLLS;
	if (from == VD_CALL_NONE && to == VD_CALL_NONE && same_ops && no_calls && is_running(b) &&
	    vd_place_same_function(t ? t->place : NULL, u ? u->place : NULL))
		return VD_COMPUTES;
	return a->fingerprint == b->fingerprint && same_place(t, u) ? VD_SAME : VD_WENT_ON;
}

/* ---- operations ------------------------------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t ids_of(const struct vd_job *job, int32_t rank, enum vd_op_kind kind, uint64_t *ret)
{
	const struct vd_rank *r = &job->ranks[rank];
	size_t n = 0;

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (job->ops[i].kind == kind && !job->ops[i].internal && !job->ops[i].inactive && !job->ops[i].matched)
			ret[n++] = job->ops[i].id;
	qsort(ret, n, sizeof(*ret), by_id);
	return n;
}

/* Number of operations of a kind that are in only one of the two snapshots. */
static void count_changed_ops(struct vd_changes *c, int32_t before, int32_t after, enum vd_op_kind kind, size_t *gone,
			      size_t *come)
{
	size_t n_a = c->before.job->ranks[before].n_ops, n_b = c->after.job->ranks[after].n_ops;
	uint64_t *a = malloc((n_a + 1) * sizeof(*a)), *b = malloc((n_b + 1) * sizeof(*b));

	if (a && b) {
		n_a = ids_of(c->before.job, before, kind, a);
		n_b = ids_of(c->after.job, after, kind, b);
		for (size_t i = 0, k = 0; i < n_a || k < n_b;) {
			if (i < n_a && k < n_b && a[i] == b[k]) {
				i++;
				k++;
			} else if (k == n_b || (i < n_a && a[i] < b[k])) {
				i++;
				++*gone;
			} else {
				k++;
				++*come;
			}
		}
	}
	c->no_memory |= !a || !b;
	free(a);
	free(b);
}

static void count_all(struct vd_changes *c, int32_t before, int32_t after)
{
	size_t ignored = 0;

	count_changed_ops(c, before, after, VD_MESSAGE, &c->n_received, &c->n_arrived);
	count_changed_ops(c, before, after, VD_RECEIVE, &c->n_received, &ignored);
	count_changed_ops(c, before, after, VD_SEND, &c->n_sent, &ignored);
}

/* ---- all ranks ------------------------------------------------------------------------------------------------- */

static void put_change(struct vd_changes *c, int32_t rank, enum vd_change change, int32_t before, int32_t after,
		       int64_t calls)
{
	char key[64];

	/* the location of ranks without change is printed once */
	bool moved = change == VD_WENT_ON || change == VD_FINISHED || after < 0;
	snprintf(key, sizeof(key), "%d %d %d %d", change, moved ? before : -1, after, calls >= 0);
	int32_t i = vd_name(&c->names, key, (int32_t)c->n);
	c->n_of[change]++;
	if (i != VD_UNKNOWN && (size_t)i == c->n) {
		if (ACC_GROW(c->v, c->n)) {
			c->v[c->n++] = (struct vd_change_group){ .change = (uint8_t)change,
								 .before = before,
								 .after = after,
								 .calls_min = calls,
								 .calls_max = calls };
		}
	}
	struct vd_change_group *x = i != VD_UNKNOWN && (size_t)i < c->n ? &c->v[i] : NULL;
	if (!x || !ACC_GROW(x->ranks, x->n)) {
		c->no_memory = true;
		return;
	}
	x->ranks[x->n++] = rank;
	x->calls_min = calls < x->calls_min ? calls : x->calls_min;
	x->calls_max = calls > x->calls_max ? calls : x->calls_max;
}

static int32_t *group_of(const struct vd_seen *s)
{
	int32_t *ret = calloc(s->job->n_ranks + 1, sizeof(*ret));

	for (size_t g = 0; ret && g < s->groups->n; g++)
		for (size_t i = 0; i < s->groups->v[g].n; i++)
			ret[s->groups->v[g].ranks[i]] = (int32_t)g;
	return ret;
}

/* Both lists are sorted by world and rank. */
static int order(const struct vd_rank *a, const struct vd_rank *b)
{
	return a->world != b->world ? (a->world > b->world) - (a->world < b->world)
				    : (a->rank > b->rank) - (a->rank < b->rank);
}

static void compare_groups(struct vd_changes *c, const int32_t *groups_before, const int32_t *groups_after)
{
	const struct vd_job *a = c->before.job, *b = c->after.job;

	for (size_t i = 0, k = 0; i < a->n_ranks || k < b->n_ranks;) {
		int side = i == a->n_ranks ? 1 : k == b->n_ranks ? -1 : order(&a->ranks[i], &b->ranks[k]);
		int32_t from = side <= 0 ? groups_before[i] : -1, to = side >= 0 ? groups_after[k] : -1;
		if (side == 0) {
			enum vd_change change = change_of(c, (int32_t)i, (int32_t)k);
			int64_t n = a->ranks[i].n_calls, m = b->ranks[k].n_calls;
			bool compared = change != VD_OTHER && change != VD_NOT_KNOWN;
			put_change(c, (int32_t)k, change, from, to, compared && n >= 0 && m >= n ? m - n : -1);
			if (compared)
				count_all(c, (int32_t)i, (int32_t)k);
		} else {
			put_change(c, (int32_t)(side < 0 ? i : k), VD_NOT_KNOWN, from, to, -1);
		}
		i += side <= 0;
		k += side >= 0;
	}
}

static enum vd_progress progress_of(const struct vd_changes *c)
{
	const size_t *n = c->n_of;
	size_t still = n[VD_SAME] + n[VD_POLLS] + n[VD_COMPUTES];

	if (n[VD_WENT_ON] || n[VD_FINISHED])
		return still ? VD_SLOW : VD_GOES_ON;
	if (!still)
		return VD_TOO_LITTLE;
	return n[VD_POLLS] || n[VD_COMPUTES] ? VD_SPINNING : VD_STUCK;
}

void vd_changes_find(struct vd_changes *ret, const struct vd_seen *before, const struct vd_seen *after, int64_t seconds)
{
	ret->before = *before;
	ret->after = *after;
	ret->seconds = seconds;
	int32_t *groups_before = group_of(before), *groups_after = group_of(after);
	if (groups_before && groups_after)
		compare_groups(ret, groups_before, groups_after);
	else
		ret->no_memory = true;
	free(groups_before);
	free(groups_after);
	ret->progress = (uint8_t)progress_of(ret);
}

void vd_changes_deinit(struct vd_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].ranks);
	free(c->v);
	vd_names_destroy(c->names);
	memset(c, 0, sizeof(*c));
}
