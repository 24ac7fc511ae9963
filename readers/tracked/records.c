/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records: one of them, walks over a kind, and searches.
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

/* A field of TRK_OBJECT_FIELDS in a record of that kind: they come first, in one order. */
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
static enum acc_rc life_of(const struct rd_track *t, struct acc_obj *o, unsigned kind, enum mdl_life *ret)
{
	uint64_t state = acc_get_u(o, state_field(kind)), life = state;

	if (o->rc)
		return o->rc;
	/* the live ones of a round that is over */
	if (kind == TRK_REQUEST && state % (1 << TRK_ROUND_SHIFT) == TRK_LIVE)
		life = state == TRK_LIVE || state >> TRK_ROUND_SHIFT == t->slabs[kind].round ? TRK_LIVE : TRK_FREED;
	/* what is being written is not one yet */
	if (kind == TRK_REQUEST && life != TRK_LIVE && o->addr == t->slabs[kind].making)
		return ACC_NONE;
	switch (life) {
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

enum acc_rc rd_track_record(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	struct acc_obj o;
	enum acc_rc rc = load(t, kind, i, &o);
	enum mdl_life life = MDL_LIVE;

	if (!rc)
		rc = life_of(t, &o, kind, &life);
	if (rc)
		return rc;
	memset(ret, 0, sizeof(*ret));
	ret->kind = kind;
	ret->life = life;
	ret->addr = o.addr;
	ret->origin = "tracker";
	ret->handle = acc_get_u(&o, handle_field(kind));
	ret->unsettled = acc_get_u(&o, first_field[kind]) & 1;
	if (kind == MDL_REQUEST)
		common_of_request(t, &o, ret);
	else
		common(t, &o, ret);
	rd_track_facts(t, &o, ret);
	/* Half of a list that is being changed is no sign of damage. */
	if (o.rc == ACC_ECORRUPT && ret->unsettled)
		o.rc = acc_note(&t->sp->note, ACC_ECORRUPT, "%s at 0x%" PRIx64 ": was being written",
				rd_track_schema.types[o.type].name, o.addr);
	return o.rc;
}

enum acc_rc rd_track_record_key(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life,
				uint64_t *handle, uint64_t *id)
{
	struct acc_obj o;
	enum acc_rc rc = load(t, kind, i, &o);

	if (!rc)
		rc = life_of(t, &o, kind, life);
	if (rc)
		return rc;
	*handle = acc_get_u(&o, handle_field(kind));
	*id = kind != MDL_REQUEST && rd_track_has(t, COMMON(kind, id)) ? acc_get_u(&o, COMMON(kind, id)) : 0;
	return o.rc;
}

/* ---- walks -------------------------------------------------------------------------------------------------- */

enum acc_rc rd_track_first(struct rd_track *t, enum mdl_handle_kind kind, unsigned lives, struct rd_track_iter *ret)
{
	if (!t || !ret || (unsigned)kind >= MDL_N_HANDLE_KINDS)
		return ACC_EINVAL;
	if (!t->slabs[kind].known)
		return ACC_NONE;
	*ret = (struct rd_track_iter){ .t = t, .kind = kind, .lives = lives };
	return ACC_OK;
}

/* The one predefined request is known by its value alone. */
static void null_request(struct rd_track *t, struct mdl_handle *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->kind = MDL_REQUEST;
	ret->predefined = ret->null = true;
	ret->handle = t->request_null;
	ret->fortran = t->mpi == RD_TRACK_MPICH ? mdl_known((int32_t)(uint32_t)ret->handle)
						: mdl_unavailable("Fortran handles of requests are not asked for");
	ret->parent = ret->references = ret->generation = ret->born_at = mdl_none();
	ret->origin = "tracker";
	strcpy(ret->name, "MPI_REQUEST_NULL");

	struct mdl_handle_request *r = &ret->request;
	r->object = r->object_kind = r->datatype = r->buffer = r->count = r->peer = r->tag = r->op = r->caller =
		r->extra_state = r->source = r->receive_tag = mdl_none();
	r->second = mdl_no_second();
}

enum acc_rc rd_track_next(struct rd_track_iter *it, struct mdl_handle *ret)
{
	if (!it || !it->t || !ret)
		return ACC_EINVAL;
	if (it->kind == MDL_REQUEST && !it->i && !it->null_given && it->t->request_null && it->lives & RD_TRACK_LIVE) {
		it->null_given = true;
		null_request(it->t, ret);
		return ACC_OK;
	}
	for (; it->i < it->t->slabs[it->kind].high; it->i++) {
		enum mdl_life life;
		uint64_t handle, id;
		enum acc_rc rc = rd_track_record_key(it->t, it->kind, it->i, &life, &handle, &id);

		if (!rc && it->lives & 1u << life)
			rc = rd_track_record(it->t, it->kind, it->i, ret);
		else if (!rc)
			continue;
		if (rc == ACC_NONE)
			continue;
		if (!rc) {
			it->i++;
			it->n_unsettled += ret->unsettled;
			return ACC_OK;
		}
		if (++it->n_bad > ACC_BAD_MAX) {
			it->i = UINT64_MAX;
			return ACC_ECORRUPT;
		}
	}
	return ACC_NONE;
}

/* ---- searches ------------------------------------------------------------------------------------------------ */

/* Is an object that fits a better answer than the one that was found before? */
static bool better(enum mdl_life life, uint64_t id, bool found, enum mdl_life best, uint64_t best_id)
{
	return !found || life < best || (life == best && life != MDL_LIVE && id > best_id);
}

/* Requests have no numbers: of those that were written in order the later ones have the larger number. */
static uint64_t order_of(const struct rd_track_slab *s, uint64_t i)
{
	uint64_t next = s->making ? (s->making - s->records) / s->bytes : 0;

	return i < next ? i + s->high : i;
}

enum search { BY_HANDLE, BY_ID };

static enum acc_rc search(struct rd_track *t, enum mdl_handle_kind kind, enum search by, uint64_t value,
			  struct mdl_handle *ret)
{
	uint64_t at = 0, best_id = 0, n_bad = 0;
	enum mdl_life best = MDL_EARLIER;
	bool found = false;

	if (!t || !ret || (unsigned)kind >= MDL_N_HANDLE_KINDS)
		return ACC_EINVAL;
	acc_space_begin(t->sp);
	for (uint64_t i = 0; i < t->slabs[kind].high && n_bad <= ACC_BAD_MAX; i++) {
		enum mdl_life life;
		uint64_t handle, id;
		enum acc_rc rc = rd_track_record_key(t, kind, i, &life, &handle, &id);

		n_bad += rc && rc != ACC_NONE;
		if (!rc && kind == MDL_REQUEST && by == BY_HANDLE)
			id = order_of(&t->slabs[kind], i);
		if (rc || (by == BY_ID ? id : handle) != value || !better(life, id, found, best, best_id))
			continue;
		found = true;
		at = i;
		best = life;
		best_id = id;
	}

	enum acc_rc rc = found ? rd_track_record(t, kind, at, ret) : n_bad > ACC_BAD_MAX ? ACC_ECORRUPT : ACC_NONE;
	acc_space_end(t->sp);
	return rc;
}

/* A value that is wider than the handle, with something in its upper half: neither zeros nor a sign. */
static bool is_wide(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t value)
{
	return rd_track_handle_bytes(t, kind) == 4 && value >> 32 && (value >> 31) != UINT64_C(0x1ffffffff);
}

/* Bits of a handle as they stand in records: the width of a handle, zero-extended. */
static uint64_t bits_of(const struct rd_track *t, enum mdl_handle_kind kind, uint64_t value)
{
	return rd_track_handle_bytes(t, kind) == 4 ? (uint32_t)value : value;
}

enum acc_rc rd_track_find(struct rd_track *t, enum mdl_handle_kind kind, uint64_t handle, struct mdl_handle *ret)
{
	if (!t || !ret)
		return ACC_EINVAL;
	if (is_wide(t, kind, handle))
		return ACC_NONE;
	if (kind == MDL_REQUEST && t->request_null && bits_of(t, kind, handle) == t->request_null) {
		null_request(t, ret);
		return ACC_OK;
	}
	return search(t, kind, BY_HANDLE, bits_of(t, kind, handle), ret);
}

enum acc_rc rd_track_find_id(struct rd_track *t, enum mdl_handle_kind kind, uint64_t id, struct mdl_handle *ret)
{
	return id ? search(t, kind, BY_ID, id, ret) : ACC_NONE;
}

/* Records are compared whole: these two are asked by people. */
static enum acc_rc search_facts(struct rd_track *t, enum mdl_handle_kind kind, const char *name, int64_t fortran,
				struct mdl_handle *ret)
{
	struct mdl_handle h;
	struct rd_track_iter it;
	bool found = false;
	enum acc_rc rc = rd_track_first(t, kind, RD_TRACK_ALL, &it);

	if (rc)
		return rc;
	acc_space_begin(t->sp);
	while (!(rc = rd_track_next(&it, &h))) {
		bool fits = name ? !strcmp(h.name, name) : h.fortran.known == MDL_KNOWN && h.fortran.value == fortran;

		if (!fits || (found && ret->predefined && ret->life == MDL_LIVE))
			continue;
		bool first = found && h.life == MDL_LIVE && ret->life == MDL_LIVE && h.id < ret->id;
		if (first || better(h.life, h.id, found, found ? ret->life : MDL_EARLIER, found ? ret->id : 0) ||
		    (h.predefined && h.life == MDL_LIVE))
			*ret = h;
		found = true;
	}
	acc_space_end(t->sp);
	return found ? ACC_OK : rc;
}

bool rd_track_fortran_handle(const struct rd_track *t, int64_t fortran, uint64_t *ret)
{
	if (!t || t->mpi != RD_TRACK_MPICH || fortran < INT32_MIN || fortran > UINT32_MAX)
		return false;
	*ret = (uint32_t)fortran;
	return true;
}

enum acc_rc rd_track_find_fortran(struct rd_track *t, enum mdl_handle_kind kind, int64_t fortran,
				  struct mdl_handle *ret)
{
	if (!t || !ret)
		return ACC_EINVAL;
	uint64_t handle;
	if (t->mpi == RD_TRACK_MPICH && kind != MDL_FILE)
		return rd_track_fortran_handle(t, fortran, &handle) ? rd_track_find(t, kind, handle, ret) : ACC_NONE;
	return search_facts(t, kind, NULL, fortran, ret);
}

enum acc_rc rd_track_find_name(struct rd_track *t, enum mdl_handle_kind kind, const char *name, struct mdl_handle *ret)
{
	if (!t || !name || !*name || !ret)
		return ACC_EINVAL;
	if (kind == MDL_REQUEST || (unsigned)kind >= MDL_N_HANDLE_KINDS)
		return search_facts(t, kind, name, 0, ret);
	acc_space_begin(t->sp);
	enum acc_rc rc = rd_track_find_standard(t, kind, name, ret);
	acc_space_end(t->sp);
	return rc ? search_facts(t, kind, name, 0, ret) : ACC_OK;
}
