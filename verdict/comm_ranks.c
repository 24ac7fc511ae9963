/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of ranks in communicators. */
#include "job.h"

bool vd_is_in_group(const struct vd_comm *c, int32_t rank, bool local)
{
	for (int32_t i = local ? 0 : c->n_local; i < (local ? c->n_local : c->n); i++)
		if (c->members && c->members[i] == rank)
			return true;
	return false;
}

int32_t vd_local_rank(const struct vd_comm *c, int32_t rank, bool first_group)
{
	int32_t begin = c->inter && !first_group ? c->n_local : 0, end = c->inter && first_group ? c->n_local : c->n;

	if (!c->members)
		return rank < c->n ? rank : VD_UNKNOWN;
	if (!c->inter && rank < c->n && c->members[rank] == rank) /* common case: a copy of the world */
		return rank;
	for (int32_t i = begin; i < end; i++)
		if (c->members[i] == rank)
			return i - begin;
	return VD_UNKNOWN;
}
