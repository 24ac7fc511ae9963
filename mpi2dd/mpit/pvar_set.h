/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pvar_set.h
 * The set of performance variables, ours and the host's, used by sessions and handles. With the lock held.
 */
#ifndef MPIT_PVAR_SET_H
#define MPIT_PVAR_SET_H

#include "pvar.h"

struct mpit_pvar {
	const struct mpit_own_pvar *own; /**< NULL: it is the host's */
	int host_index;
	char *name, *desc;
	int verbosity, var_class, bind, readonly, continuous, atomic;
	MPI_Datatype datatype;
	MPI_T_enum enumtype;
};

/** The number of known variables; the host is not asked for new ones. */
int mpit_pvars_known(void);

/** The variable with this index, or NULL. Valid until the lock is released. */
const struct mpit_pvar *mpit_pvar_at(int index);

/** @return MPI_SUCCESS if the host still has the variable under its index, else MPI_T_ERR_NOT_ACCESSIBLE. */
int mpit_pvar_still_exists(const struct mpit_pvar *p);

#endif /* MPIT_PVAR_SET_H */
