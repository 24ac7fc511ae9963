/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about a request: the call of the program, from the tracker, and its progress, from the library's own
 * object if that can be read.
 */
#include "completion.h"
#include "handle_words.h"
#include "references.h"
#include "numbers.h"

#include "place.h"
#include "transfer_args.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- how the request ended -------------------------------------------------------------------------------- */

static void freed_by(struct mpidbg_description *d, const struct mdl_handle *h)
{
	if (h->life == MDL_LIVE)
		return;
	if (d->o.json)
		out_json_string(&d->o, "freed_by", mpidbg_freed_by_application(h) ? "application" : "completion");
	else
		out_fact_word(&d->o, "freed",
			      mpidbg_freed_by_application(h) ? "freed by the application (MPI_Request_free)"
							     : "the program was told that it is complete");
}

/* ---- facts from the library ------------------------------------------------------------------------------- */

static void write_complete(struct mpidbg_description *d, bool complete, const char *origin)
{
	out_fact_bool(&d->o, "complete", complete);
	if (d->o.json)
		out_json_string(&d->o, "complete_origin", origin);
	else
		out_text(&d->o, "  (says the %s)", origin);
}

static void fortran(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct mdl_num n = h->fortran;
	struct mdl_op op;

	if (n.known != MDL_KNOWN && h->life == MDL_LIVE && !h->request.shared && !mpidbg_ask_library(d->p, h, &op))
		n = op.fortran;
	if (d->o.json || n.known == MDL_KNOWN)
		out_fact_num(&d->o, "fortran", n);
}

static void complete(struct mpidbg_description *d, const struct mdl_handle *h)
{
	static const char why[] = "only the MPI library knows, and its own request cannot be read here";
	struct mpidbg_completion c = mpidbg_completion_of(d->p, h);

	if (!c.applies)
		return;
	if (c.known)
		write_complete(d, c.complete, c.origin);
	else
		out_fact_num(&d->o, "complete", mdl_unavailable(why));
}

/* ---- arguments --------------------------------------------------------------------------------------------- */

/* Partitions of an active request that were marked ready, or that the program has seen to have arrived. */
static void partitions(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_list *list = &h->request.partitions_done;
	const char *key = strcmp(h->call, "MPI_Precv_init") ? "ready" : "arrived";
	struct out *o = &d->o;
	struct mpidbg_numbers it;
	struct out_fact_list out;
	uint64_t i;
	int64_t done;

	if (!list->known || !h->request.active)
		return;
	out_fact_list(o, key, &out);
	mpidbg_numbers_init(&it, d, list, 1, list->n, "which partitions are ready");
	while (mpidbg_numbers_next(&it, &i, &done)) {
		if (!done)
			continue;
		if (out_fact_room(o, 1))
			out_fact_item(o, &out, (int64_t)i);
		else
			out_fact_left(&out, 1);
	}
	out_fact_list_end(o, key, &out, list->total - list->n);
}

static void arguments(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_request *r = &h->request;
	struct out *o = &d->o;

	if (r->object_kind.known == MDL_KNOWN)
		mpidbg_ref_fact(d, out_handle_kind((enum mdl_handle_kind)r->object_kind.value),
				(enum mdl_handle_kind)r->object_kind.value, r->object, r->object_id);
	out_fact_rank(o, r->peer_is_root ? "root" : "peer", r->peer);
	out_fact_num(o, "tag", r->tag);
	out_fact_rank(o, "source", r->source);
	out_fact_num(o, "receive_tag", r->receive_tag);
	out_fact_num(o, "count", r->count);
	if (r->partitioned) {
		out_fact_num(o, "partitions", r->partitions);
		out_fact_num(o, "count_per_partition", r->count_per_partition);
		partitions(d, h);
	}
	mpidbg_ref_fact(d, "datatype", MDL_DATATYPE, r->datatype, r->datatype_id);
	mpidbg_ref_fact(d, "op", MDL_OP, r->op, r->op_id);
	out_fact_handle(o, "buffer", r->buffer, rd_track_buffer_name(d->p->track, r->buffer));
	mpidbg_transfer_facts(d, &r->second);
	out_fact_addr(o, "extra_state", r->extra_state);
	mpidbg_place_fact(d, "caller", r->caller);
}

/* ---- handle values shared by several requests -------------------------------------------------------------- */

enum { SHARING_SHOWN = 16 };

static const char shared_words[] = "its handle is the library's own, of all that are complete at once";

/* The next live request with the same handle value. */
static bool next_alike(struct rd_track_iter *it, uint64_t handle, struct mdl_handle *ret)
{
	while (!rd_track_next(it, ret))
		if (ret->handle == handle && !ret->predefined)
			return true;
	return false;
}

uint64_t mpidbg_requests_alike(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct acc_note note = d->p->space.note;
	struct rd_track_iter it;
	struct mdl_handle one;
	uint64_t n = 0;

	if (h->kind != MDL_REQUEST || h->life != MDL_LIVE || !h->request.shared ||
	    rd_track_first(d->p->track, MDL_REQUEST, RD_TRACK_LIVE, &it))
		return 1;
	while (next_alike(&it, h->handle, &one))
		n++;
	d->p->space.note = note; /* invalid records are reported in lists only */
	return n;
}

bool mpidbg_shared_requests(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct acc_note note = d->p->space.note;
	struct out *o = &d->o;
	struct rd_track_iter it;
	struct mdl_handle one;
	uint64_t n = mpidbg_requests_alike(d, h);

	if (n < 2)
		return false;
	out_fact_word(o, "kind", out_handle_kind(h->kind));
	out_fact_addr(o, "handle", mdl_known((int64_t)h->handle));
	out_fact_word(o, "state", out_life(h->life));
	out_fact_bool(o, "predefined", false);
	out_fact_word(o, "shared", shared_words);
	write_complete(d, true, "tracker");
	if (o->json) {
		out_json_uint(o, "sharing", n);
		out_json_array(o, "requests");
	} else {
		out_fact_label(o, "requests");
		out_text(o, "%" PRIu64 " live requests have this handle: it is unknown which of them is meant", n);
	}
	if (!rd_track_first(d->p->track, MDL_REQUEST, RD_TRACK_LIVE, &it))
		for (unsigned i = 0; i < SHARING_SHOWN && next_alike(&it, h->handle, &one); i++) {
			if (o->json) {
				out_json_object(o, NULL);
				out_json_string(o, "made_by", one.call);
				arguments(d, &one);
				out_json_object_end(o);
			} else
				mpidbg_handle_line(d, &one);
		}
	if (o->json)
		out_json_array_end(o);
	else if (n > SHARING_SHOWN) {
		out_line(o, 2);
		out_text(o, "%" PRIu64 " more", n - SHARING_SHOWN);
	}
	d->p->space.note = note;
	return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

void mpidbg_request_facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_request *r = &h->request;
	struct out *o = &d->o;

	freed_by(d, h);
	if (h->predefined)
		return;
	fortran(d, h);
	out_fact_word(o, "type", out_request_type(r->type));
	if (r->operation)
		out_fact_word(o, "operation", r->operation);
	out_fact_bool(o, "persistent", r->persistent);
	out_fact_bool(o, "active", r->active);
	if (r->cancelled)
		out_fact_bool(o, "cancel_called", true);
	if (r->free_called)
		out_fact_bool(o, "free_called", true);
	if (r->partitioned)
		out_fact_bool(o, "partitioned", true);
	if (r->shared)
		out_fact_word(o, "shared", shared_words);
	complete(d, h);
	arguments(d, h);
}
