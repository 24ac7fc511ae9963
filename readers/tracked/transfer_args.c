/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data that a call transfers, on both sides: from the frame of a call or the record of a request. The registry has
 * the arguments as passed; those that MPI ignores are removed here (MPI 4.0, sections 6.5 to 6.12 and 12.3): because of
 * MPI_IN_PLACE, and on ranks other than the root.
 */
#include "transfer_args.h"

#include "../../functions/functions.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

struct mdl_num rd_track_elements(struct acc_obj *o, unsigned field)
{
	struct mdl_num n = rd_track_i(o, field);

	return n.known == MDL_KNOWN && n.value == -1 ? mdl_unavailable("a count for each rank") : n;
}

void rd_track_second(struct acc_obj *o, const struct rd_track_second_fields *f, uint64_t has, const char *call,
		     struct mdl_second *ret)
{
	*ret = mdl_no_second();
	if (!(has & (TRK_HAS_SECOND_BUFFER | TRK_HAS_SECOND_DATA)))
		return;
	bool scatters = fn_facts(call) & FN_SCATTERS;
	ret->side = f->of_win ? MDL_SECOND_AT_TARGET : scatters ? MDL_SECOND_SENT : MDL_SECOND_RECEIVED;
	if (has & TRK_HAS_SECOND_BUFFER)
		ret->buffer = f->of_win ? rd_track_i(o, f->buffer) : rd_track_u(o, f->buffer);
	if (has & TRK_HAS_SECOND_DATA) {
		ret->count = rd_track_elements(o, f->count);
		ret->datatype = rd_track_u(o, f->datatype);
		ret->datatype_id = rd_track_by_number(&ret->datatype);
	}
}

/* ---- ignored arguments ------------------------------------------------------------------------------------ */

enum place { PLACE_UNKNOWN, PLACE_ROOT, PLACE_OTHER, PLACE_NONE };

/*
 * The place of this process in a collective with a root. In the root's
 * group of an intercommunicator it is the root, or not involved.
 */
static enum place place_of(struct rd_track *t, struct mdl_num comm, struct mdl_num comm_id, struct mdl_num root)
{
	struct mdl_handle h;
	uint64_t i = 0;
	enum acc_rc rc = ACC_NONE;

	if (root.known != MDL_KNOWN)
		return PLACE_UNKNOWN;
	if (root.value == MDL_PROC_NULL)
		return PLACE_NONE;
	if (root.value == MDL_ROOT)
		return PLACE_ROOT;
	if (comm.known == MDL_KNOWN)
		rc = rd_track_slot_of(t, MDL_COMM, (uint64_t)comm.value, &i);
	else if (comm_id.known == MDL_KNOWN)
		rc = rd_track_slot_of_id(t, MDL_COMM, (uint64_t)comm_id.value, &i);
	if (rc || rd_track_record(t, MDL_COMM, i, &h) || h.comm.remote_size.known == MDL_UNAVAILABLE)
		return PLACE_UNKNOWN;
	if (h.comm.remote_size.known == MDL_KNOWN)
		return PLACE_OTHER; /* the root is in the other group */
	if (h.comm.rank.known != MDL_KNOWN)
		return PLACE_UNKNOWN;
	return h.comm.rank.value == root.value ? PLACE_ROOT : PLACE_OTHER;
}

static void drop_data(struct rd_track_transfer_args *s)
{
	*s->count = *s->datatype = *s->datatype_id = mdl_none();
}

static void drop_of_root(struct rd_track *t, const struct rd_track_transfer_args *given)
{
	struct rd_track_transfer_args s = *given;
	bool one = s.second->side == MDL_SECOND_NONE && s.root.value != MDL_PROC_NULL; /* always significant */
	enum place place = one ? PLACE_UNKNOWN : place_of(t, s.comm, s.comm_id, s.root);

	if (place == PLACE_NONE) {
		*s.buffer = mdl_none();
		drop_data(&s);
		*s.second = mdl_no_second();
		*s.op = mdl_none();
	} else if (place == PLACE_OTHER) {
		*s.second = mdl_no_second();
	} else if (place == PLACE_ROOT && s.root.value == MDL_ROOT && s.second->side != MDL_SECOND_NONE) {
		/* the root does not take part itself */
		*s.buffer = mdl_none();
		if (s.second->count.known != MDL_NOT_APPLICABLE)
			drop_data(&s);
	}
}

void rd_track_drop_ignored(struct rd_track *t, const struct rd_track_transfer_args *given)
{
	struct acc_note note = t->sp->note;
	struct rd_track_transfer_args s = *given;

	if (s.root.known != MDL_NOT_APPLICABLE)
		drop_of_root(t, &s);
	/* a reduction has one count and datatype for both sides */
	if (rd_track_in_place(t, *s.buffer) && s.second->count.known != MDL_NOT_APPLICABLE)
		drop_data(&s);
	t->sp->note = note; /* an unreadable communicator is reported separately */
}
