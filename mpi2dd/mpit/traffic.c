/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters by communicator, in hash chains that only grow, so that readers need no lock. */
#include "traffic.h"

#include "../tracker/registry.h"
#include "emit.h"

#include <stdlib.h>

enum { HEADS = 256 };

struct counters {
	struct counters *next;
	uint64_t id; /* number of the communicator in the registry */
	uint64_t n[MPIT_N_TRAFFIC];
};

static struct counters *heads[HEADS];
static int n_counters;

uint64_t mpit_requests_started, mpit_requests_completed, mpit_nanoseconds_in_mpi;

static struct counters *find_counters(uint64_t id)
{
	struct counters *c = __atomic_load_n(&heads[id % HEADS], __ATOMIC_ACQUIRE);

	while (c && c->id != id)
		c = c->next;
	return c;
}

uint64_t mpit_traffic_identity(uint64_t comm)
{
	const struct trk_object *o = trk_find_unlocked(TRK_COMM, comm);

	return o ? __atomic_load_n(&o->id, __ATOMIC_RELAXED) : 0;
}

uint64_t mpit_traffic_of(uint64_t comm, bool *is_new)
{
	uint64_t id = mpit_traffic_identity(comm);

	*is_new = false;
	if (!id || find_counters(id))
		return id;
	struct counters *c = calloc(1, sizeof(*c));
	if (!c)
		return 0;
	c->id = id;
	c->next = heads[id % HEADS];
	__atomic_store_n(&heads[id % HEADS], c, __ATOMIC_RELEASE);
	__atomic_add_fetch(&n_counters, 1, __ATOMIC_RELEASE);
	*is_new = true;
	return id;
}

bool mpit_traffic_read(uint64_t comm, enum mpit_traffic which, uint64_t *ret)
{
	const struct counters *c = find_counters(mpit_traffic_identity(comm));

	if (!c)
		return false;
	*ret = __atomic_load_n(&c->n[which], __ATOMIC_RELAXED);
	return true;
}

const uint64_t *mpit_traffic_cell(uint64_t comm, enum mpit_traffic which, uint64_t *id)
{
	const struct counters *c = find_counters(mpit_traffic_identity(comm));

	if (!c)
		return NULL;
	*id = c->id;
	return &c->n[which];
}

void mpit_traffic_count(uint64_t comm, bool is_received, uint64_t bytes)
{
	if (!__atomic_load_n(&n_counters, __ATOMIC_ACQUIRE))
		return;
	struct counters *c = find_counters(mpit_traffic_identity(comm));
	if (!c)
		return;
	__atomic_add_fetch(&c->n[is_received ? MPIT_MESSAGES_RECEIVED : MPIT_MESSAGES_SENT], 1, __ATOMIC_RELAXED);
	if (bytes != MPIT_BYTES_UNKNOWN)
		__atomic_add_fetch(&c->n[is_received ? MPIT_BYTES_RECEIVED : MPIT_BYTES_SENT], bytes, __ATOMIC_RELAXED);
}
