/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of collectives, through the communicator that the thread used last. */
#include "collectives.h"

static uint64_t *counters(uint64_t handle)
{
	struct m2d_thread *t = &m2d_thread;
	struct trk_comm *c = t->last;

	/* records never move, so an old one may be looked at */
	if (!c || c->handle != handle || c->state != TRK_LIVE) {
		c = trk_comm_of ? trk_comm_of(handle) : NULL;
		t->last = c;
	}
	if (!c || c->collectives.n < 2 * TRK_COLL_COUNTERS)
		return NULL;
	return (uint64_t *)(uintptr_t)c->collectives.addr;
}

void trk_coll_begun(uint64_t comm, enum trk_coll class)
{
	uint64_t *n = class < TRK_NO_COLL ? counters(comm) : NULL;

	if (n)
		n[2 * class]++;
}

void trk_coll_finished(uint64_t comm, enum trk_coll class)
{
	uint64_t *n = class < TRK_NO_COLL ? counters(comm) : NULL;

	if (n)
		n[2 * class + 1]++;
}
