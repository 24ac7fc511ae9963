/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cvar.h
 * Our own control variables: knobs of the library, named as their environment variables (own_cvars.c has the table).
 */
#ifndef MPIT_CVAR_H
#define MPIT_CVAR_H

#include "mpit.h"

/** One of ours. An integer, or a text when @p text is given, or a large number when @p large is. */
struct mpit_own_cvar {
	const char *name, *desc;
	int verbosity, scope;
	int *number;
	const uint64_t *large; /**< MPI_UNSIGNED_LONG_LONG; cannot be written */
	char *text;
	int text_bytes;
	/** Take a new value: MPI_SUCCESS, MPI_T_ERR_CVAR_SET_NOT_NOW or _NEVER. NULL: it cannot be written. */
	int (*write)(const struct mpit_own_cvar *cvar, const void *value);
	const char *enum_name;
	const struct mpit_enum_item *items; /**< NULL: no enumeration */
	int n_items;
};

extern const struct mpit_own_cvar mpit_own_cvars[];
extern const int mpit_n_own_cvars;

/** A control variable, ours or the host's. Pointers are borrowed and permanent. */
struct mpit_cvar_facts {
	const struct mpit_own_cvar *own; /**< NULL: the host's */
	int host_index;                  /**< -1: ours */
	const char *name, *desc;
	int verbosity, bind, scope;
	MPI_Datatype datatype;
	MPI_T_enum enumtype;
};

/** Control variables that have been seen; nothing new is looked for. With the lock held. */
int mpit_cvars_seen(void);
bool mpit_cvar_facts(int index, struct mpit_cvar_facts *ret);

/**
 * mpit_enter(), and the variable with this index, which is looked for when it has not been seen.
 *
 * @return MPI_SUCCESS: entered; MPI_T_ERR_INVALID_INDEX and what mpit_enter() returns: not entered, @p ret untouched
 */
int mpit_cvar_enter(int index, struct mpit_cvar_facts *ret);

/**
 * Does the host, which may be NULL, still have this variable under its index? With the lock held.
 *
 * @return MPI_SUCCESS, or MPI_T_ERR_NOT_ACCESSIBLE
 */
int mpit_cvar_still_there(const struct mpit_host *host, const struct mpit_cvar_facts *c);

/**
 * Read a variable of the host's that is bound to nothing. With the lock held.
 *
 * @param room of MPIT_VALUE_BYTES
 * @return MPI_SUCCESS; MPI_T_ERR_NOT_ACCESSIBLE: it is not there any more; the host's code
 */
int mpit_cvar_fetch(int index, void *room, size_t bytes, int *count);

#endif /* MPIT_CVAR_H */
