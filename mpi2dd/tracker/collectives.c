/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of collectives; each thread caches those of the communicator it used last. */
#include "collectives.h"

uint64_t *trk_coll_counters(struct m2d_thread *t, uint64_t comm)
{
	struct trk_comm *c = t->last;

	if (!c || c->handle != comm || c->state != TRK_LIVE) {
		c = trk_comm_of ? trk_comm_of(comm) : NULL;
		if (!c || c->collectives.n < 2 * TRK_COLL_COUNTERS)
			return NULL;
		t->last = c;
		t->last_counters = (uint64_t *)(uintptr_t)c->collectives.addr;
	}
	return t->last_counters;
}

void trk_coll_begun(uint64_t comm, enum trk_coll class)
{
	if (class < TRK_NO_COLL)
		trk_coll_begin(&m2d_thread, comm, class);
}

void trk_coll_finished(uint64_t comm, enum trk_coll class)
{
	uint64_t *n = class < TRK_NO_COLL ? trk_coll_counters(&m2d_thread, comm) : NULL;

	if (n)
		trk_coll_end(n + 2 * class);
}
