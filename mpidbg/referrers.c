/* SPDX-License-Identifier: BSD-3-Clause */
#include "referrers.h"

#include "handle_words.h"
#include "object_refs.h"
#include "user_index.h"

#include "../mqs/callbacks.h"
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

/* ---- lists of users --------------------------------------------------------------------------------------- */

struct list {
	const char *key;
	enum mdl_handle_kind kind;
};

static const struct list of_comms[] = { { "requests", MDL_REQUEST }, { "windows", MDL_WIN }, { "files", MDL_FILE } },
			 of_groups[] = { { "communicators", MDL_COMM } },
			 of_types[] = { { "requests", MDL_REQUEST }, { "files", MDL_FILE } },
			 of_all[] = { { "communicators", MDL_COMM },
				      { "files", MDL_FILE },
				      { "windows", MDL_WIN },
				      { "sessions", MDL_SESSION } },
			 of_others[] = { { "requests", MDL_REQUEST } };

#define LIST(kind, array) [kind] = { array, sizeof(array) / sizeof((array)[0]) }
static const struct {
	const struct list *v;
	size_t n;
} lists[MDL_N_HANDLE_KINDS] = {
	LIST(MDL_COMM, of_comms),     LIST(MDL_GROUP, of_groups), LIST(MDL_DATATYPE, of_types),
	LIST(MDL_ERRHANDLER, of_all), LIST(MDL_FILE, of_others),  LIST(MDL_INFO, of_all),
	LIST(MDL_OP, of_others),      LIST(MDL_WIN, of_others),
};

/* Can the users of that kind be found? Without a registry: does the MPI library's memory show such references? */
static bool is_known(struct rd_track *t, enum mdl_handle_kind user, enum mdl_handle_kind used)
{
	if (!rd_track_count(t, user).known)
		return false;
	if (!rd_track_has_no_registry(t))
		return true;
	return used == MDL_ERRHANDLER || (user == MDL_FILE && (used == MDL_COMM || used == MDL_DATATYPE)) ||
	       (user == MDL_REQUEST && used == MDL_COMM);
}

static bool is_handle(struct mdl_num n, const struct mdl_handle *to)
{
	return to->life != MDL_EARLIER && n.known == MDL_KNOWN && (uint64_t)n.value == to->handle;
}

static bool has_calls(enum mdl_handle_kind kind)
{
	return kind == MDL_COMM || kind == MDL_DATATYPE || kind == MDL_FILE || kind == MDL_OP || kind == MDL_WIN;
}

static bool call_uses(const struct mdl_call *c, const struct mdl_handle *to)
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

static void write_list(struct mpidbg_description *d, const struct list *list, const struct mdl_handle *to)
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
		if (!mpidbg_refers(&h, to))
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

	if (!has_calls(to->kind) || rd_track_threads(d->p->track, NULL, &it))
		return;
	if (d->o.json)
		out_json_array(&d->o, "calls");
	while (to->life != MDL_EARLIER && !d->o.failed && !rd_track_thread_next(&it, &thread)) {
		for (unsigned i = 0; i < thread.n; i++) {
			if (!call_uses(&thread.calls[i], to))
				continue;
			write_call(d, thread.tid, &thread.calls[i], first);
			first = false;
		}
	}
	if (d->o.json)
		out_json_array_end(&d->o);
	mpidbg_problem_walk(d, ACC_OK, it.n_bad, "calls");
}

void mpidbg_write_referrers(struct mpidbg_description *d, const struct mdl_handle *h)
{
	for (size_t i = 0; i < lists[h->kind].n && !d->o.failed; i++)
		if (is_known(d->p->track, lists[h->kind].v[i].kind, h->kind))
			write_list(d, &lists[h->kind].v[i], h);
	write_calls(d, h);
}

/* ---- queried ------------------------------------------------------------------------------------------ */

bool mpidbg_users_known(struct rd_track *t, enum mdl_handle_kind user, enum mdl_handle_kind used)
{
	return is_known(t, user, used);
}

