/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An index of the records of a kind by handle and by number, while the process does not run: without it each search
 * reads all records.
 */
#include "registry.h"

#include "../../access/limits.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { INDEXED_MAX = 1 << 20 };

struct rd_track_indexed {
	uint64_t value, id;
	uint32_t slot; /* and 1; 0: unused */
	uint8_t life;
};

bool rd_track_is_better(enum mdl_life life, uint64_t id, bool found, enum mdl_life best, uint64_t best_id)
{
	return !found || life < best || (life == best && life != MDL_LIVE && id > best_id);
}

static struct rd_track_indexed *entry(const struct rd_track_index *x, bool by_id, uint64_t value)
{
	uint64_t at = (value * 0x9e3779b97f4a7c15u) >> 32;

	while (x->by[by_id][at & x->mask].slot && x->by[by_id][at & x->mask].value != value)
		at++;
	return &x->by[by_id][at & x->mask];
}

static void add_record(const struct rd_track_index *x, bool by_id, uint64_t value, uint64_t slot, enum mdl_life life,
		       uint64_t id)
{
	struct rd_track_indexed *e = entry(x, by_id, value);

	if (rd_track_is_better(life, id, e->slot, (enum mdl_life)e->life, e->id))
		*e = (struct rd_track_indexed){ value, id, (uint32_t)slot + 1, (uint8_t)life };
}

bool rd_track_index_open(struct rd_track *t, enum mdl_handle_kind kind, uint64_t n)
{
	struct rd_track_index *x = &t->index[kind];
	uint64_t size = 16;

	x->tried = true;
	if (n > INDEXED_MAX)
		return false;
	while (size < 2 * n)
		size *= 2;
	x->mask = size - 1;
	for (int k = 0; k < 2; k++) {
		x->by[k] = acc_array(t->sp, size, sizeof(*x->by[k]));
		if (x->by[k])
			memset(x->by[k], 0, size * sizeof(*x->by[k]));
	}
	if (x->by[0] && x->by[1])
		return true;
	acc_array_free(t->sp, x->by[0]);
	acc_array_free(t->sp, x->by[1]);
	x->by[0] = x->by[1] = NULL;
	return false;
}

void rd_track_index_add(struct rd_track *t, enum mdl_handle_kind kind, uint64_t slot, enum mdl_life life,
			uint64_t handle, uint64_t id)
{
	add_record(&t->index[kind], false, handle, slot, life, kind == MDL_REQUEST ? slot : id);
	if (id)
		add_record(&t->index[kind], true, id, slot, life, id);
}

bool rd_track_index_find(const struct rd_track *t, enum mdl_handle_kind kind, bool by_id, uint64_t value, uint64_t *ret)
{
	const struct rd_track_indexed *e = entry(&t->index[kind], by_id, value);

	if (e->slot)
		*ret = e->slot - 1;
	return e->slot != 0;
}

void rd_track_index_free(struct rd_track *t)
{
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		acc_array_free(t->sp, t->index[k].by[0]);
		acc_array_free(t->sp, t->index[k].by[1]);
	}
	memset(t->index, 0, sizeof(t->index));
	t->kept = false;
}

void rd_track_keep(struct rd_track *t)
{
	rd_track_index_free(t);
	t->kept = !t->objects.find;
}
