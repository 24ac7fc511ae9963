/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every object has in common, and the line of a list.
 */
#include "handle_words.h"
#include "sides.h"

#include "place.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COL_NAME = 24, COL_CALL = 48, COL_FACTS = 80 };

void mpidbg_handle_name(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle,
			char ret[MDL_NAME_BYTES])
{
	struct mdl_handle h;
	struct acc_note note = d->p->space.note;

	ret[0] = '\0';
	if (handle.known == MDL_KNOWN && !rd_track_find(d->p->track, kind, (uint64_t)handle.value, &h))
		memcpy(ret, h.name, MDL_NAME_BYTES);
	d->p->space.note = note; /* a name that cannot be found is no failure */
}

bool mpidbg_referred(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle, struct mdl_num id,
		     char ret[MDL_NAME_BYTES])
{
	struct acc_note note = d->p->space.note;
	struct mdl_handle h;

	if (handle.known == MDL_NOT_APPLICABLE || id.known != MDL_KNOWN) {
		mpidbg_handle_name(d, kind, handle, ret);
		return true;
	}
	enum acc_rc rc = rd_track_find_id(d->p->track, kind, (uint64_t)id.value, &h);
	ret[0] = '\0';
	if (!rc)
		memcpy(ret, h.name, MDL_NAME_BYTES);
	d->p->space.note = note;
	return rc ? rc != ACC_NONE : h.life == MDL_LIVE;
}

void mpidbg_number_name(struct mpidbg_description *d, enum mdl_handle_kind kind, uint64_t id, char ret[MDL_NAME_BYTES])
{
	struct mdl_handle h;
	struct acc_note note = d->p->space.note;

	ret[0] = '\0';
	if (!rd_track_find_id(d->p->track, kind, id, &h))
		memcpy(ret, h.name, MDL_NAME_BYTES);
	d->p->space.note = note;
}

/* Types of Fortran's kinds have no name of their own (Open MPI's is "COMBINER MPI_INT"): the call that gives them has. */
static bool f90_words(struct mpidbg_description *d, const struct mdl_handle *h, char ret[MDL_NAME_BYTES])
{
	const struct mdl_handle_datatype *t = &h->datatype;
	int64_t combiner = t->combiner.known == MDL_KNOWN ? t->combiner.value : MDL_NAMED, v[2];
	const char *call = out_combiner(combiner);
	unsigned n = combiner == MDL_F90_INTEGER ? 1 : 2;

	if ((combiner != MDL_F90_INTEGER && combiner != MDL_F90_REAL && combiner != MDL_F90_COMPLEX) ||
	    !t->integers.known || t->integers.n != n || rd_track_numbers(d->p->track, &t->integers, 8, 0, n, v))
		return false;
	if (n == 1)
		snprintf(ret, MDL_NAME_BYTES, "MPI_Type_create_%s(%" PRId64 ")", call, v[0]);
	else
		snprintf(ret, MDL_NAME_BYTES, "MPI_Type_create_%s(%" PRId64 ",%" PRId64 ")", call, v[0], v[1]);
	return true;
}

bool mpidbg_type_words(struct mpidbg_description *d, uint64_t id, char ret[MDL_NAME_BYTES])
{
	struct mdl_handle h;
	struct acc_note note = d->p->space.note;
	bool found = !rd_track_find_id(d->p->track, MDL_DATATYPE, id, &h);
	bool f90 = found && h.predefined && f90_words(d, &h, ret), named = found && !f90 && h.name[0];

	if (named)
		memcpy(ret, h.name, MDL_NAME_BYTES);
	else if (!f90)
		snprintf(ret, MDL_NAME_BYTES, "datatype #%" PRIu64, id);
	d->p->space.note = note;
	return named;
}

