/* SPDX-License-Identifier: BSD-3-Clause */
/* An object in one line of a list. */
#include "handle_words.h"

#include "place.h"
#include "references.h"
#include "transfer_args.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { COL_NAME = 24, COL_CALL = 48, COL_FACTS = 80 };

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

/* @p id: number of the object, if the record has it. */
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
	if (r->count.known != MDL_UNAVAILABLE) /* `print` shows the reason */
		mpidbg_transfer_words(d, peer ? ", " : "", r->count, r->datatype, &r->second);
	if (r->object_kind.known == MDL_KNOWN)
		on(d, (enum mdl_handle_kind)r->object_kind.value, r->object, mdl_none());
}

/* Number of locked targets; for a large window only among the first ones. */
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
	else if (h->predefined)
		out_text(o, "predefined");
	else if (h->kind == MDL_DATATYPE &&
		 h->datatype.combiner.known == MDL_KNOWN) /* returned by a function, but it is not known which */
		out_text(o, "(%s)", out_combiner(h->datatype.combiner.value));
	else if (h->kind == MDL_REQUEST && h->request.type != MDL_REQUEST_UNKNOWN)
		out_text(o, "(%s)", h->request.operation ? h->request.operation : out_request_type(h->request.type));
	else
		out_text(o, "?");
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
