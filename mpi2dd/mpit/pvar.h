/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pvar.h
 * Our own performance variables (own_pvars.c has the table).
 */
#ifndef MPIT_PVAR_H
#define MPIT_PVAR_H

#include "mpit.h"

/**
 * One of ours: a number that the library counts anyhow, read when it is asked for.
 *
 * A COUNTER, AGGREGATE or TIMER counts from the start of the process; a handle shows what has come since it was
 * started (or reset). A LEVEL, SIZE or STATE shows what is.
 */
struct mpit_own_pvar {
	const char *name, *desc;
	int verbosity, var_class, bind;
	enum mpit_type type; /**< MPIT_UNSIGNED_LONG_LONG or MPIT_DOUBLE */
	bool continuous;     /**< cannot be started or stopped */
	/**
	 * Fetch. Takes no lock: is called from signal handlers.
	 * @param object bits of the handle of the bound object; 0: not bound
	 * @param ret uint64_t, or double for MPIT_DOUBLE
	 * @return false: there is no such object (any more)
	 */
	bool (*fetch)(uint64_t object, void *ret);
};

extern const struct mpit_own_pvar mpit_own_pvars[];
extern const int mpit_n_own_pvars;

#endif /* MPIT_PVAR_H */
