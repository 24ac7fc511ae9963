/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own categories. */
#include "category.h"

static const char *const library_cvars[] = { "MPI2DD_VERSION", NULL };
static const char *const event_pvars[] = { "mpi2dd_event_listeners", NULL };
#define EVENT(id, name, source, bind, elements, desc) name,
static const char *const events[] = {
#include "own_events.def"
	NULL
};
#undef EVENT

const struct mpit_own_category mpit_own_categories[] = {
	{ .name = "MPI2DD", .desc = "The in-target library of mpidbg.", .cvars = library_cvars },
	{ .name = "MPI2DD_events", .desc = "Events.", .parent = "MPI2DD", .pvars = event_pvars, .events = events },
};
const int mpit_n_own_categories = sizeof(mpit_own_categories) / sizeof(mpit_own_categories[0]);
