/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_table.h
 * The tables of the mirror: their memory, and how records are written so that they stay readable when the process is
 * stopped at any instruction.
 *
 *  struct trk_cvar *r = mpit_row(MPIT_CVARS, index);
 *  if (r) { mpit_row_change(r); r->...; mpit_row_changed(r); }
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

/** Maximum size of a value that can be read. */
enum { MPIT_VALUE_BYTES = 256 * 1024 };

/** Allocate the tables, once. @return false: out of memory */
bool mpit_tables(void);

/** The record with this index, created if necessary; NULL: out of memory, or the table is full, which is counted. */
void *mpit_row(enum mpit_table table, int index);

/** The record with this index; NULL if mpit_row() was never called for it. */
void *mpit_row_known(enum mpit_table table, int index);

/** The number of records used so far; the capacity; count a record for which there was no room. */
int mpit_rows(enum mpit_table table);
int mpit_rows_max(enum mpit_table table);
void mpit_row_dropped(enum mpit_table table);

/** Begin and end a change of a record: its sequence becomes odd, then even. The second makes a new record live. */
void mpit_row_change(void *row);
void mpit_row_changed(void *row);

/**
 * Replace the elements of a list, in place if they fit. Between mpit_row_change() and mpit_row_changed().
 *
 * If there is no room, the list is empty, and its total says how many elements there should be.
 */
void mpit_list(struct trk_span *list, const void *elements, size_t n, size_t element_bytes);

/** Buffer for one value that is being read: MPIT_VALUE_BYTES. */
void *mpit_value_buffer(void);

#pragma GCC visibility pop

#endif /* MPIT_MIRROR_TABLE_H */
