/* SPDX-License-Identifier: BSD-3-Clause */
#include "referrers.h"

#include "handle_words.h"

#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/*
 * Limit of records read to find the users of listed objects, because the cost is quadratic in the number of
 * objects. A single object can always be queried.
 */
enum { WALKED_MAX = 2000000, USERS_SHOWN = 16 };

/* ---- references between objects ------------------------------------------------------------------------------- */

static bool is_id(struct mdl_num n, const struct mdl_handle *to)
{
	return to->id && n.known == MDL_KNOWN && (uint64_t)n.value == to->id;
}

static bool is_handle(struct mdl_num n, const struct mdl_handle *to)
{
	return to->life != MDL_EARLIER && n.known == MDL_KNOWN && (uint64_t)n.value == to->handle;
}

static bool win_of_comm(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_id(h->win.comm_id, to);
}

static bool file_of_comm(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_id(h->file.comm_id, to);
}

static bool comm_of_group(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_id(h->comm.group_id, to) || is_id(h->comm.remote_group_id, to) || is_id(h->comm.from_group_id, to);
}

static bool request_of_type(const struct mdl_handle *h, const struct mdl_handle *to)
{
	const struct mdl_handle_request *r = &h->request;

	return is_handle(r->datatype, to) || is_id(r->datatype_id, to) || is_handle(r->second.datatype, to) ||
	       is_id(r->second.datatype_id, to);
}

static bool file_of_type(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_handle(h->file.etype, to) || is_handle(h->file.filetype, to) || is_id(h->file.etype_id, to) ||
	       is_id(h->file.filetype_id, to);
}

static bool request_of_op(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_handle(h->request.op, to) || is_id(h->request.op_id, to);
}

static bool of_errhandler(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_handle(h->kind == MDL_COMM   ? h->comm.errhandler
			 : h->kind == MDL_FILE ? h->file.errhandler
			 : h->kind == MDL_WIN  ? h->win.errhandler
					       : h->session.errhandler,
			 to);
}

static bool of_info(const struct mdl_handle *h, const struct mdl_handle *to)
{
	return is_id(h->kind == MDL_COMM   ? h->comm.info_id
		     : h->kind == MDL_FILE ? h->file.info_id
		     : h->kind == MDL_WIN  ? h->win.info_id
					   : h->session.info_id,
		     to);
}

static const struct mpidbg_referrers of_comms[] = { { "requests", MDL_REQUEST, mpidbg_request_on },
						    { "windows", MDL_WIN, win_of_comm },
						    { "files", MDL_FILE, file_of_comm } },
				     of_groups[] = { { "communicators", MDL_COMM, comm_of_group } },
				     of_types[] = { { "requests", MDL_REQUEST, request_of_type },
						    { "files", MDL_FILE, file_of_type } },
				     of_errhandlers[] = { { "communicators", MDL_COMM, of_errhandler },
							  { "files", MDL_FILE, of_errhandler },
							  { "windows", MDL_WIN, of_errhandler },
							  { "sessions", MDL_SESSION, of_errhandler } },
				     of_files[] = { { "requests", MDL_REQUEST, mpidbg_request_on } },
				     of_infos[] = { { "communicators", MDL_COMM, of_info },
						    { "files", MDL_FILE, of_info },
						    { "windows", MDL_WIN, of_info },
						    { "sessions", MDL_SESSION, of_info } },
				     of_ops[] = { { "requests", MDL_REQUEST, request_of_op } },
				     of_wins[] = { { "requests", MDL_REQUEST, mpidbg_request_on } };

#define LIST(kind, array) [kind] = { array, sizeof(array) / sizeof((array)[0]) }
static const struct {
	const struct mpidbg_referrers *v;
	size_t n;
} lists[MDL_N_HANDLE_KINDS] = {
	LIST(MDL_COMM, of_comms),     LIST(MDL_GROUP, of_groups),
	LIST(MDL_DATATYPE, of_types), LIST(MDL_ERRHANDLER, of_errhandlers),
	LIST(MDL_FILE, of_files),     LIST(MDL_INFO, of_infos),
	LIST(MDL_OP, of_ops),         LIST(MDL_WIN, of_wins),
};

