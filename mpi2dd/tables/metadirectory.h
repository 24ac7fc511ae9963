/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file metadirectory.h
 * MPI2DD_info.metadirectory_table: the other worlds that this process can point at.
 *
 * A debugger that stops the process at any instruction sees the table as it was or as it is to be. Entries stay when
 * their process ends or their world is disconnected: nothing tells of that.
 */
#ifndef M2D_METADIRECTORY_H
#define M2D_METADIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct m2d_metadirectory_place {
	const char *host, *executable; /**< copied */
	int pid;
};

/**
 * Enter places, all at once; this process itself, and places (host and pid) that are there already, are left out.
 * When something is new this process becomes a metadirectory (I_AM_METADIR).
 *
 * @return true: something was new; the caller emits METADIRECTORY_CHANGED when no process waits for it any more. On a lack
 *         of memory nothing changes. Any thread; not from a signal handler.
 */
bool m2d_metadirectory_enter(const struct m2d_metadirectory_place *places, size_t n);

#endif /* M2D_METADIRECTORY_H */
