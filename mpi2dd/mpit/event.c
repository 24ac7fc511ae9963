/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries about event types and sources. The rest is in registration.c and event_handle.c. */
#include "event_type.h"

#include "../calls/calls.h"

#include <limits.h>
#include <string.h>
#include <time.h>

#define E(type) MPIT_##type,
static const struct mpit_event_type types[] = {
#define EVENT(id, name, source, bind, elements, desc)                                                                  \
	{ name, desc, MPIT_SOURCE_##source, MPI_T_BIND_##bind, { elements - 1 } },
#include "own_events.def"
#undef EVENT
};
#undef E

static size_t bytes_of(enum mpit_type type)
{
	switch (type) {
	case MPIT_INT:
	case MPIT_INT32:
		return 4;
	case MPIT_CHAR:
		return 1;
	case MPIT_UNSIGNED_LONG:
		return sizeof(long);
	default:
		return 8;
	}
}

const struct mpit_event_type *mpit_event_type(int index)
{
	return index >= 0 && index < MPIT_N_EVENTS ? &types[index] : NULL;
}

int mpit_event_n_elements(const struct mpit_event_type *type)
{
	int n = 0;

	while (n < MPIT_ELEMENTS_MAX && type->elements[n] >= 0)
		n++;
	return n;
}

size_t mpit_event_element(const struct mpit_event_type *type, int element, size_t *bytes)
{
	size_t at = 0;

	for (int i = 0;; i++) {
		size_t n = bytes_of((enum mpit_type)type->elements[i]);
		at = (at + n - 1) / n * n;
		if (i == element) {
			*bytes = n;
			return at;
		}
		at += n;
	}
}

int64_t mpit_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int mpit_new_info(MPI_Info *info)
{
	/* Open MPI 4.1 aborts the program when an info object is created before MPI_Init or after MPI_Finalize. */
	if (!mpit_mpi_is_up() || !m2d_pmpi.Info_create)
		return MPI_T_ERR_NOT_ACCESSIBLE;
	return m2d_pmpi.Info_create(info) == MPI_SUCCESS ? MPI_SUCCESS : MPI_T_ERR_MEMORY;
}

/* ---- sources ------------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *desc;
	MPI_T_source_order order;
} sources[MPIT_N_SOURCES] = {
	[MPIT_SOURCE_THREADS] = { "mpi2dd",
				  "What the threads of the program do in MPI, told by the thread that does it.",
				  MPI_T_SOURCE_UNORDERED },
	[MPIT_SOURCE_ORDERED] = { "mpi2dd_ordered",
				  "What becomes of communicators, files and processes, in the order in which it was "
				  "seen "
				  "by all threads; told by any of them.",
				  MPI_T_SOURCE_ORDERED },
	[MPIT_SOURCE_WATCHDOG] = { "mpi2dd_watchdog",
				   "What a thread of the library sees that watches the others; told by it.",
				   MPI_T_SOURCE_ORDERED },
};

const char *mpit_source_name(enum mpit_source source, bool *ordered)
{
	*ordered = sources[source].order == MPI_T_SOURCE_ORDERED;
	return sources[source].name;
}

MPIT(source_get_num, (int *num_sources))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!num_sources)
		return mpit_leave(MPI_T_ERR_INVALID);
	*num_sources = MPIT_N_SOURCES;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(source_get_info, (int source_index, char *name, int *name_len, char *desc, int *desc_len,
		       MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks, MPI_Info *info))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (source_index < 0 || source_index >= MPIT_N_SOURCES)
		return mpit_leave(MPI_T_ERR_INVALID_INDEX);
	if (info && (rc = mpit_new_info(info)) != MPI_SUCCESS)
		return mpit_leave(rc);
	mpit_text(sources[source_index].name, name, name_len);
	mpit_text(sources[source_index].desc, desc, desc_len);
	if (ordering)
		*ordering = sources[source_index].order;
	if (ticks_per_second)
		*ticks_per_second = 1000000000;
	if (max_ticks)
		*max_ticks = (MPI_Count)INT64_MAX;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(source_get_timestamp, (int source_index, MPI_Count *timestamp))
{
	int rc = mpit_enter_anywhere();

	if (rc != MPI_SUCCESS)
		return rc;
	if (source_index < 0 || source_index >= MPIT_N_SOURCES)
		return MPI_T_ERR_INVALID_INDEX;
	if (!timestamp)
		return MPI_T_ERR_INVALID;
	*timestamp = (MPI_Count)mpit_now();
	return MPI_SUCCESS;
}

/* ---- types --------------------------------------------------------------------------------------------- */

MPIT(event_get_num, (int *num_events))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!num_events)
		return mpit_leave(MPI_T_ERR_INVALID);
	*num_events = MPIT_N_EVENTS;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(event_get_info, (int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype array_of_datatypes[],
		      MPI_Aint array_of_displacements[], int *num_elements, MPI_T_enum *enumtype, MPI_Info *info,
		      char *desc, int *desc_len, int *bind))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct mpit_event_type *type = mpit_event_type(event_index);
	if (!type)
		return mpit_leave(MPI_T_ERR_INVALID_INDEX);
	if (info && (rc = mpit_new_info(info)) != MPI_SUCCESS)
		return mpit_leave(rc);
	mpit_text(type->name, name, name_len);
	mpit_text(type->desc, desc, desc_len);
	if (verbosity)
		*verbosity = MPI_T_VERBOSITY_USER_BASIC;
	if (num_elements) {
		int n = mpit_event_n_elements(type);
		for (int i = 0; i < n && i < *num_elements; i++) {
			size_t bytes;
			if (array_of_datatypes)
				array_of_datatypes[i] = mpit_datatype((enum mpit_type)type->elements[i]);
			if (array_of_displacements)
				array_of_displacements[i] = (MPI_Aint)mpit_event_element(type, i, &bytes);
		}
		*num_elements = n;
	}
	if (enumtype)
		*enumtype = MPI_T_ENUM_NULL;
	if (bind)
		*bind = type->bind;
	return mpit_leave(MPI_SUCCESS);
}

int mpit_event_index(const char *name)
{
	for (int i = 0; i < MPIT_N_EVENTS; i++)
		if (strcmp(types[i].name, name) == 0)
			return i;
	return -1;
}

MPIT(event_get_index, (const char *name, int *event_index))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!name || !event_index)
		return mpit_leave(MPI_T_ERR_INVALID);
	int index = mpit_event_index(name);
	if (index < 0)
		return mpit_leave(MPI_T_ERR_INVALID_NAME);
	*event_index = index;
	return mpit_leave(MPI_SUCCESS);
}
