/* SPDX-License-Identifier: BSD-3-Clause */
#include "leaks.h"

#include "place.h"

#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { WHERE_MAX = 32, GROUPS_MAX = 1024, TABLE = 4096, SHOWN = 8 };

/* Objects created by the same function at the same callsite. */
struct group {
	char call[MDL_NAME_BYTES];
	int64_t where[WHERE_MAX]; /* return addresses, innermost first */
	unsigned n_where;         /* 0: the callsite is not recorded */
	uint64_t n, n_of[MDL_N_HANDLE_KINDS];
	uint64_t handles[SHOWN];
};

struct leaks {
	struct group *groups; /* GROUPS_MAX */
	uint16_t *table;      /* TABLE; number of a group + 1 */
	uint16_t *order;      /* GROUPS_MAX */
	unsigned n_groups;
	uint64_t n, n_more; /* objects; objects whose group did not fit */
};

bool mpidbg_is_leak(const struct mdl_handle *h)
{
	if (h->life != MDL_LIVE || h->predefined || !h->call[0])
		return false;
	switch (h->kind) {
	case MDL_REQUEST:
		return !h->request.free_called;
	case MDL_DATATYPE: /* types of MPI_Type_create_f90_... must not be freed */
		return h->datatype.combiner.known != MDL_KNOWN ||
		       (h->datatype.combiner.value != MDL_F90_REAL && h->datatype.combiner.value != MDL_F90_COMPLEX &&
			h->datatype.combiner.value != MDL_F90_INTEGER);
	default:
		return true;
	}
}

/* ---- collecting --------------------------------------------------------------------------------------- */

static void find_place(struct mpidbg_description *d, const struct mdl_handle *h, struct group *key)
{
	memset(key, 0, sizeof(*key));
	memcpy(key->call, h->call, sizeof(key->call));
	if (h->kind == MDL_REQUEST && !(h->where.known && h->where.n) && h->request.caller.known == MDL_KNOWN) {
		key->where[0] = h->request.caller.value;
		key->n_where = 1;
		return;
	}
	if (!h->where.known || !h->where.n)
		return;
	key->n_where = h->where.n < WHERE_MAX ? (unsigned)h->where.n : WHERE_MAX;

	enum acc_rc rc = rd_track_numbers(d->p->track, &h->where, 8, 0, key->n_where, key->where);
	if (rc) {
		mpidbg_problem_walk(d, rc, 0, "where it was made");
		key->n_where = 0;
	}
}

static uint32_t hash_of(const struct group *key)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (const char *c = key->call; *c; c++)
		h = (h ^ (uint8_t)*c) * 0x100000001b3u;
	for (unsigned i = 0; i < key->n_where; i++)
		h = (h ^ (uint64_t)key->where[i]) * 0x100000001b3u;
	return (uint32_t)(h ^ h >> 29) % TABLE;
}

static bool same_place(const struct group *a, const struct group *b)
{
	return a->n_where == b->n_where && !strcmp(a->call, b->call) &&
	       !memcmp(a->where, b->where, a->n_where * sizeof(a->where[0]));
}

static void add_leak(struct leaks *l, const struct group *key, const struct mdl_handle *h)
{
	struct group *g = NULL;
	uint32_t at = hash_of(key);

	/* the table is at most a quarter full */
	for (; l->table[at] && !g; at = (at + 1) % TABLE)
		if (same_place(&l->groups[l->table[at] - 1], key))
			g = &l->groups[l->table[at] - 1];
	if (!g && l->n_groups < GROUPS_MAX) {
		g = &l->groups[l->n_groups++];
		*g = *key;
		l->table[at] = (uint16_t)l->n_groups;
	}
	l->n++;
	if (!g) {
		l->n_more++;
		return;
	}
	if (g->n < SHOWN)
		g->handles[g->n] = h->handle;
	g->n++;
	g->n_of[h->kind]++;
}

static void collect(struct mpidbg_description *d, struct leaks *l, enum mdl_handle_kind kind)
{
	struct rd_track_iter it;
	struct mdl_handle h;
	struct group key;
	enum acc_rc rc = rd_track_first(d->p->track, kind, RD_TRACK_LIVE, &it);

	if (rc)
		return;
	while (!(rc = rd_track_next(&it, &h))) {
		if (!mpidbg_is_leak(&h))
			continue;
		find_place(d, &h, &key);
		add_leak(l, &key, &h);
	}
	mpidbg_problem_walk(d, rc == ACC_NONE ? ACC_OK : rc, it.n_bad, out_handle_words(kind));
}

static bool before(const struct group *a, const struct group *b)
{
	return a->n != b->n ? a->n > b->n : strcmp(a->call, b->call) < 0;
}

