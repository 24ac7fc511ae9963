/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cvar_host.h
 * A control variable of the host: its description, corrected
 * where the host's is wrong, and its value. With the lock held.
 */
#ifndef MPIT_CVAR_HOST_H
#define MPIT_CVAR_HOST_H

#include "mpit.h"

/** MPI2DD_WRITE_ENUMS: 1 if Open MPI's variables with an enumeration may be written, else 0. From the environment. */
extern int mpit_write_enums;

/** The description that we report: the host's, with known errors corrected. */
struct mpit_cvar_host {
	char *name, *desc;
	int verbosity, bind, scope;
	MPI_Datatype datatype;
	MPI_T_enum enumtype; /**< one of our handles */
	bool lost;           /**< the host keeps the value in memory that is reused: not accessible */
};

/**
 * Query the description.
 *
 * @param[out] ret the caller frees name and description. Unchanged on failure.
 * @return MPI_SUCCESS; the host's code if it has no such variable (any more), or MPI_T_ERR_MEMORY
 */
int mpit_cvar_host_query(const struct mpit_host *host, int index, struct mpit_cvar_host *ret);

/** Is the memory of the host's value used for something else,
 * or not mapped any more? Then it must not be read or written. */
bool mpit_cvar_host_is_lost(int index, MPI_Datatype datatype);

/** Size of the longest string that is read, with its NUL. */
enum { MPIT_TEXT_BYTES = 1 << 18 };

/**
 * Read the value: @p count elements, never more. A longer string is cut off.
 *
 * @return MPI_SUCCESS; MPI_T_ERR_NOT_ACCESSIBLE: the host has unloaded the variable; else the host's error code
 */
int mpit_cvar_host_read(const struct mpit_host *host, MPI_Datatype datatype, MPI_T_cvar_handle handle, int count,
			void *buf);

/** The number of elements of a handle. For a string, at least the current length, even if the host reports less. */
int mpit_cvar_host_count(const struct mpit_host *host, MPI_Datatype datatype, MPI_T_cvar_handle handle, int count);

#endif /* MPIT_CVAR_HOST_H */
