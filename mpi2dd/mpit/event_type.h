/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file event_type.h
 * An event type: its name, its source, what it is bound to, and the elements of its data.
 */
#ifndef MPIT_EVENT_TYPE_H
#define MPIT_EVENT_TYPE_H

#include "event.h"

struct mpit_event_type {
	const char *name, *desc;
	enum mpit_source source;
	int bind;                            /**< MPI_T_BIND_* */
	int elements[MPIT_ELEMENTS_MAX + 1]; /**< enum mpit_type of each, then -1 */
};

/** The type with this index, or NULL. Static. */
const struct mpit_event_type *mpit_event_type(int index);

/** The name of a source. @param[out] ordered does it deliver events in order? */
const char *mpit_source_name(enum mpit_source source, bool *ordered);

int mpit_event_n_elements(const struct mpit_event_type *type);

/**
 * The offset and size of an element in a copy of the data, in bytes. Elements are naturally aligned; the first is at 0.
 */
size_t mpit_event_element(const struct mpit_event_type *type, int element, size_t *bytes);

/** Create an empty info object. @return MPI_T_ERR_NOT_ACCESSIBLE when MPI cannot create one now. */
int mpit_new_info(MPI_Info *info);

#endif /* MPIT_EVENT_TYPE_H */
