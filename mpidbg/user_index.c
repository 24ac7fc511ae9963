/* SPDX-License-Identifier: BSD-3-Clause */
#include "user_index.h"

#include "object_refs.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { REFERENCES_MAX = 1 << 20 };

struct reference {
	uint64_t value; /* number or handle of the object that is referred to */
	uint64_t user;  /* handle */
	uint32_t next;  /* in the chain, and 1; 0: the last */
	uint8_t kind, by_id, user_kind;
};

struct mpidbg_user_index {
	struct reference *v;
	uint32_t n, cap, mask;
	uint32_t *first, *last; /* by hash, and 1; 0: none */
};

static uint32_t hash_of(const struct mpidbg_user_index *x, enum mdl_handle_kind kind, bool by_id, uint64_t value)
{
	return (uint32_t)(((value ^ (uint64_t)kind << 58 ^ (uint64_t)by_id << 57) * 0x9e3779b97f4a7c15u) >> 32) &
	       x->mask;
}

static void free_index(struct _mqs_process_info *p)
{
	struct mpidbg_user_index *x = p->users;

	if (!x)
		return;
	acc_array_free(&p->space, x->v);
	acc_array_free(&p->space, x->first);
	acc_array_free(&p->space, x->last);
	acc_array_free(&p->space, x);
	p->users = NULL;
}

/* @return number of references; they are added if the index has memory for them */
static uint64_t walk(struct _mqs_process_info *p, struct mpidbg_user_index *x)
{
	uint64_t n = 0;

	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		struct mpidbg_ref refs[MPIDBG_REFS_MAX];
		struct rd_track_iter it;
		struct mdl_handle h;

		if (rd_track_first(p->track, (enum mdl_handle_kind)k, RD_TRACK_LIVE, &it))
			continue;
		while (n <= REFERENCES_MAX && !rd_track_next(&it, &h)) {
			size_t n_refs = mpidbg_refs_of(&h, refs);

			for (size_t i = 0; i < n_refs; i++) {
				const struct mpidbg_ref *r = &refs[i];
				bool by_id = r->id.known == MDL_KNOWN;

				if (!by_id && r->handle.known != MDL_KNOWN)
					continue;
				n++;
				if (!x || x->n == x->cap)
					continue;
				uint64_t value = (uint64_t)(by_id ? r->id.value : r->handle.value);
				uint32_t at = hash_of(x, r->kind, by_id, value);
				x->v[x->n++] = (struct reference){ value, h.handle,  0, (uint8_t)r->kind,
								   by_id, (uint8_t)k };
				if (x->last[at])
					x->v[x->last[at] - 1].next = x->n;
				else
					x->first[at] = x->n;
				x->last[at] = x->n;
			}
		}
	}
	return n;
}

static void build(struct _mqs_process_info *p)
{
	struct acc_note note = p->space.note;
	uint64_t n = walk(p, NULL);
	uint32_t size = 16;

	if (n > REFERENCES_MAX)
		return;
	struct mpidbg_user_index *x = acc_array(&p->space, 1, sizeof(*x));
	if (!x)
		return;
	while (size < n)
		size *= 2;
	*x = (struct mpidbg_user_index){ .cap = (uint32_t)n, .mask = size - 1 };
	p->users = x;
	p->users_free = free_index;
	x->v = acc_array(&p->space, n + 1, sizeof(*x->v));
	x->first = acc_array(&p->space, size, sizeof(*x->first));
	x->last = acc_array(&p->space, size, sizeof(*x->last));
	if (!x->v || !x->first || !x->last) {
		free_index(p);
		return;
	}
	memset(x->first, 0, size * sizeof(*x->first));
	memset(x->last, 0, size * sizeof(*x->last));
	walk(p, x);
	p->space.note = note; /* invalid records are reported where they are listed */
}

bool mpidbg_users_indexed(struct _mqs_process_info *p)
{
	if (p->kept && p->kept_track && !p->users)
		build(p);
	return p->kept && p->users;
}

/* The first call has *at 0; the position is that of the reference returned last, and 1, or beyond those by number. */
bool mpidbg_user_next(const struct _mqs_process_info *p, const struct mdl_handle *to, enum mdl_handle_kind kind,
		      uint64_t *at, uint64_t *handle)
{
	const struct mpidbg_user_index *x = p->users;
	uint32_t ids = to->id ? x->first[hash_of(x, to->kind, true, to->id)] : 0;
	uint32_t handles = to->life != MDL_EARLIER ? x->first[hash_of(x, to->kind, false, to->handle)] : 0;
	uint32_t best;

	/* a user that refers to it twice is returned once; both chains are in the order of the records */
	for (;;) {
		while (ids && (ids <= *at || x->v[ids - 1].kind != to->kind || !x->v[ids - 1].by_id ||
			       x->v[ids - 1].value != to->id || x->v[ids - 1].user_kind != kind))
			ids = x->v[ids - 1].next;
		while (handles && (handles <= *at || x->v[handles - 1].kind != to->kind || x->v[handles - 1].by_id ||
				   x->v[handles - 1].value != to->handle || x->v[handles - 1].user_kind != kind))
			handles = x->v[handles - 1].next;
		best = !ids || (handles && handles < ids) ? handles : ids;
		if (!best)
			return false;
		bool again = *at && best - 1 == *at && x->v[best - 2].user == x->v[best - 1].user &&
			     x->v[best - 2].user_kind == kind;
		*at = best;
		if (again)
			continue;
		*handle = x->v[best - 1].user;
		return true;
	}
}
