/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_table.h
 * The tables of the mirror: their memory, and writing a record so that a stop at any instruction leaves it readable.
 *
 *   struct trk_cvar *r = mpit_row(MPIT_CVARS, index);
 *   if (r) { mpit_row_change(r); r->...; mpit_row_changed(r); }
 *
 * With MPI_T's lock held.
 */
#ifndef MPIT_MIRROR_TABLE_H
#define MPIT_MIRROR_TABLE_H

#include "../../include/track_layout.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum mpit_table { MPIT_CVARS, MPIT_PVARS, MPIT_CATEGORIES, MPIT_EVENTS, MPIT_REGISTRATIONS, MPIT_TABLES };

/** Bytes of the longest value that can be read. */
enum { MPIT_VALUE_BYTES = 256 * 1024 };

/** Make the tables, once. @return false: no memory */
bool mpit_tables(void);

/** A record by index; NULL: no memory, or no room, which is counted. */
void *mpit_row(enum mpit_table table, int index);

/** As mpit_row(), but NULL when it was never asked for. */
void *mpit_row_known(enum mpit_table table, int index);

/** Records from which on none was ever used; room for records. */
int mpit_rows(enum mpit_table table);
int mpit_rows_max(enum mpit_table table);
void mpit_row_dropped(enum mpit_table table);

/** Around a change of a record: its sequence becomes odd, and even. The second makes a new one live. */
void mpit_row_change(void *row);
void mpit_row_changed(void *row);

/**
 * Give a list of a record other elements, in its old place when they fit. Between change and changed.
 *
 * When there is no room the list is empty, and its total tells how many there should be.
 */
void mpit_list(struct trk_span *list, const void *elements, size_t n, size_t element_bytes);

/** Room for one value that is being read: MPIT_VALUE_BYTES. */
void *mpit_value_room(void);

#pragma GCC visibility pop

#endif /* MPIT_MIRROR_TABLE_H */