static void sort_groups(struct leaks *l)
{
	for (unsigned i = 0; i < l->n_groups; i++) {
		unsigned k = i;

		for (; k && before(&l->groups[i], &l->groups[l->order[k - 1]]); k--)
			l->order[k] = l->order[k - 1];
		l->order[k] = (uint16_t)i;
	}
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static const char not_recorded
	[] = "where objects are made is not recorded in this process (its environment sets it: MPI2DD_TRACK_WHERE=1)";

/* The innermost return address outside the MPI library's bindings; 0, the innermost, if there is none. */
static unsigned program_place(const struct mpidbg_description *d, const struct group *g, char place[MPIDBG_PLACE_BYTES])
{
	for (unsigned i = 0; i < g->n_where; i++)
		if (mpidbg_place(d, (uint64_t)g->where[i], place) && !mpidbg_is_mpi_place(place))
			return i;
	return 0;
}

static void text_group(struct mpidbg_description *d, const struct group *g)
{
	char place[MPIDBG_PLACE_BYTES];
	struct out *o = &d->o;
	bool first = true;

	out_line(o, 2);
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		if (!g->n_of[k])
			continue;
		out_text(o, "%s%" PRIu64 " %s", first ? "" : ", ", g->n_of[k],
			 g->n_of[k] == 1 ? out_handle_word((enum mdl_handle_kind)k)
					 : out_handle_words((enum mdl_handle_kind)k));
		first = false;
	}
	out_text(o, " by ");
	out_name(o, g->call, false);
	unsigned first_where = program_place(d, g, place);
	for (unsigned i = first_where; i < g->n_where; i++) {
		bool known = mpidbg_place(d, (uint64_t)g->where[i], place);

		if (i > first_where)
			out_line(o, 3);
		out_text(o, i > first_where ? "called from " : " in ");
		if (known)
			out_name(o, place, false);
		else
			out_text(o, "0x%" PRIx64, (uint64_t)g->where[i]);
	}
	out_line(o, 3);
	for (uint64_t i = 0; i < g->n && i < SHOWN; i++)
		out_text(o, "%s0x%" PRIx64, i ? " " : "", g->handles[i]);
	if (g->n > SHOWN)
		out_text(o, ", %" PRIu64 " more", g->n - SHOWN);
	out_line_end(o);
}

static void json_group(struct mpidbg_description *d, const struct group *g)
{
	char place[MPIDBG_PLACE_BYTES];
	struct out *o = &d->o;

	out_json_object(o, NULL);
	out_json_uint(o, "count", g->n);
	out_json_object(o, "kinds");
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++)
		if (g->n_of[k])
			out_json_uint(o, out_handle_kind((enum mdl_handle_kind)k), g->n_of[k]);
	out_json_object_end(o);
	out_json_string(o, "made_by", g->call);
	if (g->n_where) {
		mpidbg_places(d, "where", g->where, g->n_where);
		unsigned i = program_place(d, g, place);
		if (mpidbg_place(d, (uint64_t)g->where[i], place))
			out_json_string(o, "place", place);
	} else
		out_json_unknown(o, "where", not_recorded);
	out_json_array(o, "handles");
	for (uint64_t i = 0; i < g->n && i < SHOWN; i++)
		out_json_addr(o, NULL, g->handles[i]);
	out_json_array_end(o);
	out_json_object_end(o);
}

static void text_head(struct mpidbg_description *d, const struct leaks *l)
{
	struct out *o = &d->o;

	out_line(o, 1);
	if (!l->n) {
		out_text(o, "nothing is left that the program must free");
	} else {
		out_count(o, l->n, "object");
		out_text(o, l->n == 1 ? " that was not freed, from " : " that were not freed, from ");
		out_count(o, l->n_groups, "place");
	}
	out_line_end(o);
}

static void write_all(struct mpidbg_description *d, const struct leaks *l)
{
	bool said = false;

	if (d->o.json)
		out_json_array(&d->o, "leaks");
	else
		text_head(d, l);
	for (unsigned i = 0; i < l->n_groups && !d->o.failed; i++) {
		const struct group *g = &l->groups[l->order[i]];

		if (d->o.json) {
			json_group(d, g);
			continue;
		}
		text_group(d, g);
		said |= !g->n_where;
	}
	if (d->o.json) {
		out_json_array_end(&d->o);
	} else if (said) {
		out_line(&d->o, 1);
		out_text(&d->o, "%s", not_recorded);
		out_line_end(&d->o);
	}
	if (l->n_more)
		mpidbg_problem(d, "leaks: %" PRIu64 " objects of further places are not shown", l->n_more);
}

void mpidbg_write_leaks(struct mpidbg_description *d, enum mdl_handle_kind kind)
{
	struct acc_space *sp = &d->p->space;
	struct leaks l = { .groups = acc_array(sp, GROUPS_MAX, sizeof(*l.groups)),
			   .table = acc_array(sp, TABLE, sizeof(*l.table)),
			   .order = acc_array(sp, GROUPS_MAX, sizeof(*l.order)) };

	if (l.groups && l.table && l.order) {
		memset(l.table, 0, TABLE * sizeof(*l.table));
		for (int k = 0; k < MDL_N_HANDLE_KINDS; k++)
			if (kind == MDL_N_HANDLE_KINDS || k == (int)kind)
				collect(d, &l, (enum mdl_handle_kind)k);
		sort_groups(&l);
		write_all(d, &l);
	} else {
		mpidbg_problem(d, "leaks: %s", acc_rc_text(ACC_ENOMEM));
	}
	acc_array_free(sp, l.groups);
	acc_array_free(sp, l.table);
	acc_array_free(sp, l.order);
}