static mqs_taddr_t *indexed_users(struct mpidbg_fill *f, const struct mdl_handle *to, enum mdl_handle_kind kind, int *n)
{
	uint64_t count = 0, at = 0, handle;

	while (count < INT_MAX && mpidbg_user_next(f->p, to, kind, &at, &handle))
		count++;
	mqs_taddr_t *v = mpidbg_query_array(&f->rc, count, sizeof(*v));
	at = 0;
	for (uint64_t i = 0; v && i < count && mpidbg_user_next(f->p, to, kind, &at, &handle); i++)
		v[i] = handle;
	*n = v ? (int)count : 0;
	return v;
}

static mqs_taddr_t *users(struct mpidbg_fill *f, const struct mdl_handle *to, enum mdl_handle_kind kind, int *n)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	mqs_taddr_t *v = NULL;
	uint64_t count = 0;

	*n = 0;
	if (mpidbg_users_indexed(f->p))
		return indexed_users(f, to, kind, n);
	/* one pass to count, one to fill */
	for (int pass = 0; pass < 2 && !f->rc; pass++) {
		uint64_t i = 0;

		if (rd_track_first(f->t, kind, RD_TRACK_LIVE, &it))
			return NULL;
		while (!rd_track_next(&it, &h)) {
			if (!mpidbg_refers(&h, to))
				continue;
			if (v && i < count)
				v[i] = h.handle;
			i++;
		}
		if (!pass) {
			count = i < INT_MAX ? i : INT_MAX;
			v = mpidbg_query_array(&f->rc, count, sizeof(*v));
		}
	}
	*n = v ? (int)count : 0;
	return v;
}

mqs_taddr_t *mpidbg_fill_users(struct mpidbg_fill *f, uint64_t bit, const struct mdl_handle *to,
			       enum mdl_handle_kind kind, int *n)
{
	if (is_known(f->t, kind, to->kind))
		return users(f, to, kind, n);
	f->unknown |= bit;
	*n = 0;
	return NULL;
}

mqs_taddr_t *mpidbg_fill_all_users(struct mpidbg_fill *f, uint64_t bit, const struct mdl_handle *to, int **kinds,
				   int *n)
{
	enum { LISTS_MAX = sizeof(of_all) / sizeof(of_all[0]) };
	mqs_taddr_t *parts[LISTS_MAX] = { NULL };
	int counts[LISTS_MAX] = { 0 };
	uint64_t total = 0, at = 0;

	for (size_t k = 0; k < LISTS_MAX; k++) {
		/* an MPI without sessions has no users of that kind */
		bool none = of_all[k].kind == MDL_SESSION && !rd_track_count(f->t, MDL_SESSION).known;
		parts[k] = mpidbg_fill_users(f, none ? 0 : bit, to, of_all[k].kind, &counts[k]);
		total += parts[k] ? (uint64_t)counts[k] : 0;
	}
	if (total > INT_MAX)
		total = INT_MAX;
	mqs_taddr_t *v = mpidbg_query_array(&f->rc, total, sizeof(*v));
	*kinds = v ? mpidbg_query_array(&f->rc, total, sizeof(**kinds)) : NULL;
	for (size_t k = 0; k < LISTS_MAX; k++) {
		for (int i = 0; v && *kinds && parts[k] && i < counts[k] && at < total; i++, at++) {
			v[at] = parts[k][i];
			(*kinds)[at] = (int)of_all[k].kind;
		}
		mqs_callbacks_release(parts[k]);
	}
	*n = (int)at;
	return v;
}

struct mpidbg_call_t *mpidbg_fill_calls(struct mpidbg_fill *f, uint64_t bit, const struct mdl_handle *to, int *n)
{
	struct mpidbg_call_t *v = NULL;
	uint64_t count = 0;

	*n = 0;
	/* one pass to count, one to fill */
	for (int pass = 0; pass < 2 && !f->rc; pass++) {
		struct rd_track_threads it;
		struct mdl_thread thread;
		uint64_t at = 0;

		if (rd_track_threads(f->t, NULL, &it)) {
			f->unknown |= bit;
			return NULL;
		}
		while (to->life != MDL_EARLIER && !rd_track_thread_next(&it, &thread)) {
			for (unsigned i = 0; i < thread.n; i++) {
				if (!call_uses(&thread.calls[i], to))
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
			v = mpidbg_query_array(&f->rc, count, sizeof(*v));
		} else if (v) {
			*n = (int)(at < count ? at : count);
		}
	}
	return v;
}
