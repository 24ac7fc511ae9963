/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file metadirectory.h
 * MPI2DD_info.metadirectory_table: the other worlds that this process knows.
 *
 * A debugger that stops the process at any instruction sees either the old table or the new one. Entries are not
 * removed when their process ends or their world is disconnected, because nothing reports that.
 */
#ifndef M2D_METADIRECTORY_H
#define M2D_METADIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/** The location of a metadirectory. */
struct m2d_metadirectory_place {
	const char *host, *executable; /**< copied */
	int pid;
};

/**
 * Add the given places in one step. This process itself and places that are in the table already (same host and pid)
 * are skipped. If something is new, this process becomes a metadirectory (I_AM_METADIR).
 *
 * @return true: something was new; the caller raises METADIRECTORY_CHANGED once no other process waits for it. false:
 *         nothing new, or out of memory, with the table unchanged. Thread-safe; not from a signal handler.
 */
bool m2d_metadirectory_enter(const struct m2d_metadirectory_place *places, size_t n);

#endif /* M2D_METADIRECTORY_H */
