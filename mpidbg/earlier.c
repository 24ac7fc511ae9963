/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Earlier objects with the same handle value. Values are reused, and earlier objects stay recorded for a while,
 * because a stale copy of the handle in the program refers to one of them.
 */
#include "handle_words.h"

#include "place.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { EARLIER_MAX = 16 };

static bool is_earlier(const struct mdl_handle *h, const struct mdl_handle *than)
{
	return h->handle == than->handle && h->addr != than->addr && h->life != MDL_LIVE;
}

static void json_earlier(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct out *o = &d->o;

	out_json_object(o, NULL);
	out_json_string(o, "name", h->name);
	out_json_string(o, "made_by", h->call);
	if (h->id)
		out_json_uint(o, "number", h->id);
	if (h->kind == MDL_REQUEST) {
		bool application = h->request.free_called || h->request.persistent;

		out_json_string(o, "freed_by", application ? "application" : "completion");
		out_json_num(o, "peer", h->request.peer);
		out_json_num(o, "tag", h->request.tag);
	} else {
		out_json_string(o, "freed_by", "application");
	}
	out_json_object_end(o);
}

static void text_earlier(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct out *o = &d->o;

	out_fact_label(o, "an earlier object");
	out_name(o, h->call[0] ? h->call : "?", false);
	if (h->name[0]) {
		out_text(o, " ");
		out_name(o, h->name, true);
	}
	if (h->kind == MDL_REQUEST && h->request.tag.known == MDL_KNOWN)
		out_text(o, " tag %" PRId64, h->request.tag.value);
	if (h->kind == MDL_REQUEST && !h->request.free_called && !h->request.persistent)
		out_text(o, ", complete");
	else
		out_text(o, ", freed by the application");
}

void mpidbg_earlier_objects(struct mpidbg_description *d, const struct mdl_handle *than)
{
	struct mdl_handle earlier[EARLIER_MAX], h;
	struct rd_track_iter it;
	unsigned n = 0;
	uint64_t n_all = 0;

	if (than->predefined || rd_track_first(d->p->track, than->kind, RD_TRACK_FREED | RD_TRACK_EARLIER, &it))
		return;
	while (!rd_track_next(&it, &h)) {
		if (!is_earlier(&h, than))
			continue;
		n_all++;
		unsigned k = EARLIER_MAX - 1;
		if (n < EARLIER_MAX)
			k = n++;
		else if (earlier[k].id > h.id)
			continue;
		/* latest first, if the objects have numbers */
		for (; k && earlier[k - 1].id < h.id; k--)
			earlier[k] = earlier[k - 1];
		earlier[k] = h;
	}
	acc_note_clear(&d->p->space.note); /* invalid records are reported in lists only */
	if (!n)
		return;
	if (d->o.json)
		out_json_array(&d->o, "earlier");
	for (unsigned i = 0; i < n; i++) {
		if (d->o.json)
			json_earlier(d, &earlier[i]);
		else
			text_earlier(d, &earlier[i]);
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	if (n_all == n)
		return;
	if (d->o.json) {
		out_json_uint(&d->o, "earlier_left_out", n_all - n);
	} else {
		out_fact_label(&d->o, "earlier objects");
		out_text(&d->o, "%" PRIu64 " before these", n_all - n);
	}
}
