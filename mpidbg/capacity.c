/* SPDX-License-Identifier: BSD-3-Clause */
#include "capacity.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COL_VALUE = 26 };

static void json_room(struct mpidbg_description *d)
{
	struct mdl_handle_memory m = rd_track_memory(d->p->track);
	struct out *o = &d->o;

	out_json_array(o, "kinds");
	for (int kind = 0; kind < MDL_N_HANDLE_KINDS; kind++) {
		struct mdl_handle_count c = rd_track_count(d->p->track, (enum mdl_handle_kind)kind);

		out_json_object(o, NULL);
		out_json_string(o, "kind", out_handle_kind((enum mdl_handle_kind)kind));
		out_json_bool(o, "recorded", c.known);
		if (c.known) {
			out_json_uint(o, "capacity", c.capacity);
			out_json_uint(o, "used", c.n_slots);
			out_json_uint(o, "not_recorded", c.n_dropped);
			out_json_uint(o, "forgotten", c.n_forgotten);
		}
		out_json_object_end(o);
	}
	out_json_array_end(o);
	out_json_num(o, "list_bytes", m.bytes);
	out_json_num(o, "list_bytes_used", m.used);
	out_json_num(o, "lists_not_recorded", m.n_dropped);
}

static void label(struct out *o, const char *what)
{
	out_line(o, 1);
	out_text(o, "%s", what);
	out_column(o, COL_VALUE);
}

static void text_kind(struct out *o, enum mdl_handle_kind kind, struct mdl_handle_count c)
{
	label(o, out_handle_words(kind));
	out_text(o, "room for %" PRIu64 ", %" PRIu64 " used", c.capacity, c.n_slots);
	if (c.n_dropped)
		out_text(o, ", %" PRIu64 " not recorded", c.n_dropped);
	if (c.n_forgotten)
		out_text(o, ", %" PRIu64 " forgotten", c.n_forgotten);
	out_line_end(o);
}

static void text_room(struct mpidbg_description *d)
{
	struct mdl_handle_memory m = rd_track_memory(d->p->track);
	struct out *o = &d->o;

	label(o, "registry");
	out_text(o, "of MPI objects, by the in-target library");
	out_line_end(o);
	for (int kind = 0; kind < MDL_N_HANDLE_KINDS; kind++) {
		struct mdl_handle_count c = rd_track_count(d->p->track, (enum mdl_handle_kind)kind);

		if (c.known)
			text_kind(o, (enum mdl_handle_kind)kind, c);
	}
	if (m.bytes.known == MDL_KNOWN && m.used.known == MDL_KNOWN) {
		label(o, "memory for lists");
		out_text(o, "room for %" PRId64 " bytes, %" PRId64 " used", m.bytes.value, m.used.value);
		out_line_end(o);
	}
}

void mpidbg_problem_kind(struct mpidbg_description *d, enum mdl_handle_kind kind)
{
	uint64_t n = rd_track_count(d->p->track, kind).n_dropped;

	if (n)
		mpidbg_problem(d,
			       "%s: incomplete: %" PRIu64
			       " were not recorded because there was no space (the process's "
			       "environment sets it: MPI2DD_TRACK_...)",
			       out_handle_words(kind), n);
}

void mpidbg_problem_capacity(struct mpidbg_description *d)
{
	struct mdl_num n = rd_track_memory(d->p->track).n_dropped;

	if (n.known == MDL_KNOWN && n.value)
		mpidbg_problem(d,
			       "incomplete: %" PRId64
			       " lists (members, arguments of datatypes, attributes ...) were not recorded because "
			       "there was no space (the process's environment sets it: MPI2DD_TRACK_ARENA)",
			       n.value);
}

void mpidbg_write_capacity(struct mpidbg_description *d)
{
	struct acc_note note = d->p->space.note, message = d->p->note;
	enum acc_rc rc = mqs_state_track(d->p);

	if (d->o.json && rc) {
		out_json_unknown(&d->o, "registry", d->p->note.text);
	} else if (d->o.json) {
		out_json_object(&d->o, "registry");
		json_room(d);
		out_json_object_end(&d->o);
	} else if (!rc) {
		text_room(d);
	} else if (rc != ACC_NONE) { /* most processes have no in-target library */
		label(&d->o, "registry");
		out_name(&d->o, d->p->note.text, false);
		out_line_end(&d->o);
	}
	if (!rc)
		mpidbg_problem_capacity(d);
	d->p->space.note = note;
	d->p->note = message;
}
