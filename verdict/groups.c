/* SPDX-License-Identifier: BSD-3-Clause */
#include "groups.h"

#include "job.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

enum { ALIKE_MIN = 3 };

static void put_in_group(struct vd_groups *l, const struct vd_text *activity, const struct vd_text *place, int32_t rank,
			 const char *group, bool last, bool relative)
{
	char key[2 * VD_TEXT_BYTES + VD_GROUP_BYTES + 8];

	snprintf(key, sizeof(key), "%s\n%s\n%s", activity->bytes, place->bytes, group);
	int32_t i = vd_name(&l->names, key, (int32_t)l->n);
	if (i == VD_UNKNOWN) {
		l->no_memory = true;
		return;
	}
	if ((size_t)i == l->n) {
		if (!ACC_GROW(l->v, l->n)) {
			l->no_memory = true;
			return;
		}
		l->v[l->n++] = (struct vd_group){ .activity = strdup(activity->bytes),
						  .place = strdup(place->bytes),
						  .last = last,
						  .relative = relative };
	}
	struct vd_group *x = &l->v[i];
	bool grown = ACC_GROW(x->ranks, x->n);
	l->no_memory |= !grown || !x->activity || !x->place;
	if (grown)
		x->ranks[x->n++] = rank;
}

void vd_groups_deinit(struct vd_groups *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].activity);
		free(l->v[i].place);
		free(l->v[i].ranks);
	}
	free(l->v);
	vd_names_destroy(l->names);
	memset(l, 0, sizeof(*l));
}

struct items {
	vd_item_text text;
	const void *context;
};

/* Adds the item to the groups. @return its rank */
static int32_t put_item(struct vd_groups *l, const struct items *items, size_t i, bool relative)
{
	struct vd_text activity = { .n = 0 }, place = { .n = 0 };
	char group[VD_GROUP_BYTES] = "";
	bool last = false;
	int32_t rank = items->text(items->context, i, relative, &activity, &place, group, &last);

	put_in_group(l, &activity, &place, (int32_t)i, group, last, relative);
	return rank;
}

/* Move a group of items, which becomes one of ranks. */
static void move_group(struct vd_groups *to, struct vd_group *x, const int32_t *rank_of)
{
	if (!ACC_GROW(to->v, to->n)) {
		to->no_memory = true;
		return;
	}
	for (size_t k = 0; k < x->n; k++)
		x->ranks[k] = rank_of[x->ranks[k]];
	to->v[to->n++] = *x;
	x->activity = x->place = NULL;
	x->ranks = NULL;
	x->n = 0;
}

/* Groups items by their text; items left alone are then grouped by their text relative to their rank. */
void vd_group_items(struct vd_groups *ret, size_t n, vd_item_text text, const void *context)
{
	const struct items items = { text, context };
	struct vd_groups same = { .n = 0 }, alike = { .n = 0 };
	bool *is_alike = calloc(n + 1, sizeof(*is_alike));
	int32_t *rank_of = calloc(n + 1, sizeof(*rank_of));

	if (!is_alike || !rank_of) {
		ret->no_memory = true;
		goto end;
	}
	for (size_t i = 0; i < n; i++)
		rank_of[i] = put_item(&same, &items, i, false);
	for (size_t i = 0; i < same.n; i++)
		if (same.v[i].n == 1)
			put_item(&alike, &items, (size_t)same.v[i].ranks[0], true);
	for (size_t i = 0; i < alike.n; i++)
		for (size_t k = 0; alike.v[i].n >= ALIKE_MIN && k < alike.v[i].n; k++)
			is_alike[alike.v[i].ranks[k]] = true;
	for (int last = 0; last < 2; last++) {
		for (size_t i = 0; i < alike.n; i++)
			if (alike.v[i].last == last && alike.v[i].n >= ALIKE_MIN)
				move_group(ret, &alike.v[i], rank_of);
		for (size_t i = 0; i < same.n; i++)
			if (same.v[i].last == last && same.v[i].n &&
			    !(same.v[i].n == 1 && is_alike[same.v[i].ranks[0]]))
				move_group(ret, &same.v[i], rank_of);
	}
	ret->no_memory |= same.no_memory || alike.no_memory;
end:
	free(is_alike);
	free(rank_of);
	vd_groups_deinit(&same);
	vd_groups_deinit(&alike);
}

/* ---- ranks by activity ------------------------------------------------------------------------------------ */

struct activities {
	const struct vd_job *job;
	const struct vd_verdict *v;
};

static int32_t rank_text(const void *context, size_t i, bool relative, struct vd_text *activity, struct vd_text *place,
			 char group[VD_GROUP_BYTES], bool *last)
{
	const struct activities *a = context;

	vd_append_activity(activity, a->job, a->v, (int32_t)i, relative);
	vd_append_place(place, a->job, a->v, (int32_t)i);
	snprintf(group, VD_GROUP_BYTES, "%d %d", a->job->ranks[i].world, a->v->classes[i]);
	*last = a->v->classes[i] != VD_WAITING;
	return (int32_t)i;
}

void vd_group_ranks(struct vd_groups *ret, const struct vd_job *job, const struct vd_verdict *v)
{
	const struct activities a = { job, v };

	vd_group_items(ret, job->n_ranks, rank_text, &a);
}