const struct mpidbg_referrers *mpidbg_referrers_of(enum mdl_handle_kind kind, size_t *n)
{
	*n = lists[kind].n;
	return lists[kind].v;
}

bool mpidbg_has_calls(enum mdl_handle_kind kind)
{
	return kind == MDL_COMM || kind == MDL_DATATYPE || kind == MDL_FILE || kind == MDL_OP || kind == MDL_WIN;
}

bool mpidbg_call_uses(const struct mdl_call *c, const struct mdl_handle *to)
{
	switch (to->kind) {
	case MDL_COMM:
		return is_handle(c->comm, to);
	case MDL_DATATYPE:
		return is_handle(c->datatype, to) || is_handle(c->second.datatype, to);
	case MDL_OP:
		return is_handle(c->op, to);
	case MDL_FILE:
	case MDL_WIN:
		return c->object_kind.known == MDL_KNOWN && c->object_kind.value == (int64_t)to->kind &&
		       is_handle(c->object, to);
	default:
		return false;
	}
}

/* ---- written ------------------------------------------------------------------------------------------ */

static bool too_many(struct mpidbg_description *d, enum mdl_handle_kind kind)
{
	if (d->what != MPIDBG_WHAT_HANDLES)
		return false;
	d->n_walked += rd_track_count(d->p->track, kind).n_slots;
	return d->n_walked > WALKED_MAX;
}

static void text_user(struct mpidbg_description *d, const char *key, const struct mdl_handle *h, uint64_t n)
{
	if (!n)
		out_fact_label(&d->o, key);
	if (n >= USERS_SHOWN)
		return;
	out_text(&d->o, "%s", n ? ", " : "");
	if (h->name[0])
		out_name(&d->o, h->name, true);
	out_text(&d->o, "%s0x%" PRIx64, h->name[0] ? " " : "", h->handle);
}

static void write_list(struct mpidbg_description *d, const struct mpidbg_referrers *list, const struct mdl_handle *to)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	uint64_t n = 0;

	if (rd_track_first(d->p->track, list->kind, RD_TRACK_LIVE, &it))
		return;
	if (too_many(d, list->kind)) {
		if (d->o.json)
			out_json_unknown(&d->o, list->key,
					 "too many objects to look through in a list: print this one");
		return;
	}
	if (d->o.json)
		out_json_array(&d->o, list->key);
	while (!d->o.failed && !rd_track_next(&it, &h)) {
		if (!list->refers(&h, to))
			continue;
		if (d->o.json)
			out_json_addr(&d->o, NULL, h.handle);
		else
			text_user(d, list->key, &h, n);
		n++;
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	else if (n > USERS_SHOWN)
		out_text(&d->o, ", %" PRIu64 " more", n - USERS_SHOWN);
	mpidbg_problem_walk(d, ACC_OK, it.n_bad, list->key);
}

static void write_call(struct mpidbg_description *d, uint64_t tid, const struct mdl_call *c, bool first)
{
	struct out *o = &d->o;

	if (o->json) {
		out_json_object(o, NULL);
		out_json_uint(o, "thread", tid);
		out_json_string(o, "function", c->function);
		out_json_object_end(o);
		return;
	}
	out_fact_label(o, first ? "calls" : "");
	out_name(o, c->function, false);
	out_text(o, " in thread %" PRIu64, tid);
}

