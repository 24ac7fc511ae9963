/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cvar.h
 * Our own control variables: settings of the library, with the
 * names of their environment variables (own_cvars.c has the table).
 */
#ifndef MPIT_CVAR_H
#define MPIT_CVAR_H

#include "mpit.h"

/** One of our variables: an integer in @p number, or a string in @p text, or a large number in @p large. */
struct mpit_own_cvar {
	const char *name, *desc;
	int verbosity, scope;
	int *number;
	const uint64_t *large; /**< MPI_UNSIGNED_LONG_LONG; read-only */
	char *text;
	int text_bytes;
	/**
	 * Set a new value. Returns MPI_SUCCESS, MPI_T_ERR_CVAR_SET_NOT_NOW
	 * or MPI_T_ERR_CVAR_SET_NEVER. NULL: read-only.
	 */
	int (*write)(const struct mpit_own_cvar *cvar, const void *value);
	const char *enum_name;
	const struct mpit_enum_item *items; /**< NULL: no enumeration */
	int n_items;
};

extern const struct mpit_own_cvar mpit_own_cvars[];
extern const int mpit_n_own_cvars;

/** Facts about a control variable, ours or the host's. Pointers are borrowed and permanent. */
struct mpit_cvar_facts {
	const struct mpit_own_cvar *own; /**< NULL: it is the host's */
	int host_index;                  /**< -1: it is ours */
	const char *name, *desc;
	int verbosity, bind, scope;
	MPI_Datatype datatype;
	MPI_T_enum enumtype;
	bool lost; /**< the host's, and its value is not accessible (cvar_host.h) */
};

/**
 * The number of known control variables (the host is not asked for new ones), and the facts of one. With the lock held.
 * @return false: no such index.
 */
int mpit_cvars_known(void);
bool mpit_cvar_facts(int index, struct mpit_cvar_facts *ret);

/**
 * Call mpit_enter() and find the variable with this index, asking the host for new variables if necessary.
 *
 * @return MPI_SUCCESS: entered; MPI_T_ERR_INVALID_INDEX or an error of mpit_enter(): not entered, @p ret unchanged
 */
int mpit_cvar_enter(int index, struct mpit_cvar_facts *ret);

/**
 * Does the host still have this variable under its index? @param host may be NULL. With the lock held.
 *
 * @return MPI_SUCCESS, or MPI_T_ERR_NOT_ACCESSIBLE
 */
int mpit_cvar_still_exists(const struct mpit_host *host, const struct mpit_cvar_facts *c);

/**
 * Read a variable of the host that is not bound to an object. With the lock held.
 *
 * @param room buffer of @p bytes, at least MPIT_VALUE_BYTES
 * @param[out] count number of elements
 * @return MPI_SUCCESS; MPI_T_ERR_NOT_ACCESSIBLE: it no longer exists; else the host's error code
 */
int mpit_cvar_fetch(int index, void *room, size_t bytes, int *count);

#endif /* MPIT_CVAR_H */
