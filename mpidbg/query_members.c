/* SPDX-License-Identifier: BSD-3-Clause */
#include "query_members.h"

#include "../mqs/callbacks.h"
#include "../readers/jobs/world_table.h"

#include <limits.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Larger tables of processes are not read for each query. */
enum { BLOCK = 256, PLACES_MAX = 1 << 16 };

/* ---- processes and hosts ---------------------------------------------------------------------------------- */

/* Of each rank of the own world the entry of the table of processes. */
struct places {
	size_t n; /* ranks */
	struct {
		int64_t pid;
		size_t host; /* offset in the text, and 1; 0: not known */
	} * v;
	char *text;
	size_t n_text, cap_text;
};

static bool add_text(struct places *s, const char *text, size_t *ret)
{
	size_t bytes = strlen(text) + 1;

	/* ranks of one host are most often neighbours */
	if (s->n_text >= bytes && !memcmp(s->text + s->n_text - bytes, text, bytes)) {
		*ret = s->n_text - bytes + 1;
		return true;
	}
	if (bytes > s->cap_text - s->n_text) {
		size_t cap = 2 * (s->cap_text + bytes);
		enum acc_rc rc = ACC_OK;
		char *more = mpidbg_query_array(&rc, cap, 1);

		if (!more)
			return false;
		if (s->n_text)
			memcpy(more, s->text, s->n_text);
		mqs_callbacks_release(s->text);
		s->text = more;
		s->cap_text = cap;
	}
	memcpy(s->text + s->n_text, text, bytes);
	*ret = s->n_text + 1;
	s->n_text += bytes;
	return true;
}

static void free_places(struct places *s)
{
	mqs_callbacks_release(s->v);
	mqs_callbacks_release(s->text);
	*s = (struct places){ .n = 0 };
}

/* The table of this world, if this process keeps it. What cannot be read is not known, which is no failure. */
static void read_places(struct _mqs_process_info *p, uint64_t n_ranks, struct places *ret)
{
	struct acc_note note = p->space.note;
	struct rd_world_table table;
	struct rd_mpi2dd info;
	enum acc_rc rc = ACC_OK;

	*ret = (struct places){ .n = 0 };
	if (n_ranks > PLACES_MAX || rd_jobs_mpi2dd(&p->space, &info) || rd_world_table(&p->space, &info, &table)) {
		p->space.note = note;
		return;
	}
	ret->v = mpidbg_query_array(&rc, n_ranks, sizeof(*ret->v));
	ret->n = ret->v ? (size_t)n_ranks : 0;
	while (ret->n && !rd_world_table_block(&table))
		for (size_t k = 0; k < table.records.n_block; k++) {
			struct rd_world_proc one;
			size_t host = 0;

			rd_world_table_at(&table, k, &one);
			if (one.pid <= 0 || one.rank < 0 || (uint64_t)one.rank >= ret->n)
				continue;
			ret->v[one.rank].pid = one.pid;
			if (one.host && one.host[0] && add_text(ret, one.host, &host))
				ret->v[one.rank].host = host;
		}
	rd_world_table_end(&table);
	p->space.note = note;
}

/* ---- arrays ------------------------------------------------------------------------------------------------ */

static struct mpidbg_group_member_t member_of(const struct mdl_member *m, const struct places *places, const char *text)
{
	struct mpidbg_group_member_t ret = { .world_rank = -1 };

	if (!m->known || m->world_rank < 0 || m->world_rank > INT_MAX)
		return ret;
	ret.world_rank = (int)m->world_rank;
	ret.world = m->own_world ? 0 : m->job;
	ret.world_is_local = !m->own_world && m->job_is_local;
	if (!m->own_world || (uint64_t)m->world_rank >= places->n)
		return ret;
	ret.pid = places->v[m->world_rank].pid;
	if (places->v[m->world_rank].host)
		ret.host = text + places->v[m->world_rank].host - 1;
	return ret;
}

static void copy(struct mpidbg_fill *f, uint64_t bit, struct mpidbg_member_list *list, const struct places *places,
		 struct mpidbg_process_t *procs, struct mpidbg_group_member_t *members)
{
	const char *text = (const char *)(members + list->n);
	struct mdl_member block[BLOCK];

	for (uint64_t i = 0, k; !f->rc && i < list->n; i += k) {
		k = list->n - i < BLOCK ? list->n - i : BLOCK;
		f->rc = mpidbg_member_block(list, i, k, block);
		for (uint64_t j = 0; !f->rc && j < k; j++) {
			members[i + j] = member_of(&block[j], places, text);
			procs[i + j].mpi_comm_world_rank = members[i + j].world ? -1 : members[i + j].world_rank;
			f->unknown |= members[i + j].world_rank < 0 ? bit : 0;
		}
	}
}

void mpidbg_fill_members(struct mpidbg_fill *f, uint64_t bit, struct mpidbg_member_list *list, int *n,
			 struct mpidbg_process_t **procs, struct mpidbg_group_member_t **members)
{
	struct places places;

	if (f->rc || !list->known)
		return;
	if (list->n > INT_MAX) {
		f->rc = ACC_ELIMIT;
		return;
	}
	f->unknown |= list->n_unlisted ? bit : 0;
	if (!list->n)
		return;
	/* without objects, the communicators of the reader are queried */
	struct mdl_num size = (f->t ? rd_track_library(f->t) : rd_library(f->p->reader))->world_size;
	read_places(f->p, size.known == MDL_KNOWN && size.value > 0 ? (uint64_t)size.value : 0, &places);
	*procs = mpidbg_query_array(&f->rc, list->n, sizeof(**procs));
	*members = mpidbg_query_array(&f->rc, 1, (size_t)list->n * sizeof(**members) + places.n_text);
	if (*procs && *members) {
		if (places.n_text)
			memcpy(*members + list->n, places.text, places.n_text);
		copy(f, bit, list, &places, *procs, *members);
		*n = (int)list->n;
	}
	free_places(&places);
}
