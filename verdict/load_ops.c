/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of a process, and messages that have arrived. */
#include "loading.h"

#include <string.h>

static int32_t peer_of(const struct vd_view *v, const json_t *op)
{
	const json_t *peer = json_object_get(op, "peer");
	const char *why = vd_json_text(op, "peer_why");

	if (json_is_integer(peer))
		return vd_peer_at(v, json_integer_value(peer));
	return why && strcmp(why, "any") == 0 ? VD_ANY : VD_UNKNOWN;
}

/* World rank of a peer that is known but not in the snapshot; -1: it is in the snapshot, or unknown. */
static int32_t absent_of(const struct vd_op *op, const json_t *json)
{
	int64_t world = vd_json_number(json, "peer_world", -1);

	return op->peer == VD_UNKNOWN && world >= 0 && world <= INT32_MAX ? (int32_t)world : -1;
}

static const struct {
	const char *key;
	enum vd_op_kind kind;
} lists[] = { { "pending_sends", VD_SEND },
	      { "pending_receives", VD_RECEIVE },
	      { "unexpected", VD_MESSAGE },
	      { "collectives", VD_COLLECTIVE } };
enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };

const char *vd_op_list(unsigned list)
{
	return list < N_LISTS ? lists[list].key : NULL;
}

static void load_op(struct vd_loading *l, size_t view, unsigned list, size_t index, const json_t *json)
{
	const struct vd_view *v = &l->views[view];
	enum vd_op_kind kind = lists[list].kind;
	const char *status = vd_json_text(json, "status"), *what = vd_json_text(json, "kind"),
		   *why = vd_json_text(json, "tag_why");
	const json_t *tag = json_object_get(json, "tag");
	struct vd_op *op = vd_add_op(l->job);

	if (!op)
		return;
	op->id = vd_json_address(json, "id");
	op->request = vd_json_address(json, "request");
	op->thread = vd_json_number(json, "thread", -1);
	op->view = (uint32_t)view;
	op->list = (uint8_t)list;
	op->index = (uint32_t)index;
	op->kind = (uint8_t)(what && (!strcmp(what, "probe") || !strcmp(what, "mprobe")) ? VD_PROBE : kind);
	op->comm = v->comm;
	op->peer = kind == VD_COLLECTIVE ? VD_UNKNOWN : peer_of(v, json);
	op->tag = json_is_integer(tag) ? json_integer_value(tag) : VD_ANY_TAG;
	if (!json_is_integer(tag) && !(why && strcmp(why, "any") == 0) && kind != VD_COLLECTIVE)
		op->peer = VD_UNKNOWN; /* the matching rank is unknown */
	else if (kind == VD_SEND || kind == VD_RECEIVE)
		op->absent = absent_of(op, json);
	op->sequence = vd_json_number(json, "sequence", -1);
	op->bytes = vd_json_number(json, "bytes", -1);
	op->function = vd_string(l->job, vd_json_text(json, "function"));
	op->place = vd_string(l->job, vd_json_text(json, "caller_place"));
	op->internal = vd_json_true(json, "internal");
	op->matched = kind != VD_MESSAGE && status && strcmp(status, "pending") != 0;
	const char *origin = vd_json_text(json, "origin");
	op->unsure = origin && strcmp(origin, "tracker") == 0;
	op->persistent = vd_json_true(json, "persistent");
	op->inactive = json_is_false(json_object_get(json, "active")) || vd_json_true(json, "cancelled");

	/* the peer's rank in the communicator, because indexes change when another rank ends */
	uint64_t facts[6] = { op->id,
			      (uint64_t)op->sequence,
			      (uint64_t)op->tag,
			      op->kind,
			      (uint64_t)vd_json_number(json, "peer", op->peer == VD_ANY ? VD_ANY : VD_UNKNOWN),
			      status ? vd_hash(VD_HASH_SEED, status, strlen(status)) : 0 };
	l->print = vd_hash(l->print, facts, sizeof(facts));
}

enum { MORE_MAX = INT32_MAX }; /* the sum over all ranks does not overflow */

/* Add the number of operations that are not in the list. */
static void add_more(struct vd_loading *l, const struct vd_view *v, const char *key, int64_t *sum)
{
	int64_t n = vd_json_number(v->json, key, 0);

	if (n <= 0)
		return;
	*sum = n < MORE_MAX - *sum ? *sum + n : MORE_MAX;
	l->print = vd_hash(l->print, &n, sizeof(n));
}

void vd_load_ops(struct vd_loading *l)
{
	struct vd_rank *r = &l->job->ranks[l->rank];

	r->first_op = l->job->n_ops;
	r->n_ops = 0;
	r->n_more = r->n_more_sends = r->n_more_receives = 0;
	r->no_comms = l->n_views == 0;
	for (size_t i = 0; i < l->n_views; i++) {
		add_more(l, &l->views[i], "unexpected_more", &r->n_more);
		add_more(l, &l->views[i], "pending_sends_more", &r->n_more_sends);
		add_more(l, &l->views[i], "pending_receives_more", &r->n_more_receives);
		for (unsigned k = 0; k < N_LISTS; k++) {
			const json_t *list = json_object_get(l->views[i].json, lists[k].key), *op;
			size_t at;
			if (!json_is_array(list) && lists[k].kind == VD_MESSAGE)
				r->no_unexpected = true;
			else if (!json_is_array(list) && lists[k].kind != VD_COLLECTIVE)
				r->no_operations = true;
			json_array_foreach(list, at, op) load_op(l, i, k, at, op);
			r = &l->job->ranks[l->rank];
		}
	}
}
