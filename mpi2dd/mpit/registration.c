/* SPDX-License-Identifier: BSD-3-Clause */
#include "registration.h"

struct mpit_registration *mpit_registrations[MPIT_N_EVENTS];
int mpit_n_listeners[MPIT_N_EVENTS];
int mpit_n_raising;
int mpit_source_has_lost[MPIT_N_SOURCES];

static __thread int raising_here __attribute__((tls_model("initial-exec"))); /* this thread's share of mpit_n_raising */

void mpit_raising_begins(void)
{
	raising_here++;
	__atomic_add_fetch(&mpit_n_raising, 1, __ATOMIC_SEQ_CST);
}

void mpit_raising_ends(void)
{
	__atomic_sub_fetch(&mpit_n_raising, 1, __ATOMIC_SEQ_CST);
	raising_here--;
}

bool mpit_raising_elsewhere(void)
{
	return __atomic_load_n(&mpit_n_raising, __ATOMIC_SEQ_CST) != raising_here;
}

void mpit_registration_finish(struct mpit_registration *r, MPI_T_cb_safety context)
{
	int before = 0;

	if (!__atomic_load_n(&r->freed, __ATOMIC_ACQUIRE) || __atomic_load_n(&r->running, __ATOMIC_ACQUIRE) != 0 ||
	    !__atomic_compare_exchange_n(&r->finished, &before, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	if (r->free_function)
		r->free_function((MPI_T_event_registration)r->handle, context, r->free_user_data);
}
