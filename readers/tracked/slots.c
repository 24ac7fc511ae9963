/* SPDX-License-Identifier: BSD-3-Clause */
/* The slots of a kind: which ones hold an object, and the search for a handle or a number. */
#include "registry.h"

#include "../../access/limits.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- one slot ----------------------------------------------------------------------------------------------- */

bool rd_track_knows(struct rd_track *t, enum mdl_handle_kind kind)
{
	struct rd_track_slab *s = &t->slabs[kind];

	if (!s->asked) {
		s->known = t->objects.known(t->objects.state, kind);
		s->asked = true;
	}
	return s->known;
}

uint64_t rd_track_high(struct rd_track *t, enum mdl_handle_kind kind)
{
	struct rd_track_slab *s = &t->slabs[kind];

	if (rd_track_knows(t, kind) && !s->counted) {
		acc_space_begin(t->sp);
		uint64_t n = t->objects.places(t->objects.state, kind);
		acc_space_end(t->sp);
		s->high = s->capacity = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		s->counted = true;
	}
	return s->high;
}

struct mdl_handle_count rd_track_count(struct rd_track *t, enum mdl_handle_kind kind)
{
	const struct rd_track_slab *s = &t->slabs[kind];

	return (struct mdl_handle_count){ rd_track_knows(t, kind), s->n_dropped, s->capacity, s->high,
					  s->n_forgotten,          s->n_live };
}

bool rd_track_add(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle)
{
	if (!t->objects.add || (unsigned)kind >= MDL_N_HANDLE_KINDS || !rd_track_knows(t, kind) ||
	    !t->objects.add(t->objects.state, kind, handle))
		return false;
	rd_track_high(t, kind);
	t->slabs[kind].high = ++t->slabs[kind].capacity;
	return true;
}

enum acc_rc rd_track_brief(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	enum acc_rc (*read)(void *, enum mdl_handle_kind, uint64_t,
			    struct mdl_handle *) = t->objects.brief ? t->objects.brief : t->objects.facts;

	return read(t->objects.state, kind, i, ret);
}

enum acc_rc rd_track_record(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	return t->objects.facts(t->objects.state, kind, i, ret);
}

enum acc_rc rd_track_record_key(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life,
				uint64_t *handle, uint64_t *id)
{
	return t->objects.key(t->objects.state, kind, i, life, handle, id);
}

const char *rd_track_lacks(const struct rd_track *t, enum mdl_handle_kind kind)
{
	return t && t->objects.lacks ? t->objects.lacks(t->objects.state, kind) : NULL;
}

const char *rd_track_absent(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle)
{
	return t && t->objects.absent ? t->objects.absent(t->objects.state, kind, handle) : NULL;
}

/* ---- searches ------------------------------------------------------------------------------------------------ */

/* Is there an index? It is built when it is first asked for, if the process does not run meanwhile. */
static bool is_indexed(struct rd_track *t, enum mdl_handle_kind kind)
{
	struct acc_note note = t->sp->note;

	if (!t->kept || !rd_track_knows(t, kind))
		return false;
	uint64_t n = rd_track_high(t, kind);
	if (t->index[kind].tried || !rd_track_index_open(t, kind, n))
		return t->index[kind].by[0];
	acc_space_begin(t->sp);
	for (uint64_t i = 0; i < n; i++) {
		enum mdl_life life;
		uint64_t handle, id;

		if (!rd_track_record_key(t, kind, i, &life, &handle, &id))
			rd_track_index_add(t, kind, i, life, handle, id);
	}
	acc_space_end(t->sp);
	t->sp->note = note; /* walks report what is invalid */
	return true;
}

/* Of several matches the live one, otherwise the last. Requests have no numbers: for them the last record. */
static enum acc_rc search(struct rd_track *t, enum mdl_handle_kind kind, bool by_id, uint64_t value, uint64_t *ret)
{
	uint64_t at = 0, best_id = 0, n_bad = 0;
	enum mdl_life best = MDL_EARLIER;
	bool found = false;

	if ((unsigned)kind >= MDL_N_HANDLE_KINDS)
		return ACC_EINVAL;
	if (t->objects.find && rd_track_knows(t, kind) && kind != MDL_KEYVAL) /* whose numbers are not their handles */
		return t->objects.find(t->objects.state, kind, value, ret);
	if (is_indexed(t, kind))
		return rd_track_index_find(t, kind, by_id, value, ret) ? ACC_OK : ACC_NONE;
	acc_space_begin(t->sp);
	for (uint64_t i = 0; i < rd_track_high(t, kind) && n_bad <= ACC_BAD_MAX; i++) {
		enum mdl_life life;
		uint64_t handle, id;
		enum acc_rc rc = rd_track_record_key(t, kind, i, &life, &handle, &id);

		n_bad += rc && rc != ACC_NONE;
		if (kind == MDL_REQUEST && !by_id)
			id = i;
		if (rc || (by_id ? id : handle) != value || !rd_track_is_better(life, id, found, best, best_id))
			continue;
		found = true;
		at = i;
		best = life;
		best_id = id;
	}
	acc_space_end(t->sp);
	if (!found)
		return n_bad > ACC_BAD_MAX ? ACC_ECORRUPT : ACC_NONE;
	*ret = at;
	return ACC_OK;
}

bool rd_track_bits(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, uint64_t *ret)
{
	bool narrow = rd_track_key_bytes(t, kind) == 4;

	if (narrow && handle >> 32 && (handle >> 31) != UINT64_C(0x1ffffffff))
		return false;
	*ret = narrow ? (uint32_t)handle : handle;
	return true;
}

enum acc_rc rd_track_slot_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, uint64_t *ret)
{
	uint64_t bits;

	return rd_track_bits(t, kind, handle, &bits) ? search(t, kind, false, bits, ret) : ACC_NONE;
}

enum acc_rc rd_track_slot_of_id(struct rd_track *t, enum mdl_handle_kind kind, uint64_t id, uint64_t *ret)
{
	if (t->objects.int_numbers && rd_track_key_bytes(t, kind) == 4)
		id = (uint32_t)id;
	return id ? search(t, kind, true, id, ret) : ACC_NONE;
}

enum acc_rc rd_track_brief_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret)
{
	uint64_t i;

	acc_space_begin(t->sp);
	enum acc_rc rc = rd_track_slot_of(t, kind, handle, &i);
	if (!rc)
		rc = rd_track_brief(t, kind, i, ret);
	acc_space_end(t->sp);
	return rc;
}