/*
 * Whether the library has let go of the object itself. It has when the handle's value belongs to another one; otherwise
 * nothing but the library's own memory could say.
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

void mpidbg_number_fact(struct mpidbg_description *d, const char *key, struct mdl_num number)
{
	if (d->o.json || number.known != MDL_KNOWN) {
		out_fact_num(&d->o, key, number);
		return;
	}
	out_fact_label(&d->o, key);
	out_text(&d->o, "#%" PRId64, number.value);
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
		if (h->id)
			mpidbg_number_fact(d, "number", mdl_known((int64_t)h->id));
	}
	if (h->call[0])
		out_fact_string(o, "made_by", h->call);
	else if (!h->predefined)
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
}

/* ---- a line ----------------------------------------------------------------------------------------- */

static void numbers(struct mpidbg_description *d, const char *what, const struct mdl_list *list)
{
	int64_t v[8];
	uint64_t n = list->n < 8 ? list->n : 8;

	if (!list->known || rd_track_numbers(d->p->track, list, 4, 0, n, v))
		return;
	out_text(&d->o, "%s", what);
	for (uint64_t i = 0; i < n; i++)
		out_text(&d->o, i ? "x%" PRId64 : "%" PRId64, v[i]);
	if (list->n > n)
		out_text(&d->o, "...");
}

static void rank(struct out *o, const char *before, struct mdl_num n, const char *after)
{
	if (n.known != MDL_KNOWN && n.known != MDL_ANY)
		return;
	out_text(o, "%s", before);
	out_rank(o, n);
	out_text(o, "%s", after);
}

/* @param id of the object, where the record has it */
static void on(struct mpidbg_description *d, enum mdl_handle_kind kind, struct mdl_num handle, struct mdl_num id)
{
	char name[MDL_NAME_BYTES];

	if (handle.known != MDL_KNOWN)
		return;
	bool live = mpidbg_referred(d, kind, handle, id, name);
	out_text(&d->o, " on ");
	if (name[0])
		out_name(&d->o, name, true);
	else if (live)
		out_text(&d->o, "0x%" PRIx64, (uint64_t)handle.value);
	else
		out_text(&d->o, "a %s", out_handle_word(kind));
	if (!live)
		out_text(&d->o, " (freed)");
}

static void request_line(struct mpidbg_description *d, const struct mdl_handle_request *r)
{
	struct out *o = &d->o;
	bool peer = r->peer.known != MDL_NOT_APPLICABLE;

	if (r->persistent)
		out_text(o, r->active ? "persistent, active " : "persistent, inactive ");
	if (r->cancelled)
		out_text(o, "MPI_Cancel was called ");
	if (r->free_called)
		out_text(o, "MPI_Request_free was called ");
	if (r->shared)
		out_text(o, "complete ");
	rank(o, r->peer_is_root ? "root " : "peer ", r->peer, "");
	out_num_within(o, " tag ", r->tag, "");
	rank(o, " source ", r->source, "");
	out_num_within(o, " tag ", r->receive_tag, "");
	mpidbg_sides_words(d, peer ? ", " : "", r->count, r->datatype, &r->second);
	if (r->object_kind.known == MDL_KNOWN)
		on(d, (enum mdl_handle_kind)r->object_kind.value, r->object, mdl_none());
}

/* How many targets are locked; of the first ones of a large window only. */
static void locked(struct mpidbg_description *d, const struct mdl_list *list)
{
	int64_t v[256];
	uint64_t n = list->n < 256 ? list->n : 256, n_locked = 0;

	if (!list->known || rd_track_numbers(d->p->track, list, 1, 0, n, v))
		return;
	for (uint64_t i = 0; i < n; i++)
		n_locked += v[i] != 0;
	if (n_locked) {
		out_text(&d->o, ", ");
		out_count(&d->o, n_locked, "target");
		out_text(&d->o, " locked");
	}
}

static void errhandler_line(struct mpidbg_description *d, const struct mdl_handle_errhandler *e)
{
	char place[MPIDBG_PLACE_BYTES];

	if (e->object_kind.known == MDL_KNOWN)
		out_text(&d->o, "for %s", out_handle_words((enum mdl_handle_kind)e->object_kind.value));
	if (e->function.known == MDL_KNOWN && mpidbg_place(d, (uint64_t)e->function.value + 1, place)) {
		out_text(&d->o, ", ");
		out_name(&d->o, place, false);
	}
}

