/* SPDX-License-Identifier: BSD-3-Clause */
#include "summary.h"
#include "references.h"

#include "handle_words.h"
#include "transfer_args.h"

#include "../render/handle_kind.h"
#include "../render/operation.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limit of numbers and pairs of a list in one line. */
enum { DIMS_MAX = 4, PAIRS_MAX = 2, PAIR_BYTES = 48 };

/* ---- parts ------------------------------------------------------------------------------------------ */

bool mpidbg_summary_receives(const char *function)
{
	return strstr(function, "recv") || strstr(function, "Recv") || strstr(function, "robe");
}

void mpidbg_summary_peer(struct out *o, const char *word, struct mdl_num peer)
{
	if (peer.known == MDL_NOT_APPLICABLE)
		return;
	out_text(o, " %s ", word);
	if (peer.known == MDL_UNAVAILABLE)
		out_text(o, "a rank that is unavailable");
	else
		out_rank(o, peer);
}

/* The communicator of a file or a window. */
static void on_comm(struct mpidbg_description *d, struct mdl_num comm, struct mdl_num id)
{
	char name[MDL_NAME_BYTES];

	if (mpidbg_referred(d, MDL_COMM, comm, id, name)) {
		mpidbg_summary_name(d, " on ", MDL_COMM, comm);
		return;
	}
	out_text(&d->o, " on ");
	if (name[0])
		out_name(&d->o, name, true);
	else
		out_text(&d->o, "a communicator");
	out_text(&d->o, " (freed by the application)");
}

/* ---- an operation from the library's memory ---------------------------------------------------------------- */

void mpidbg_summary_operation(struct mpidbg_description *d, const struct mdl_comm *comm, const struct mdl_op *op,
			      const char *function, bool state)
{
	struct out *o = &d->o;
	const char *made_by = function ? function : out_function(op);

	out_text(o, "%s",
		 made_by                      ? made_by
		 : op->kind == MDL_COLLECTIVE ? "a non-blocking collective"
		 : op->kind == MDL_SEND       ? "a send"
		 : op->kind == MDL_RECEIVE    ? "a receive"
					      : "a request");
	mpidbg_summary_peer(o, op->kind == MDL_SEND ? "to" : "from", op->peer);
	if (op->kind != MDL_COLLECTIVE)
		out_num_within(o, ", tag ", op->tag, "");
	if (op->count.known == MDL_KNOWN) {
		out_text(o, ", %" PRId64 " x ", op->count.value);
		if (op->datatype[0])
			out_name(o, op->datatype, true);
		else
			out_text(o, "a datatype without name");
	}
	out_text(o, " on ");
	if (comm->name[0])
		out_name(o, comm->name, true);
	else
		out_text(o, "communicator 0x%" PRIx64, comm->handle);
	if (!state)
		return;
	if (op->cancelled)
		out_text(o, ", cancelled");
	if (op->persistent)
		out_text(o, ", persistent");
	if (op->status == MDL_COMPLETE)
		out_text(o, op->persistent && !op->active ? ", inactive" : ", complete");
	else
		out_text(o, op->status == MDL_MATCHED ? ", matched" : ", active");
	if (op->freed)
		out_text(o, ", freed by the application");
}

/* ---- an object of the registry ------------------------------------------------------------------------ */

static void title(struct mpidbg_description *d, const struct mdl_handle *h)
{
	if (h->name[0])
		out_name(&d->o, h->name, true);
	else if (h->call[0]) {
		out_text(&d->o, "%s of ", out_handle_word(h->kind));
		out_name(&d->o, h->call, false);
	} else
		out_text(&d->o, "%s", out_handle_word(h->kind));
}

static void dims(struct mpidbg_description *d, const struct mdl_list *list)
{
	int64_t v[DIMS_MAX];
	uint64_t n = list->n < DIMS_MAX ? list->n : DIMS_MAX;

	if (list->known && !list->total)
		out_text(&d->o, " 0-dimensional");
	if (!list->known || !n || rd_track_numbers(d->p->track, list, 4, 0, n, v))
		return;
	for (uint64_t i = 0; i < n; i++)
		out_text(&d->o, "%s%" PRId64, i ? "x" : " ", v[i]);
	if (list->n > n)
		out_text(&d->o, "x...");
}

static void comm(struct mpidbg_description *d, const struct mdl_handle *h)
{
	static const char *const topologies[] = { [MDL_TOPO_CART] = ", cartesian",
						  [MDL_TOPO_GRAPH] = ", graph",
						  [MDL_TOPO_DIST_GRAPH] = ", distributed graph" };

	out_num_within(&d->o, ", rank ", h->comm.rank, "");
	out_num_within(&d->o, " of ", h->comm.size, "");
	out_num_within(&d->o, ", ", h->comm.remote_size, " remote");
	if (h->comm.topology != MDL_TOPO_NONE)
		out_text(&d->o, "%s", topologies[h->comm.topology]);
	if (h->comm.topology == MDL_TOPO_CART)
		dims(d, &h->comm.dims);
}

