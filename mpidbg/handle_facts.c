/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The facts of each kind.
 */
#include "handle_words.h"
#include "members.h"
#include "references.h"
#include "numbers.h"

#include "place.h"
#include "referrers.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { PAIR_BYTES = 512, ITEMS_SHOWN = 64 };

static void bad(struct mpidbg_description *d, enum acc_rc rc, const char *key)
{
	mpidbg_problem_walk(d, rc, 0, key);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

/* Writes the list even if it is empty. */
static void all_numbers(struct mpidbg_description *d, const char *key, const struct mdl_list *list, unsigned width)
{
	struct mpidbg_numbers it;
	struct out_fact_list out;
	uint64_t i;
	int64_t v;

	if (!list->known)
		return;
	out_fact_list(&d->o, key, &out);
	uint64_t n_shown = out_fact_room(&d->o, list->n);
	mpidbg_numbers_init(&it, d, list, width, n_shown, key);
	while (mpidbg_numbers_next(&it, &i, &v))
		out_fact_item(&d->o, &out, v);
	out_fact_left(&out, list->n - n_shown);
	out_fact_list_end(&d->o, key, &out, list->total - list->n);
}

static void numbers(struct mpidbg_description *d, const char *key, const struct mdl_list *list, unsigned width)
{
	if (list->total)
		all_numbers(d, key, list, width);
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
		/* values of predefined keys are integers; values set by the program may be anything */
		bool number = known && keyval.predefined && a.integer;
		if (d->o.json) {
			out_json_object(&d->o, NULL);
			out_json_int(&d->o, "key", a.key);
			if (known && keyval.name[0])
				out_json_string(&d->o, "key_name", keyval.name);
			out_json_addr(&d->o, "value", a.value);
			if (number)
				out_json_int(&d->o, "integer", (int64_t)a.value);
			out_json_object_end(&d->o);
		} else if (number) {
			out_fact_label(&d->o, i ? "" : "attributes");
			out_text(&d->o, "%s = %" PRId64, keyval.name, (int64_t)a.value);
		} else {
			out_fact_label(&d->o, i ? "" : "attributes");
			out_text(&d->o, "key %" PRId64 "%s%s = 0x%" PRIx64, a.key, known && keyval.name[0] ? " " : "",
				 known ? keyval.name : "", a.value);
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	if (list->total > list->n)
		mpidbg_problem(
			d, "attributes: %" PRIu64 " not recorded, or not known to have been copied from the original",
			list->total - list->n);
}

/* ---- references to others ---------------------------------------------------------------------------- */

static void ref(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, struct mdl_num handle)
{
	mpidbg_ref_fact(d, key, kind, handle, mdl_none());
}

/*
 * The group that the program has obtained from a communicator. Identified by number, because it may have been
 * freed and its handle value reused.
 */
static void group_ref(struct mpidbg_description *d, const char *key, struct mdl_num handle, struct mdl_num id)
{
	struct mdl_handle group;

	if (handle.known == MDL_NOT_APPLICABLE) {
		if (d->o.json)
			out_fact_num(&d->o, key, mdl_unavailable("the program has not asked for it"));
		return;
	}
	if (id.known == MDL_KNOWN &&
	    (rd_track_find_id(d->p->track, MDL_GROUP, (uint64_t)id.value, &group) || group.life != MDL_LIVE))
		out_fact_num(&d->o, key, mdl_unavailable("the program has freed the handle that it was given"));
	else
		ref(d, key, MDL_GROUP, handle);
}

/* ---- kinds ------------------------------------------------------------------------------------------ */

static void topology(struct mpidbg_description *d, const struct mdl_handle_comm *c)
{
	switch (c->topology) {
	case MDL_TOPO_CART:
		out_fact_word(&d->o, "topology", "cart");
		all_numbers(d, "dims", &c->dims, 4);
		all_numbers(d, "periods", &c->periods, 4);
		all_numbers(d, "coords", &c->coords, 4);
		break;
	case MDL_TOPO_GRAPH:
		out_fact_word(&d->o, "topology", "graph");
		all_numbers(d, "index", &c->dims, 4);
		all_numbers(d, "edges", &c->periods, 4);
		break;
	case MDL_TOPO_DIST_GRAPH:
		out_fact_word(&d->o, "topology", "dist_graph");
		all_numbers(d, "in", &c->dims, 4);
		all_numbers(d, "out", &c->periods, 4);
		if (c->weighted.known == MDL_KNOWN && c->weighted.value) {
			all_numbers(d, "in_weights", &c->coords, 4);
			all_numbers(d, "out_weights", &c->weights, 4);
		}
		break;
	default:
		break;
	}
}

static void comm(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_comm *c = &h->comm;

	out_fact_word(&d->o, "type", c->remote_size.known == MDL_NOT_APPLICABLE ? "intra" : "inter");
	out_fact_num(&d->o, "rank", c->rank);
	out_fact_num(&d->o, "world_rank", rd_track_library(d->p->track)->world_rank);
	out_fact_num(&d->o, "size", c->size);
	out_fact_num(&d->o, "remote_size", c->remote_size);
	mpidbg_members_fact(d, h, false);
	mpidbg_members_fact(d, h, true);
	topology(d, c);
	ref(d, "errhandler", MDL_ERRHANDLER, c->errhandler);
	mpidbg_ref_fact(d, "info", MDL_INFO, c->info, c->info_id);
	group_ref(d, "group", c->group, c->group_id);
	if (c->remote_size.known != MDL_NOT_APPLICABLE)
		group_ref(d, "remote_group", c->remote_group, c->remote_group_id);
	mpidbg_number_fact(d, "made_of_group", c->from_group_id);
	out_fact_num(&d->o, "color", c->color);
	out_fact_num(&d->o, "key", c->key);
	attributes(d, &c->attributes);
	pairs(d, "hints", &c->hints);
}

static void group(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_group *g = &h->group;

	out_fact_num(&d->o, "rank", g->rank);
	out_fact_num(&d->o, "size", g->size);
	mpidbg_number_fact(d, "second_parent", g->second_parent);
	mpidbg_members_fact(d, h, false);
}

/* Write the names of types in addition to their numbers. */
static void names_of_types(struct mpidbg_description *d, const struct mdl_list *list)
{
	struct mpidbg_numbers it;
	char name[MDL_NAME_BYTES];
	uint64_t i;
	int64_t id;

	if (!d->o.json || !list->known || !list->total)
		return;
	out_json_array(&d->o, "datatypes_names");
	mpidbg_numbers_init(&it, d, list, 8, list->n, NULL); /* failures are noted with the numbers */
	while (mpidbg_numbers_next(&it, &i, &id)) {
		mpidbg_number_name(d, MDL_DATATYPE, (uint64_t)id, name);
		out_json_string(&d->o, NULL, name[0] ? name : NULL);
	}
	out_json_array_end(&d->o);
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
	if (d->o.json || !mpidbg_type_arguments(d, h)) {
		numbers(d, "integers", &t->integers, 8);
		numbers(d, "addresses", &t->addresses, 8);
		numbers(d, "datatypes", &t->datatypes, 8);
	}
	names_of_types(d, &t->datatypes);
	attributes(d, &t->attributes);
	mpidbg_type_map(d, h);
}

static void errhandler(struct mpidbg_description *d, const struct mdl_handle *h)
{
	struct mdl_num kind = h->errhandler.object_kind;

	if (kind.known == MDL_KNOWN)
		out_fact_word(&d->o, "of", out_handle_kind((enum mdl_handle_kind)kind.value));
	else if (kind.known == MDL_NOT_APPLICABLE)
		out_fact_word(&d->o, "of", "any");
	mpidbg_function_fact(d, "function", h->errhandler.function);
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
	mpidbg_ref_fact(d, "comm", MDL_COMM, f->comm, f->comm_id);
	mpidbg_ref_fact(d, "info", MDL_INFO, f->info, f->info_id);
	ref(d, "errhandler", MDL_ERRHANDLER, f->errhandler);
	out_fact_num(&d->o, "displacement", f->displacement);
	mpidbg_ref_fact(d, "etype", MDL_DATATYPE, f->etype, f->etype_id);
	mpidbg_ref_fact(d, "filetype", MDL_DATATYPE, f->filetype, f->filetype_id);
	if (f->representation[0])
		out_fact_string(&d->o, "representation", f->representation);
	if (f->split_call[0])
		out_fact_string(&d->o, "split_collective", f->split_call);
	pairs(d, "hints", &f->hints);
}

/* Write the locks; in text only the locked targets: "1 shared, 3 exclusive". */
static void locks(struct mpidbg_description *d, const struct mdl_list *list)
{
	static const char *const words[] = { "none", "shared", "exclusive" };
	struct mpidbg_numbers it;
	uint64_t n_locked = 0, i;
	int64_t v;

	if (d->o.json) {
		numbers(d, "locks", list, 1);
		return;
	}
	mpidbg_numbers_init(&it, d, list, 1, list->n, "locks");
	while (mpidbg_numbers_next(&it, &i, &v)) {
		if (!v)
			continue;
		if (!n_locked)
			out_fact_label(&d->o, "locks");
		if (n_locked++ < ITEMS_SHOWN)
			out_text(&d->o, "%srank %" PRIu64 " %s", n_locked > 1 ? ", " : "", i,
				 v < 3 ? words[v] : "unknown");
	}
	if (n_locked > ITEMS_SHOWN)
		out_text(&d->o, ", %" PRIu64 " more", n_locked - ITEMS_SHOWN);
	if (list->total > list->n)
		mpidbg_problem(d, "locks: %" PRIu64 " are not recorded", list->total - list->n);
}

/* Memory attached to a dynamic window. */
static void attached(struct mpidbg_description *d, const struct mdl_list *list)
{
	struct mdl_list words = *list;

	words.n *= 2; /* each element has two numbers */
	if (!list->known || !list->total)
		return;
	if (d->o.json)
		out_json_array(&d->o, "attached");
	for (uint64_t i = 0; i < list->n && !d->o.failed; i++) {
		int64_t v[2];
		enum acc_rc rc = rd_track_numbers(d->p->track, &words, 8, 2 * i, 2, v);

		if (rc) {
			bad(d, rc, "attached");
			break;
		}
		if (d->o.json) {
			out_json_object(&d->o, NULL);
			out_json_addr(&d->o, "base", (uint64_t)v[0]);
			out_json_int(&d->o, "size", v[1]);
			out_json_object_end(&d->o);
		} else if (i < ITEMS_SHOWN) {
			out_fact_label(&d->o, i ? "" : "attached");
			out_text(&d->o, "0x%" PRIx64 ", %" PRId64 " bytes", (uint64_t)v[0], v[1]);
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	if (list->total > list->n)
		mpidbg_problem(d, "attached: %" PRIu64 " are not recorded", list->total - list->n);
}

static void epoch(struct out *o, const char *key, bool value, const char *why)
{
	if (why)
		out_fact_num(o, key, mdl_unavailable(why));
	else
		out_fact_bool(o, key, value);
}

static void win(struct mpidbg_description *d, const struct mdl_handle_win *w)
{
	static const char *const flavors[] = { NULL, "create", "allocate", "dynamic", "shared" };
	static const char *const models[] = { NULL, "separate", "unified" };
	struct out *o = &d->o;

	mpidbg_ref_fact(d, "comm", MDL_COMM, w->comm, w->comm_id);
	out_fact_addr(o, "base", w->base);
	out_fact_num(o, "size", w->size);
	out_fact_num(o, "displacement_unit", w->displacement_unit);
	if (w->flavor.known == MDL_KNOWN && w->flavor.value >= 1 && w->flavor.value <= 4)
		out_fact_word(o, "flavor", flavors[w->flavor.value]);
	if (w->model.known == MDL_KNOWN)
		out_fact_word(o, "model", models[w->model.value]);
	if (w->last_sync[0])
		out_fact_string(o, "last_synchronization", w->last_sync);
	epoch(o, "fence_open", w->fence_open, w->epochs_why ? w->epochs_why : w->fence_why);
	epoch(o, "lock_all", w->lock_all, w->epochs_why ? w->epochs_why : w->lock_all_why);
	epoch(o, "started", w->started, w->epochs_why);
	(w->started ? all_numbers : numbers)(d, "start_group", &w->start_group, 4);
	epoch(o, "posted", w->posted, w->epochs_why);
	(w->posted ? all_numbers : numbers)(d, "post_group", &w->post_group, 4);
	locks(d, &w->locks);
	if (w->lock_held.known == MDL_KNOWN)
		out_fact_num(o, "lock_held", w->lock_held);
	attached(d, &w->attached);
	mpidbg_ref_fact(d, "info", MDL_INFO, w->info, w->info_id);
	ref(d, "errhandler", MDL_ERRHANDLER, w->errhandler);
	attributes(d, &w->attributes);
	pairs(d, "hints", &w->hints);
}

static void keyval(struct mpidbg_description *d, const struct mdl_handle_keyval *k)
{
	if (k->object_kind.known == MDL_KNOWN)
		out_fact_word(&d->o, "of", out_handle_kind((enum mdl_handle_kind)k->object_kind.value));
	out_fact_num(&d->o, "key", k->key);
	mpidbg_function_fact(d, "copy_function", k->copy_function);
	mpidbg_function_fact(d, "delete_function", k->delete_function);
	out_fact_addr(&d->o, "extra_state", k->extra_state);
}

/*
 * Facts that a null handle lacks but other objects of the kind have: omitted in text, null in JSON. Example: the
 * error handler of MPI_FILE_NULL.
 */
static void null_facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	enum { KEYS_MAX = 8 };
	static const char *const keys[MDL_N_HANDLE_KINDS][KEYS_MAX] = {
		[MDL_COMM] = { "type", "rank", "world_rank", "size" },
		[MDL_GROUP] = { "size" },
		[MDL_DATATYPE] = { "combiner", "size", "lower_bound", "extent", "true_lower_bound", "true_extent" },
		[MDL_ERRHANDLER] = { "of" },
		[MDL_FILE] = { "path", "mode", "displacement" },
		[MDL_INFO] = { "keys", "pairs" },
		[MDL_OP] = { "commutative" },
		[MDL_REQUEST] = { "type", "persistent", "active" },
		[MDL_WIN] = { "base", "size", "displacement_unit", "fence_open", "lock_all", "started", "posted" },
		[MDL_A_MESSAGE] = { "source", "tag", "bytes" },
	};

	for (size_t i = 0; d->o.json && i < KEYS_MAX && keys[h->kind][i]; i++)
		out_json_unknown(&d->o, keys[h->kind][i], "the handle stands for no object");
	if (d->o.json && h->kind == MDL_REQUEST)
		out_fact_num(&d->o, "fortran", h->fortran);
	if (h->kind == MDL_FILE)
		ref(d, "errhandler", MDL_ERRHANDLER, h->file.errhandler);
}

static void kind_facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	switch (h->kind) {
	case MDL_COMM:
		comm(d, h);
		break;
	case MDL_GROUP:
		group(d, h);
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
		if (h->info.pairs.known)
			out_fact_num(&d->o, "keys", mdl_known((int64_t)h->info.pairs.total));
		pairs(d, "pairs", &h->info.pairs);
		break;
	case MDL_OP:
		if (h->op.commutative.known == MDL_KNOWN)
			out_fact_bool(&d->o, "commutative", h->op.commutative.value != 0);
		mpidbg_function_fact(d, "function", h->op.function);
		break;
	case MDL_REQUEST:
		mpidbg_request_facts(d, h);
		break;
	case MDL_WIN:
		win(d, &h->win);
		break;
	case MDL_A_MESSAGE:
		ref(d, "comm", MDL_COMM, h->message.comm);
		out_fact_rank(&d->o, "source", h->message.source);
		out_fact_num(&d->o, "tag", h->message.tag);
		out_fact_num(&d->o, "bytes", h->message.bytes);
		break;
	case MDL_SESSION:
		mpidbg_ref_fact(d, "info", MDL_INFO, h->session.info, h->session.info_id);
		ref(d, "errhandler", MDL_ERRHANDLER, h->session.errhandler);
		break;
	case MDL_KEYVAL:
		keyval(d, &h->keyval);
		break;
	default:
		break;
	}
}

void mpidbg_handle_kind_facts(struct mpidbg_description *d, const struct mdl_handle *h)
{
	if (h->null)
		null_facts(d, h);
	else
		kind_facts(d, h);
	mpidbg_write_referrers(d, h);
}
