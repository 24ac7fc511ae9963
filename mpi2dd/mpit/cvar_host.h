/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cvar_host.h
 * A control variable of the host: what is said of it, and its value. With the lock held.
 */
#ifndef MPIT_CVAR_HOST_H
#define MPIT_CVAR_HOST_H

#include "mpit.h"

/** MPI2DD_WRITE_ENUMS: may Open MPI's variables with an enumeration be written? 0 or 1, from the environment. */
extern int mpit_write_enums;

/** What we say of it: as the host does, but true. */
struct mpit_cvar_host {
	char *name, *desc;
	int verbosity, bind, scope;
	MPI_Datatype datatype;
	MPI_T_enum enumtype; /**< a handle of ours */
};

/**
 * Ask.
 *
 * @param[out] ret name and description are the caller's, who frees them. Untouched on failure.
 * @return MPI_SUCCESS; the host's code when it has no such variable (any more), or MPI_T_ERR_MEMORY
 */
int mpit_cvar_host_ask(const struct mpit_host *host, int index, struct mpit_cvar_host *ret);

/** Longest text that is read, with its end. */
enum { MPIT_TEXT_BYTES = 1 << 18 };

/**
 * Read the value: @p count elements, never more. A text that is longer is cut.
 *
 * @return MPI_SUCCESS; MPI_T_ERR_NOT_ACCESSIBLE: the host has unloaded it; the host's code
 */
int mpit_cvar_host_read(const struct mpit_host *host, MPI_Datatype datatype, MPI_T_cvar_handle handle, int count,
			void *buf);

/** How many elements a handle has: of a text, as many as it needs now, if the host counts less. */
int mpit_cvar_host_count(const struct mpit_host *host, MPI_Datatype datatype, MPI_T_cvar_handle handle, int count);

#endif /* MPIT_CVAR_HOST_H */