static void write_calls(struct mpidbg_description *d, const struct mdl_handle *to)
{
	struct rd_track_threads it;
	struct mdl_thread thread;
	bool first = true;

	if (!mpidbg_has_calls(to->kind) || rd_track_threads(d->p->track, NULL, &it))
		return;
	if (d->o.json)
		out_json_array(&d->o, "calls");
	while (to->life != MDL_EARLIER && !d->o.failed && !rd_track_thread_next(&it, &thread)) {
		for (unsigned i = 0; i < thread.n; i++) {
			if (!mpidbg_call_uses(&thread.calls[i], to))
				continue;
			write_call(d, thread.tid, &thread.calls[i], first);
			first = false;
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	mpidbg_problem_walk(d, ACC_OK, it.n_bad, "calls");
}

/* Without a registry: can the MPI library's memory show references to such an object? */
static bool in_library(struct rd_track *t, const struct mpidbg_referrers *list, const struct mdl_handle *to)
{
	if (!rd_track_count(t, list->kind).known)
		return false;
	return list->refers == of_errhandler || list->refers == file_of_comm || list->refers == file_of_type ||
	       (list->refers == mpidbg_request_on && to->kind == MDL_COMM);
}

void mpidbg_write_referrers(struct mpidbg_description *d, const struct mdl_handle *h)
{
	for (size_t i = 0; i < lists[h->kind].n && !d->o.failed; i++)
		if (!rd_track_has_no_registry(d->p->track) || in_library(d->p->track, &lists[h->kind].v[i], h))
			write_list(d, &lists[h->kind].v[i], h);
	write_calls(d, h);
}

/* ---- queried ------------------------------------------------------------------------------------------ */

mqs_taddr_t *mpidbg_fill_list(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle *to, size_t list, int *n)
{
	const struct mpidbg_referrers *u = &lists[to->kind].v[list];

	return mpidbg_fill_users(t, rc, u->kind, to, u->refers, n);
}

mqs_taddr_t *mpidbg_fill_lists(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle *to, int **kinds, int *n)
{
	enum { LISTS_MAX = 4 };
	mqs_taddr_t *parts[LISTS_MAX] = { NULL };
	int counts[LISTS_MAX] = { 0 };
	uint64_t total = 0, at = 0;

	for (size_t k = 0; k < lists[to->kind].n && k < LISTS_MAX; k++) {
		parts[k] = mpidbg_fill_list(t, rc, to, k, &counts[k]);
		total += parts[k] ? (uint64_t)counts[k] : 0;
	}
	if (total > INT_MAX)
		total = INT_MAX;
	mqs_taddr_t *v = mpidbg_query_array(rc, total, sizeof(*v));
	*kinds = v ? mpidbg_query_array(rc, total, sizeof(**kinds)) : NULL;
	for (size_t k = 0; k < LISTS_MAX; k++) {
		for (int i = 0; v && *kinds && parts[k] && i < counts[k] && at < total; i++, at++) {
			v[at] = parts[k][i];
			(*kinds)[at] = (int)lists[to->kind].v[k].kind;
		}
		mpidbg_free(parts[k]);
	}
	*n = (int)at;
	return v;
}

struct mpidbg_call_t *mpidbg_fill_calls(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle *to, int *n)
{
	struct mpidbg_call_t *v = NULL;
	uint64_t count = 0;

	*n = 0;
	/* one pass to count, one to fill */
	for (int pass = 0; pass < 2 && !*rc; pass++) {
		struct rd_track_threads it;
		struct mdl_thread thread;
		uint64_t at = 0;

		if (rd_track_threads(t, NULL, &it))
			return NULL;
		while (to->life != MDL_EARLIER && !rd_track_thread_next(&it, &thread)) {
			for (unsigned i = 0; i < thread.n; i++) {
				if (!mpidbg_call_uses(&thread.calls[i], to))
					continue;
				if (v && at < count) {
					v[at].thread = (int64_t)thread.tid;
					mpidbg_copy_name(v[at].function, thread.calls[i].function);
				}
				at++;
			}
		}
		if (!pass) {
			count = at;
			v = mpidbg_query_array(rc, count, sizeof(*v));
		} else if (v) {
			*n = (int)(at < count ? at : count);
		}
	}
	return v;
}
