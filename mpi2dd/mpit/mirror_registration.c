/* SPDX-License-Identifier: BSD-3-Clause */
/* Registrations in the mirror. Raising an event updates the counters in these records directly. */
#include "mirror.h"
#include "mirror_table.h"

enum { LEVELS = 4 };

/* Shared by all registrations that find no room; not visible to readers. */
static struct trk_registration nobody;

/* A record that was never used, or whose registration was freed and is not used by any thread. */
static struct trk_registration *place(void)
{
	int n = mpit_tables() ? mpit_rows(MPIT_REGISTRATIONS) : 0;
	struct trk_registration *r;

	if (n < mpit_rows_max(MPIT_REGISTRATIONS))
		return mpit_row(MPIT_REGISTRATIONS, n);
	for (int i = 0; i < n; i++) {
		r = mpit_row_known(MPIT_REGISTRATIONS, i);
		if (r->state == TRK_FREED && r->spare)
			return r;
	}
	mpit_row_dropped(MPIT_REGISTRATIONS);
	return NULL;
}

struct trk_registration *mpit_mirror_registration(int event, uint64_t object, uintptr_t handle)
{
	struct trk_registration *r = place();

	if (!r)
		return &nobody;
	mpit_mirror_list_own(); /* includes the event types, in case MPI is not initialized yet */
	mpit_row_change(r);
	uint32_t sequence = r->sequence;
	*r = (struct trk_registration){ .sequence = sequence, .event = event, .handle = handle, .object = object };
	mpit_row_changed(r);
	return r;
}

void mpit_mirror_callback(struct trk_registration *r, int level, uint64_t function)
{
	uint64_t *const levels[LEVELS] = { &r->callback_none, &r->callback_mpi_restricted, &r->callback_thread_safe,
					   &r->callback_async_signal_safe };

	if (r != &nobody && level >= 0 && level < LEVELS)
		__atomic_store_n(levels[level], function, __ATOMIC_RELEASE);
}

void mpit_mirror_dropped_handler(struct trk_registration *r, uint64_t function)
{
	if (r != &nobody)
		__atomic_store_n(&r->dropped_handler, function, __ATOMIC_RELEASE);
}

void mpit_mirror_registration_freed(struct trk_registration *r)
{
	if (r != &nobody)
		r->state = TRK_FREED;
}

void mpit_mirror_registration_unused(struct trk_registration *r)
{
	if (r != &nobody)
		r->spare = 1;
}
