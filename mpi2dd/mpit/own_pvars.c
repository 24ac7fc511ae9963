/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own performance variables. */
#include "event.h"
#include "pvar.h"

static bool listeners(uint64_t object, void *ret)
{
	uint64_t n = 0;

	(void)object;
	for (int i = 0; i < MPIT_N_EVENTS; i++)
		n += (uint64_t)__atomic_load_n(&mpit_n_listeners[i], __ATOMIC_RELAXED);
	*(uint64_t *)ret = n;
	return true;
}

const struct mpit_own_pvar mpit_own_pvars[] = {
	{ .name = "mpi2dd_event_listeners",
	  .desc = "Registrations for events that have a callback.",
	  .verbosity = MPI_T_VERBOSITY_USER_DETAIL,
	  .var_class = MPI_T_PVAR_CLASS_LEVEL,
	  .bind = MPI_T_BIND_NO_OBJECT,
	  .type = MPIT_UNSIGNED_LONG_LONG,
	  .continuous = true,
	  .fetch = listeners },
};
const int mpit_n_own_pvars = sizeof(mpit_own_pvars) / sizeof(mpit_own_pvars[0]);
