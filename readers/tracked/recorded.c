/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of the registry, as struct rd_objects asks for objects. */
#include "registry.h"

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

static enum acc_rc load_record(struct rd_track *t, unsigned kind, uint64_t i, struct acc_obj *o)
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

/* The common facts; a field that cannot be read is a failure of @p o. */
static enum acc_rc load_common(struct rd_track *t, enum mdl_handle_kind kind, uint64_t i, struct acc_obj *o,
			       struct mdl_handle *ret)
{
	enum acc_rc rc = load_record(t, kind, i, o);
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
	/* The record says that the program has not made it. No handle is predefined for MPI_COMM_PARENT. */
	if (kind == MDL_COMM && ret->predefined && acc_get_i(o, F_trk_comm_remote_size) > 0)
		ret->predefined = false;
	return ACC_OK;
}

/* ---- struct rd_objects -------------------------------------------------------------------------------------- */

static enum acc_rc key(void *state, enum mdl_handle_kind kind, uint64_t i, enum mdl_life *life, uint64_t *handle,
		       uint64_t *id)
{
	struct rd_track *t = state;
	struct acc_obj o;
	enum acc_rc rc = load_record(t, kind, i, &o);

	if (!rc)
		rc = life_of(&o, kind, life);
	if (rc)
		return rc;
	*handle = acc_get_u(&o, handle_field(kind));
	*id = kind != MDL_REQUEST && rd_track_has(t, COMMON(kind, id)) ? acc_get_u(&o, COMMON(kind, id)) : 0;
	return o.rc;
}

static enum acc_rc brief(void *state, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	struct acc_obj o;
	enum acc_rc rc = load_common(state, kind, i, &o, ret);

	return rc ? rc : o.rc;
}

static enum acc_rc facts(void *state, enum mdl_handle_kind kind, uint64_t i, struct mdl_handle *ret)
{
	struct rd_track *t = state;
	struct acc_obj o;
	enum acc_rc rc = load_common(t, kind, i, &o, ret);

	if (rc)
		return rc;
	rd_track_facts(t, &o, ret);
	/* an incomplete list of a record being changed is not damage */
	if (o.rc == ACC_ECORRUPT && ret->unsettled)
		o.rc = acc_note(&t->sp->note, ACC_ECORRUPT, "%s at 0x%" PRIx64 ": was being written",
				rd_track_schema.types[o.type].name, o.addr);
	return o.rc;
}

static enum acc_rc update(void *state)
{
	return rd_track_read(state);
}

struct rd_objects rd_track_recorded(struct rd_track *t)
{
	return (struct rd_objects){ .state = t, .key = key, .brief = brief, .facts = facts, .update = update };
}
