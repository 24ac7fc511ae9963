/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of communicators and groups, as text and JSON. */
#include "members.h"

#include "member_list.h"

#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { BLOCK = 256 };

static void show(struct mpidbg_description *d, struct out_fact_list *out, const struct mdl_member *m)
{
	struct out *o = &d->o;
	char text[64];

	if (m->known && m->own_world) {
		out_fact_item(o, out, m->world_rank);
	} else if (!o->json) {
		snprintf(text, sizeof(text), "%" PRId64 " of %sworld %" PRIu32, m->world_rank,
			 m->job_is_local ? "other " : "", m->job);
		out_fact_item_word(o, out, m->known ? text : "unknown");
	} else if (m->known) {
		out_json_object(o, NULL);
		out_json_uint(o, m->job_is_local ? "other_world" : "job", m->job);
		out_json_int(o, "rank", m->world_rank);
		out_json_object_end(o);
	} else {
		out_json_null(o, NULL);
	}
}

/* @return number of members that are not known */
static uint64_t write_members(struct mpidbg_description *d, struct mpidbg_member_list *list)
{
	const char *key = list->remote ? "remote_members" : "members";
	struct mdl_member block[BLOCK];
	struct out_fact_list out;
	uint64_t n_unknown = 0;

	out_fact_list(&d->o, key, &out);
	uint64_t n_shown = out_fact_room(&d->o, list->n);
	for (uint64_t i = 0, n; i < n_shown && !d->o.failed; i += n) {
		n = n_shown - i < BLOCK ? n_shown - i : BLOCK;

		enum acc_rc rc = mpidbg_member_block(list, i, n, block);
		if (rc) {
			mpidbg_problem_walk(d, rc, 0, key);
			break;
		}
		for (uint64_t k = 0; k < n; k++) {
			n_unknown += !block[k].known;
			show(d, &out, &block[k]);
		}
	}
	out_fact_left(&out, list->n - n_shown);
	out_fact_list_end(&d->o, key, &out, list->n_unlisted);
	return n_unknown;
}

void mpidbg_native_members_fact(struct mpidbg_description *d, const struct mdl_comm *comm, bool remote)
{
	struct mpidbg_member_list list;

	mpidbg_members_of_native(d->p, comm, remote, &list);
	uint64_t n_unknown = write_members(d, &list);
	if (n_unknown)
		mpidbg_problem(d, "%s: %" PRIu64 " of them cannot be read", remote ? "remote_members" : "members",
			       n_unknown);
}

void mpidbg_members_fact(struct mpidbg_description *d, const struct mdl_handle *h, bool remote)
{
	struct mpidbg_member_list list;

	acc_space_begin(&d->p->space);
	mpidbg_members_of(d->p, h, remote, &list);
	if (list.known)
		write_members(d, &list);
	acc_space_end(&d->p->space);
}
