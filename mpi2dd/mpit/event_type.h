/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file event_type.h
 * A type of events: its name, its source, what it is bound to, the elements of its data.
 */
#ifndef MPIT_EVENT_TYPE_H
#define MPIT_EVENT_TYPE_H

#include "event.h"

struct mpit_event_type {
	const char *name, *desc;
	enum mpit_source source;
	int bind;                            /**< MPI_T_BIND_* */
	int elements[MPIT_ELEMENTS_MAX + 1]; /**< enum mpit_type, then -1 */
};

/** The type, or NULL. */
const struct mpit_event_type *mpit_event_type(int index);

/** Name of a source. */
const char *mpit_source_name(enum mpit_source source, bool *ordered);

int mpit_event_n_elements(const struct mpit_event_type *type);

/** Where an element lies in a copy of the data, in bytes, and how long it is: naturally aligned, the first at 0. */
size_t mpit_event_place(const struct mpit_event_type *type, int element, size_t *bytes);

/** A new info object without pairs. @return MPI_T_ERR_NOT_ACCESSIBLE while MPI cannot make one. */
int mpit_new_info(MPI_Info *info);

#endif /* MPIT_EVENT_TYPE_H */