static void win_line(struct mpidbg_description *d, const struct mdl_handle_win *w)
{
	struct out *o = &d->o;

	out_num_within(o, "size ", w->size, " bytes");
	if (w->fence_open)
		out_text(o, ", fence epoch");
	if (w->started)
		out_text(o, ", started");
	if (w->posted)
		out_text(o, ", posted");
	if (w->lock_all)
		out_text(o, ", locked all");
	locked(d, &w->locks);
	on(d, MDL_COMM, w->comm, w->comm_id);
}

static void kind_line(struct mpidbg_description *d, const struct mdl_handle *h)
{
	char text[256];
	struct out *o = &d->o;

	switch (h->kind) {
	case MDL_COMM:
		out_num_within(o, "rank ", h->comm.rank, "");
		out_num_within(o, " of ", h->comm.size, "");
		out_num_within(o, ", ", h->comm.remote_size, " remote");
		if (h->comm.topology == MDL_TOPO_CART && h->comm.dims.known && !h->comm.dims.total)
			out_text(o, ", cartesian 0-dimensional");
		else if (h->comm.topology == MDL_TOPO_CART)
			numbers(d, ", cartesian ", &h->comm.dims);
		else if (h->comm.topology != MDL_TOPO_NONE)
			out_text(o, ", graph");
		break;
	case MDL_GROUP:
		if (h->group.size.known == MDL_KNOWN)
			out_count(o, (uint64_t)h->group.size.value, "rank");
		break;
	case MDL_DATATYPE:
		out_num_within(o, "size ", h->datatype.size, "");
		out_num_within(o, ", extent ", h->datatype.extent, "");
		if (!h->predefined && !h->datatype.committed)
			out_text(o, ", not committed");
		break;
	case MDL_ERRHANDLER:
		errhandler_line(d, &h->errhandler);
		break;
	case MDL_FILE:
		if (!rd_track_text(d->p->track, &h->file.path, text, sizeof(text)))
			out_name(o, text, true);
		on(d, MDL_COMM, h->file.comm, h->file.comm_id);
		break;
	case MDL_INFO:
		if (h->info.pairs.known)
			out_count(o, h->info.pairs.total, "key");
		break;
	case MDL_OP:
		if (h->op.commutative.known == MDL_KNOWN)
			out_text(o, h->op.commutative.value ? "commutative" : "not commutative");
		break;
	case MDL_REQUEST:
		request_line(d, &h->request);
		break;
	case MDL_WIN:
		win_line(d, &h->win);
		break;
	case MDL_A_MESSAGE:
		rank(o, "source ", h->message.source, "");
		out_num_within(o, " tag ", h->message.tag, "");
		on(d, MDL_COMM, h->message.comm, mdl_none());
		break;
	case MDL_KEYVAL:
		out_num_within(o, "key ", h->keyval.key, "");
		break;
	default:
		break;
	}
}

void mpidbg_handle_line(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct out *o = &d->o;

	out_line(o, 2);
	out_text(o, "0x%" PRIx64, h->handle);
	out_column(o, COL_NAME);
	if (h->name[0])
		out_name(o, h->name, true);
	else
		out_text(o, "-");
	out_column(o, COL_CALL);
	if (h->call[0])
		out_name(o, h->call, false);
	else
		out_text(o, h->predefined ? "predefined" : "?");
	out_column(o, COL_FACTS);
	if (h->life != MDL_LIVE)
		out_text(o, "%s: ", out_life(h->life));
	if (h->unsettled)
		out_text(o, "being written: ");
	kind_line(d, h);
	if (h->references.known == MDL_KNOWN && h->references.value > 1)
		out_text(o, ", %" PRId64 " references", h->references.value);
	out_line_end(o);
}
