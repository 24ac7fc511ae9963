/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The facts of each kind.
 */
#include "handle_words.h"

#include "../access/limits.h"
#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { BLOCK = 256, PAIR_BYTES = 512 };

static void bad(struct mpidbg_description *d, enum acc_rc rc, const char *key)
{
	mpidbg_problem_walk(d, rc, 0, key);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

static void numbers(struct mpidbg_description *d, const char *key, const struct mdl_list *list, unsigned width)
{
	struct out_fact_list out;
	int64_t v[BLOCK];

	if (!list->known || !list->total)
		return;
	out_fact_list(&d->o, key, &out);
	for (uint64_t i = 0, n; i < list->n && !d->o.failed; i += n) {
		n = list->n - i < BLOCK ? list->n - i : BLOCK;

		enum acc_rc rc = rd_track_numbers(d->p->track, list, width, i, n, v);
		if (rc) {
			bad(d, rc, key);
			break;
		}
		for (uint64_t k = 0; k < n; k++)
			out_fact_item(&d->o, &out, v[k]);
	}
	out_fact_list_end(&d->o, key, &out, list->total - list->n);
}

/* World ranks; a process of another world is negative in no list: it is said apart. */
static void members(struct mpidbg_description *d, const char *key, const struct mdl_list *list, struct mdl_num size,
		    bool identity)
{
	struct mdl_handle_member m[BLOCK];
	struct out_fact_list out;
	uint64_t n_other = 0;

	if (identity && size.known == MDL_KNOWN) {
		out_fact_list(&d->o, key, &out);
		for (int64_t i = 0; i < size.value && i < (int64_t)ACC_RANKS_MAX && !d->o.failed; i++)
			out_fact_item(&d->o, &out, i);
		out_fact_list_end(&d->o, key, &out, 0);
		return;
	}
	if (!list->known || !list->total)
		return;
	out_fact_list(&d->o, key, &out);
	for (uint64_t i = 0, n; i < list->n && !d->o.failed; i += n) {
		n = list->n - i < BLOCK ? list->n - i : BLOCK;

		enum acc_rc rc = rd_track_members(d->p->track, list, i, n, m);
		if (rc) {
			bad(d, rc, key);
			break;
		}
		for (uint64_t k = 0; k < n; k++) {
			n_other += m[k].known && m[k].world;
			if (d->o.json && m[k].known && m[k].world) {
				out_json_object(&d->o, NULL);
				out_json_uint(&d->o, "world", m[k].world);
				out_json_int(&d->o, "rank", m[k].rank);
				out_json_object_end(&d->o);
			} else if (d->o.json && !m[k].known) {
				out_json_null(&d->o, NULL);
			} else {
				out_fact_item(&d->o, &out, m[k].known ? m[k].rank : -1);
			}
		}
	}
	out_fact_list_end(&d->o, key, &out, list->total - list->n);
	if (n_other && !d->o.json)
		out_text(&d->o, "  (%" PRIu64 " of other worlds)", n_other);
}

static void pairs(struct mpidbg_description *d, const char *key, const struct mdl_list *list)
{
	char name[PAIR_BYTES], value[PAIR_BYTES];

	if (!list->known || (!list->total && !d->o.json))
		return;
	if (d->o.json)
		out_json_array(&d->o, key);
	for (uint64_t i = 0; i < list->n && !d->o.failed; i++) {
		enum acc_rc rc = rd_track_pair(d->p->track, list, i, name, sizeof(name), value, sizeof(value));

		if (rc) {
			bad(d, rc, key);
			break;
		}
		if (d->o.json) {
			out_json_object(&d->o, NULL);
			out_json_string(&d->o, "key", name);
			out_json_string(&d->o, "value", value);
			out_json_object_end(&d->o);
		} else {
			out_fact_label(&d->o, i ? "" : key);
			out_name(&d->o, name, true);
			out_text(&d->o, " = ");
			out_name(&d->o, value, true);
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	if (list->total > list->n)
		mpidbg_problem(d, "%s: %" PRIu64 " were not recorded", key, list->total - list->n);
}

static void attributes(struct mpidbg_description *d, const struct mdl_list *list)
{
	struct mdl_handle_attribute a;
	struct mdl_handle keyval;

	if (!list->known || (!list->total && !d->o.json))
		return;
	if (d->o.json)
		out_json_array(&d->o, "attributes");
	for (uint64_t i = 0; i < list->n && !d->o.failed; i++) {
		enum acc_rc rc = rd_track_attribute(d->p->track, list, i, &a);

		if (rc) {
			bad(d, rc, "attributes");
			break;
		}
		bool known = a.keyval && !rd_track_find_id(d->p->track, MDL_KEYVAL, a.keyval, &keyval);
		if (d->o.json) {
			out_json_object(&d->o, NULL);
			out_json_int(&d->o, "key", a.key);
			if (known && keyval.name[0])
				out_json_string(&d->o, "key_name", keyval.name);
			out_json_addr(&d->o, "value", a.value);
			out_json_object_end(&d->o);
		} else {
			out_fact_label(&d->o, i ? "" : "attributes");
			out_text(&d->o, "key %" PRId64 "%s%s = 0x%" PRIx64, a.key, known && keyval.name[0] ? " " : "",
				 known ? keyval.name : "", a.value);
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
}

/* ---- references to others ---------------------------------------------------------------------------- */

static void ref(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, struct mdl_num handle)
{
	char name[MDL_NAME_BYTES];

	mpidbg_handle_name(d, kind, handle, name);
	out_fact_handle(&d->o, key, handle, name);
}

/* Live objects of a kind that name this one: by number where they keep it, since a handle value may come back. */
typedef struct mdl_num refers(const struct mdl_handle *other);

static struct mdl_num by_win(const struct mdl_handle *h)
{
	return h->win.comm_id;
}

static struct mdl_num by_file(const struct mdl_handle *h)
{
	return h->file.comm_id;
}

static struct mdl_num by_request(const struct mdl_handle *h)
{
	struct mdl_num kind = h->request.object_kind;

	return kind.known == MDL_KNOWN && kind.value == MDL_COMM ? h->request.object : mdl_none();
}

static struct mdl_num by_file_request(const struct mdl_handle *h)
{
	struct mdl_num kind = h->request.object_kind;

	return kind.known == MDL_KNOWN && kind.value == MDL_FILE ? h->request.object : mdl_none();
}

static struct mdl_num errhandler_of(const struct mdl_handle *h)
{
	return h->kind == MDL_COMM ? h->comm.errhandler : h->kind == MDL_FILE ? h->file.errhandler : h->win.errhandler;
}

static void users(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, uint64_t value,
		  refers *refer)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	uint64_t n = 0;

	if (rd_track_first(d->p->track, kind, RD_TRACK_LIVE, &it))
		return;
	if (d->o.json)
		out_json_array(&d->o, key);
	while (!d->o.failed && !rd_track_next(&it, &h)) {
		struct mdl_num target = refer(&h);

		if (target.known != MDL_KNOWN || (uint64_t)target.value != value)
			continue;
		if (d->o.json) {
			out_json_addr(&d->o, NULL, h.handle);
		} else {
			if (!n)
				out_fact_label(&d->o, key);
			if (n < 16)
				out_text(&d->o, "%s0x%" PRIx64, n ? " " : "", h.handle);
		}
		n++;
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	else if (n > 16)
		out_text(&d->o, ", %" PRIu64 " more", n - 16);
	mpidbg_problem_walk(d, ACC_OK, it.n_bad, key);
}

/* ---- kinds ------------------------------------------------------------------------------------------ */

static void topology(struct mpidbg_description *d, const struct mdl_handle_comm *c)
{
	switch (c->topology) {
	case MDL_TOPO_CART:
		out_fact_word(&d->o, "topology", "cart");
		numbers(d, "dims", &c->dims, 4);
		numbers(d, "periods", &c->periods, 4);
		numbers(d, "coords", &c->coords, 4);
		break;
	case MDL_TOPO_GRAPH:
		out_fact_word(&d->o, "topology", "graph");
		numbers(d, "index", &c->dims, 4);
		numbers(d, "edges", &c->periods, 4);
		break;
	case MDL_TOPO_DIST_GRAPH:
		out_fact_word(&d->o, "topology", "dist_graph");
		numbers(d, "in", &c->dims, 4);
		numbers(d, "out", &c->periods, 4);
		if (c->weighted.known == MDL_KNOWN && c->weighted.value) {
			numbers(d, "in_weights", &c->coords, 4);
			numbers(d, "out_weights", &c->weights, 4);
		}
		break;
	default:
		break;
	}
}

static void comm(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_comm *c = &h->comm;

	out_fact_num(&d->o, "rank", c->rank);
	out_fact_num(&d->o, "size", c->size);
	out_fact_num(&d->o, "remote_size", c->remote_size);
	members(d, "members", &c->members, c->size, c->members_identity);
	members(d, "remote_members", &c->remote_members, c->remote_size, false);
	topology(d, c);
	ref(d, "errhandler", MDL_ERRHANDLER, c->errhandler);
	ref(d, "info", MDL_INFO, c->info);
	ref(d, "group", MDL_GROUP, c->group);
	ref(d, "remote_group", MDL_GROUP, c->remote_group);
	attributes(d, &c->attributes);
	users(d, "requests", MDL_REQUEST, h->handle, by_request);
	users(d, "windows", MDL_WIN, h->id, by_win);
	users(d, "files", MDL_FILE, h->id, by_file);
}

static void group(struct mpidbg_description *d, const struct mdl_handle_group *g)
{
	out_fact_num(&d->o, "rank", g->rank);
	out_fact_num(&d->o, "size", g->size);
	out_fact_num(&d->o, "second_parent", g->second_parent);
	members(d, "members", &g->members, g->size, g->members_identity);
}

static void datatype(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_datatype *t = &h->datatype;

	if (t->combiner.known == MDL_KNOWN)
		out_fact_word(&d->o, "combiner", out_combiner(t->combiner.value));
	else
		out_fact_num(&d->o, "combiner", t->combiner);
	if (!h->predefined)
		out_fact_bool(&d->o, "committed", t->committed);
	out_fact_num(&d->o, "size", t->size);
	out_fact_num(&d->o, "lower_bound", t->lower_bound);
	out_fact_num(&d->o, "extent", t->extent);
	out_fact_num(&d->o, "true_lower_bound", t->true_lower_bound);
	out_fact_num(&d->o, "true_extent", t->true_extent);
	numbers(d, "integers", &t->integers, 8);
	numbers(d, "addresses", &t->addresses, 8);
	numbers(d, "datatypes", &t->datatypes, 8);
	attributes(d, &t->attributes);
	mpidbg_type_map(d, h);
}

static void errhandler(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct mdl_num kind = h->errhandler.object_kind;

	if (kind.known == MDL_KNOWN)
		out_fact_word(&d->o, "of", out_handle_kind((enum mdl_handle_kind)kind.value));
	out_fact_addr(&d->o, "function", h->errhandler.function);
	users(d, "communicators", MDL_COMM, h->handle, errhandler_of);
	users(d, "files", MDL_FILE, h->handle, errhandler_of);
	users(d, "windows", MDL_WIN, h->handle, errhandler_of);
}

static void file(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_file *f = &h->file;
	char path[ACC_STRING_MAX + 1], mode[160];
	enum acc_rc rc = rd_track_text(d->p->track, &f->path, path, sizeof(path));

	if (!rc)
		out_fact_string(&d->o, "path", path);
	else if (rc != ACC_NONE)
		bad(d, rc, "path");
	if (f->mode.known == MDL_KNOWN) {
		out_file_mode(f->mode.value, mode, sizeof(mode));
		out_fact_word(&d->o, "mode", mode);
	}
	if (f->atomic.known == MDL_KNOWN)
		out_fact_bool(&d->o, "atomic", f->atomic.value != 0);
	ref(d, "comm", MDL_COMM, f->comm);
	ref(d, "info", MDL_INFO, f->info);
	ref(d, "errhandler", MDL_ERRHANDLER, f->errhandler);
	out_fact_num(&d->o, "displacement", f->displacement);
	ref(d, "etype", MDL_DATATYPE, f->etype);
	ref(d, "filetype", MDL_DATATYPE, f->filetype);
	if (f->representation[0])
		out_fact_string(&d->o, "representation", f->representation);
	if (f->split_call[0])
		out_fact_string(&d->o, "split_collective", f->split_call);
	pairs(d, "hints", &f->hints);
	users(d, "requests", MDL_REQUEST, h->handle, by_file_request);
}

static void request(struct mpidbg_description *d, const struct mdl_handle_request *r)
{
	struct out *o = &d->o;

	out_fact_bool(o, "persistent", r->persistent);
	out_fact_bool(o, "active", r->active);
	if (r->cancelled)
		out_fact_bool(o, "cancelled", true);
	if (r->free_called)
		out_fact_bool(o, "free_called", true);
	if (r->partitioned)
		out_fact_bool(o, "partitioned", true);
	if (r->shared)
		out_fact_word(o, "complete", "at once: its handle is the library's shared one");
	if (r->object_kind.known == MDL_KNOWN)
		ref(d, out_handle_kind((enum mdl_handle_kind)r->object_kind.value),
		    (enum mdl_handle_kind)r->object_kind.value, r->object);
	out_fact_num(o, r->peer_is_root ? "root" : "peer", r->peer);
	out_fact_num(o, "tag", r->tag);
	out_fact_num(o, "count", r->count);
	ref(d, "datatype", MDL_DATATYPE, r->datatype);
	out_fact_addr(o, "buffer", r->buffer);
	out_fact_addr(o, "caller", r->caller);
}

static void win(struct mpidbg_description *d, const struct mdl_handle_win *w)
{
	static const char *const flavors[] = { NULL, "create", "allocate", "dynamic", "shared" };
	static const char *const models[] = { NULL, "separate", "unified" };
	struct out *o = &d->o;

	ref(d, "comm", MDL_COMM, w->comm);
	out_fact_addr(o, "base", w->base);
	out_fact_num(o, "size", w->size);
	out_fact_num(o, "displacement_unit", w->displacement_unit);
	if (w->flavor.known == MDL_KNOWN && w->flavor.value >= 1 && w->flavor.value <= 4)
		out_fact_word(o, "flavor", flavors[w->flavor.value]);
	if (w->model.known == MDL_KNOWN)
		out_fact_word(o, "model", models[w->model.value]);
	if (w->last_sync[0])
		out_fact_string(o, "last_synchronization", w->last_sync);
	out_fact_bool(o, "fence_open", w->fence_open);
	out_fact_bool(o, "lock_all", w->lock_all);
	out_fact_bool(o, "started", w->started);
	numbers(d, "start_group", &w->start_group, 4);
	out_fact_bool(o, "posted", w->posted);
	numbers(d, "post_group", &w->post_group, 4);
	numbers(d, "locks", &w->locks, 1);
	ref(d, "info", MDL_INFO, w->info);
	ref(d, "errhandler", MDL_ERRHANDLER, w->errhandler);
	attributes(d, &w->attributes);
	pairs(d, "hints", &w->hints);
}

static void keyval(struct mpidbg_description *d, const struct mdl_handle_keyval *k)
{
	if (k->object_kind.known == MDL_KNOWN)
		out_fact_word(&d->o, "of", out_handle_kind((enum mdl_handle_kind)k->object_kind.value));
	out_fact_num(&d->o, "key", k->key);
	out_fact_addr(&d->o, "copy_function", k->copy_function);
	out_fact_addr(&d->o, "delete_function", k->delete_function);
	out_fact_addr(&d->o, "extra_state", k->extra_state);
}

void mpidbg_handle_kind_facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	switch (h->kind) {
	case MDL_COMM:
		comm(d, h);
		break;
	case MDL_GROUP:
		group(d, &h->group);
		break;
	case MDL_DATATYPE:
		datatype(d, h);
		break;
	case MDL_ERRHANDLER:
		errhandler(d, h);
		break;
	case MDL_FILE:
		file(d, h);
		break;
	case MDL_INFO:
		pairs(d, "pairs", &h->info.pairs);
		break;
	case MDL_OP:
		if (h->op.commutative.known == MDL_KNOWN)
			out_fact_bool(&d->o, "commutative", h->op.commutative.value != 0);
		out_fact_addr(&d->o, "function", h->op.function);
		break;
	case MDL_REQUEST:
		request(d, &h->request);
		break;
	case MDL_WIN:
		win(d, &h->win);
		break;
	case MDL_A_MESSAGE:
		ref(d, "comm", MDL_COMM, h->message.comm);
		out_fact_num(&d->o, "source", h->message.source);
		out_fact_num(&d->o, "tag", h->message.tag);
		out_fact_num(&d->o, "bytes", h->message.bytes);
		break;
	case MDL_SESSION:
		ref(d, "info", MDL_INFO, h->session.info);
		ref(d, "errhandler", MDL_ERRHANDLER, h->session.errhandler);
		break;
	case MDL_KEYVAL:
		keyval(d, &h->keyval);
		break;
	default:
		break;
	}
}
