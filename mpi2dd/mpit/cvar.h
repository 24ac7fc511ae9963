/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cvar.h
 * Our own control variables: knobs of the library, named as their environment variables (own_cvars.c has the table).
 */
#ifndef MPIT_CVAR_H
#define MPIT_CVAR_H

#include "mpit.h"

/** One of ours. An integer, or a text when @p text is given. */
struct mpit_own_cvar {
	const char *name, *desc;
	int verbosity, scope;
	int *number;
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

#endif /* MPIT_CVAR_H */
