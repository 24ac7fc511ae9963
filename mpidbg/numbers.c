/* SPDX-License-Identifier: BSD-3-Clause */
#include "numbers.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

void mpidbg_numbers_init(struct mpidbg_numbers *it, struct mpidbg_description *d, const struct mdl_list *list,
			 unsigned width, uint64_t end, const char *key)
{
	it->d = d;
	it->list = list;
	it->key = key;
	it->width = width;
	it->next = 0;
	it->end = !list->known ? 0 : list->n < end ? list->n : end;
}

bool mpidbg_numbers_next(struct mpidbg_numbers *it, uint64_t *index, int64_t *ret)
{
	uint64_t k = it->next % MPIDBG_NUMBERS_BLOCK, left = it->end - it->next;
	enum acc_rc rc;

	if (!left || it->d->o.failed)
		return false;
	if (k == 0) {
		left = left < MPIDBG_NUMBERS_BLOCK ? left : MPIDBG_NUMBERS_BLOCK;
		rc = rd_track_numbers(it->d->p->track, it->list, it->width, it->next, left, it->v);
		if (rc) {
			if (it->key)
				mpidbg_problem_walk(it->d, rc, 0, it->key);
			it->end = it->next;
			return false;
		}
	}
	*index = it->next++;
	*ret = it->v[k];
	return true;
}
