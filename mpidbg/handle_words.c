/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The full description of an object: the facts common to all kinds, then those of its kind.
 */
#include "handle_words.h"
#include "references.h"

#include "place.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/*
 * Has the library released the object? Yes if its handle value belongs to another object; otherwise only the library's
 * own memory could tell.
 */
static void object_freed(struct mpidbg_description *d, const struct mdl_handle *h)
{
	static const char key[] = "object_freed";

	if (h->life == MDL_FREED)
		out_fact_num(&d->o, key, mdl_unavailable("no MPI call tells whether the library still keeps it"));
	else if (d->o.json || h->life == MDL_EARLIER)
		out_fact_bool(&d->o, key, h->life == MDL_EARLIER);
}

static const char *language(enum mdl_language l)
{
	static const char *const words[] = { NULL, "C", "Fortran", "C++" };

	return words[l];
}

bool mpidbg_ended(struct mpidbg_description *d, const struct mdl_handle *h)
{
	return d->what == MPIDBG_WHAT_HANDLE && h->life == MDL_LIVE &&
	       rd_track_library(d->p->track)->state == MDL_FINALIZED;
}

/* ---- in full ---------------------------------------------------------------------------------------- */

static void where(struct mpidbg_description *d, const struct mdl_handle *h)
{
	int64_t addrs[64];
	uint64_t n = h->where.n < 64 ? h->where.n : 64;

	if (!n)
		return;
	if (rd_track_numbers(d->p->track, &h->where, 8, 0, n, addrs)) {
		mpidbg_problem_walk(d, ACC_EREAD, 0, "where it was made");
		return;
	}
	mpidbg_places(d, "where", addrs, n);
}

void mpidbg_handle_facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct out *o = &d->o;
	struct mdl_handle parent;
	char name[MDL_NAME_BYTES] = "";

	out_fact_word(o, "kind", out_handle_kind(h->kind));
	out_fact_addr(o, "handle", mdl_known((int64_t)h->handle));
	if (h->name[0] || o->json)
		out_fact_string(o, "name", h->name);
	out_fact_word(o, "state", mpidbg_ended(d, h) ? "finalized" : out_life(h->life));
	object_freed(d, h);
	out_fact_bool(o, "predefined", h->predefined);
	if (h->unsettled)
		out_fact_bool(o, "being_written", true);
	if (h->kind != MDL_REQUEST) {
		if (o->json || h->fortran.known == MDL_KNOWN)
			out_fact_num(o, "fortran", h->fortran);
		if (h->id && !rd_track_has_no_registry(d->p->track))
			mpidbg_number_fact(d, "number", mdl_known((int64_t)h->id));
	}
	if (h->call[0])
		out_fact_string(o, "made_by", h->call);
	else if (!h->predefined && !rd_track_has_no_registry(d->p->track))
		out_fact_word(o, "made_by", "not known: it was there before the in-target library looked");
	if (h->parent.known == MDL_KNOWN && !rd_track_find_id(d->p->track, h->kind, (uint64_t)h->parent.value, &parent))
		memcpy(name, parent.name, sizeof(name));
	if (h->parent.known == MDL_KNOWN) {
		mpidbg_number_fact(d, "parent", h->parent);
		if (name[0])
			out_fact_string(o, "parent_name", name);
	}
	if (h->references.known == MDL_KNOWN && h->references.value != 1)
		out_fact_num(o, "references", h->references);
	if (h->generation.known == MDL_KNOWN && h->generation.value)
		out_fact_num(o, "generation", h->generation);
	out_fact_word(o, "language", language(h->language));
	where(d, h);
	mpidbg_handle_kind_facts(d, h);
	if (o->json)
		out_json_string(o, "origin", h->origin);
	else if (rd_track_has_no_registry(d->p->track))
		out_fact_word(o, "origin", h->origin);
}
