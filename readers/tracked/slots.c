/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slots of a kind's slab: which ones hold a record, the fields common to all kinds, and the search for a handle or
 * a number.
 */
#include "registry.h"

#include "../../access/limits.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The first field of each kind's records. */
static const unsigned first_field[TRK_N_KINDS] = {
	[TRK_COMM] = F_trk_comm_sequence,
	[TRK_GROUP] = F_trk_group_sequence,
	[TRK_DATATYPE] = F_trk_datatype_sequence,
	[TRK_ERRHANDLER] = F_trk_errhandler_sequence,
	[TRK_FILE] = F_trk_file_sequence,
	[TRK_INFO] = F_trk_info_sequence,
	[TRK_OP] = F_trk_op_sequence,
	[TRK_REQUEST] = F_trk_request_sequence,
	[TRK_WIN] = F_trk_win_sequence,
	[TRK_MESSAGE] = F_trk_message_sequence,
	[TRK_SESSION] = F_trk_session_sequence,
	[TRK_KEYVAL] = F_trk_keyval_sequence,
};

/* Fields of TRK_OBJECT_FIELDS in the record of a kind: they come first, always in the same order. */
#define COMMON(kind, name) (first_field[kind] + (F_trk_comm_##name - F_trk_comm_sequence))

static const char not_recorded[] = "not recorded for this kind";

/* ---- one record --------------------------------------------------------------------------------------------- */

static unsigned state_field(unsigned kind)
{
	return kind == TRK_REQUEST ? F_trk_request_state : COMMON(kind, state);
}

static unsigned handle_field(unsigned kind)
{
	return kind == TRK_REQUEST ? F_trk_request_handle : COMMON(kind, handle);
}

static enum acc_rc load(struct rd_track *t, unsigned kind, uint64_t i, struct acc_obj *o)
{
	const struct rd_track_slab *s = &t->slabs[kind];

	if (kind >= TRK_N_KINDS || !s->known)
		return ACC_NONE;
	if (i >= s->high)
		return ACC_NONE;
	acc_obj_load(o, t->sp, &t->layout, rd_track_record_type(kind), s->records + i * s->bytes);
	return o->rc;
}

/* @return ACC_OK, ACC_NONE: an empty slot, ACC_ECORRUPT */
static enum acc_rc life_of(struct acc_obj *o, unsigned kind, enum mdl_life *ret)
{
	uint64_t state = acc_get_u(o, state_field(kind));

	if (o->rc)
		return o->rc;
	switch (state) {
	case TRK_FREE:
		return ACC_NONE;
	case TRK_LIVE:
		*ret = MDL_LIVE;
		return ACC_OK;
	case TRK_FREED:
		*ret = MDL_FREED;
		return ACC_OK;
	case TRK_EARLIER:
		*ret = MDL_EARLIER;
		return ACC_OK;
	default:
		return acc_note(&o->sp->note, ACC_ECORRUPT, "%s.state at 0x%" PRIx64 ": %" PRIu64 ": %s",
				rd_track_schema.types[o->type].name, o->addr, state, acc_rc_text(ACC_ECORRUPT));
	}
}

static void common(struct rd_track *t, struct acc_obj *o, struct mdl_handle *ret)
{
	unsigned kind = ret->kind;

	ret->predefined = rd_track_flag(o, COMMON(kind, predefined));
	ret->id = rd_track_has(t, COMMON(kind, id)) ? acc_get_u(o, COMMON(kind, id)) : 0;
	ret->fortran = mdl_unavailable("no Fortran handle was made of it");
	if (rd_track_flag(o, COMMON(kind, has_fortran)))
		ret->fortran = rd_track_i(o, COMMON(kind, fortran));
	ret->parent = rd_track_ref(o, COMMON(kind, parent));
	ret->references = rd_track_u(o, COMMON(kind, references));
	ret->generation = rd_track_u(o, COMMON(kind, generation));
	ret->born_at = rd_track_ref(o, COMMON(kind, born_at));

	struct mdl_num language = rd_track_u(o, COMMON(kind, language));
	if (language.known == MDL_KNOWN && language.value <= MDL_LANGUAGE_CXX)
		ret->language = (enum mdl_language)language.value;
	rd_track_name(o, COMMON(kind, name), ret->name);

	struct mdl_num call = rd_track_u(o, COMMON(kind, call));
	if (call.known == MDL_KNOWN)
		rd_track_call_name(t, (uint64_t)call.value, ret->call);
	ret->where = rd_track_list(o, COMMON(kind, where), 8);
}

static void common_of_request(struct rd_track *t, struct acc_obj *o, struct mdl_handle *ret)
{
	ret->fortran = t->mpi == RD_TRACK_MPICH ? mdl_known((int32_t)(uint32_t)ret->handle)
						: mdl_unavailable("Fortran handles of requests are not asked for");
	ret->parent = ret->references = ret->generation = ret->born_at = mdl_unavailable(not_recorded);
	if (rd_track_has(t, F_trk_request_call))
		rd_track_call_name(t, acc_get_u(o, F_trk_request_call), ret->call);
	ret->where = rd_track_list(o, F_trk_request_where, 8);
}

enum acc_rc rd_track_brief(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct acc_obj *o,
			   struct mdl_handle *ret)
{
	if (rd_track_is_borrowed(t)) {
		memset(o, 0, sizeof(*o));
		return t->objects.facts(t->objects.state, kind, i, ret);
	}
	enum acc_rc rc = load(t, kind, i, o);
	enum mdl_life life = MDL_LIVE;

	if (!rc)
		rc = life_of(o, kind, &life);
	if (rc)
		return rc;
	memset(ret, 0, sizeof(*ret));
	ret->kind = kind;
	ret->life = life;
	ret->addr = o->addr;
	ret->origin = "tracker";
	ret->handle = acc_get_u(o, handle_field(kind));
	ret->unsettled = acc_get_u(o, first_field[kind]) & 1;
	if (kind == MDL_REQUEST)
		common_of_request(t, o, ret);
	else
		common(t, o, ret);
	return ACC_OK;
}

enum acc_rc rd_track_record_key(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life,
				uint64_t *handle, uint64_t *id)
{
	struct acc_obj o;

	if (rd_track_is_borrowed(t)) {
		return t->objects.key(t->objects.state, kind, i, life, handle, id);
	}
	enum acc_rc rc = load(t, kind, i, &o);
	if (!rc)
		rc = life_of(&o, kind, life);
	if (rc)
		return rc;
	*handle = acc_get_u(&o, handle_field(kind));
	*id = kind != MDL_REQUEST && rd_track_has(t, COMMON(kind, id)) ? acc_get_u(&o, COMMON(kind, id)) : 0;
	return o.rc;
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
	bool narrow = rd_track_handle_bytes(t, kind) == 4;

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
	/* in lists of objects from a reader, elements are ints */
	if (rd_track_is_borrowed(t) && t->mpi == RD_TRACK_MPICH && rd_track_handle_bytes(t, kind) == 4)
		id = (uint32_t)id;
	return id ? search(t, kind, true, id, ret) : ACC_NONE;
}

enum acc_rc rd_track_brief_of(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret)
{
	struct acc_obj o;
	uint64_t i;

	acc_space_begin(t->sp);
	enum acc_rc rc = rd_track_slot_of(t, kind, handle, &i);
	if (!rc)
		rc = rd_track_brief(t, kind, i, &o, ret);
	acc_space_end(t->sp);
	return rc ? rc : o.rc;
}