static void request(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_request *r = &h->request;
	struct out *o = &d->o;

	if (!h->call[0] && h->name[0])
		out_name(o, h->name, true);
	else
		out_text(o, "%s", h->call[0] ? h->call : "request");
	if (r->peer_is_root)
		mpidbg_summary_peer(o, "root", r->peer);
	else
		mpidbg_summary_peer(o, mpidbg_summary_receives(h->call) ? "from" : "to", r->peer);
	out_num_within(o, ", tag ", r->tag, "");
	if (r->source.known != MDL_NOT_APPLICABLE)
		out_text(o, ",");
	mpidbg_summary_peer(o, "from", r->source);
	out_num_within(o, ", tag ", r->receive_tag, "");
	mpidbg_transfer_words(d, ", ", r->count, r->datatype, &r->second);
	if (r->object_kind.known == MDL_KNOWN && r->object_kind.value < MDL_N_HANDLE_KINDS)
		mpidbg_summary_name(d, " on ", (enum mdl_handle_kind)r->object_kind.value, r->object);
	if (h->predefined)
		return;
	if (r->cancelled)
		out_text(o, ", MPI_Cancel was called");
	if (h->life != MDL_LIVE)
		return;
	out_text(o, r->shared ? ", complete at once" : r->active ? ", active" : r->persistent ? ", inactive" : "");
	if (r->free_called)
		out_text(o, ", freed by the application while active");
}

static void pairs(struct mpidbg_description *d, const struct mdl_list *list)
{
	char key[PAIR_BYTES], value[PAIR_BYTES];

	if (!list->known)
		return;
	out_text(&d->o, ", ");
	out_count(&d->o, list->total, "key");
	for (uint64_t i = 0; i < list->n && i < PAIRS_MAX; i++) {
		if (rd_track_pair(d->p->track, list, i, key, sizeof(key), value, sizeof(value)))
			return;
		out_text(&d->o, "%s", i ? ", " : ": ");
		out_name(&d->o, key, true);
		out_text(&d->o, "=");
		out_name(&d->o, value, true);
	}
	if (list->total > PAIRS_MAX)
		out_text(&d->o, ", ...");
}

static void file(struct mpidbg_description *d, const struct mdl_handle_file *f)
{
	char text[256];

	if (!rd_track_text(d->p->track, &f->path, text, sizeof(text))) {
		out_text(&d->o, ", ");
		out_name(&d->o, text, true);
	}
	if (f->mode.known == MDL_KNOWN) {
		out_file_mode(f->mode.value, text, sizeof(text));
		out_text(&d->o, ", %s", text);
	}
	on_comm(d, f->comm, f->comm_id);
	if (f->split_call[0])
		out_text(&d->o, ", %s is open", f->split_call);
}

static void win(struct mpidbg_description *d, const struct mdl_handle_win *w)
{
	struct out *o = &d->o;

	out_num_within(o, ", ", w->size, " bytes");
	if (w->base.known == MDL_KNOWN)
		out_text(o, " at 0x%" PRIx64, (uint64_t)w->base.value);
	on_comm(d, w->comm, w->comm_id);
	out_text(o, "%s%s%s%s", w->fence_open ? ", fence" : "", w->lock_all ? ", all locked" : "",
		 w->started ? ", started" : "", w->posted ? ", posted" : "");
}

static void address(struct out *o, const char *before, struct mdl_num n)
{
	if (n.known == MDL_KNOWN && n.value)
		out_text(o, "%s0x%" PRIx64, before, (uint64_t)n.value);
}

/* The facts of each kind, after the title. */
static void facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct out *o = &d->o;

	switch (h->kind) {
	case MDL_COMM:
		comm(d, h);
		break;
	case MDL_GROUP:
		if (h->group.size.known == MDL_KNOWN && h->group.size.value > 0) {
			out_text(o, ", ");
			out_count(o, (uint64_t)h->group.size.value, "rank");
			out_num_within(o, ", this is rank ", h->group.rank, "");
		}
		break;
	case MDL_DATATYPE:
		out_num_within(o, ", size ", h->datatype.size, "");
		if (!h->predefined)
			out_num_within(o, ", extent ", h->datatype.extent, "");
		if (!h->predefined && !h->datatype.committed)
			out_text(o, ", not committed");
		break;
	case MDL_ERRHANDLER:
		address(o, ", function ", h->errhandler.function);
		break;
	case MDL_FILE:
		file(d, &h->file);
		break;
	case MDL_INFO:
		pairs(d, &h->info.pairs);
		break;
	case MDL_OP:
		if (!h->predefined && h->op.commutative.known == MDL_KNOWN)
			out_text(o, h->op.commutative.value ? ", commutative" : ", not commutative");
		address(o, ", function ", h->op.function);
		break;
	case MDL_WIN:
		win(d, &h->win);
		break;
	case MDL_A_MESSAGE:
		mpidbg_summary_peer(o, "from", h->message.source);
		out_num_within(o, ", tag ", h->message.tag, "");
		out_num_within(o, ", ", h->message.bytes, " bytes");
		mpidbg_summary_name(d, " on ", MDL_COMM, h->message.comm);
		break;
	case MDL_KEYVAL:
		out_num_within(o, ", key ", h->keyval.key, "");
		break;
	default:
		break;
	}
}

void mpidbg_summary_object(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct out *o = &d->o;
	bool gone = h->life != MDL_LIVE;

	if (gone)
		out_text(o, "%s: ",
			 h->kind == MDL_REQUEST && !h->request.free_called    ? "complete"
			 : h->kind == MDL_A_MESSAGE || h->kind == MDL_SESSION ? "over"
									      : "freed by the application");
	if (h->unsettled)
		out_text(o, "being written: ");
	uint64_t n = mpidbg_requests_alike(d, h);
	if (n > 1) {
		out_text(o, "one of %" PRIu64 " requests with this handle, all complete at once", n);
		return;
	}
	if (h->kind == MDL_REQUEST) {
		request(d, h);
		return;
	}
	title(d, h);
	if (!h->null)
		facts(d, h);
}
