/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pvar.h
 * Our own performance variables (own_pvars.c has the table).
 */
#ifndef MPIT_PVAR_H
#define MPIT_PVAR_H

#include "mpit.h"

/** Where a number is counted, for an outside reader (include/track_layout.h): unsigned cells of 4 or 8 bytes. */
struct mpit_cells {
	const void *first; /**< NULL: not counted in cells, but computed */
	const void *minus; /**< the same number of cells to be subtracted, or NULL */
	uint32_t bytes, n, stride;
	uint32_t divisor;       /**< for MPIT_DOUBLE: the sum is divided by it */
	const uint32_t *in_use; /**< how many of the n cells are in use; NULL: all */
};

/**
 * One of our variables: a number that the library counts and that is read on demand.
 *
 * A COUNTER, AGGREGATE or TIMER counts from the start of the process; a handle shows the increase since it was started
 * or reset. A LEVEL, SIZE or STATE shows the current value.
 */
struct mpit_own_pvar {
	const char *name, *desc;
	int verbosity, var_class, bind;
	enum mpit_type type; /**< MPIT_UNSIGNED_LONG_LONG, MPIT_DOUBLE or MPIT_INT */
	bool continuous;     /**< cannot be started or stopped */
	bool of_thread;      /**< a value of the calling thread */
	/**
	 * Get the value. Takes no lock: it is called from signal handlers.
	 * @param object bits of the handle of the bound object; 0: not bound
	 * @param[out] ret uint64_t, double for MPIT_DOUBLE, or int for MPIT_INT; 8 bytes
	 * @return false: there is no such object (any more)
	 */
	bool (*fetch)(uint64_t object, void *ret);
	/** The cells that fetch() reads, for a variable that is not bound; NULL: it is computed. */
	struct mpit_cells (*cells)(void);
	/** How an outside reader computes the value without cells: enum trk_worked_out. */
	uint32_t worked_out;
	/** For a bound variable: an object's counter, 8 bytes, and the object's number. NULL: none. */
	const uint64_t *(*cell)(uint64_t object, uint64_t *id);
	/** Bits of enum m2d_watch needed while a handle is started; without them nothing is counted. */
	unsigned watch;
	/**
	 * prepare: a handle is created for this object: start to count for it. With
	 * the lock held. identity, at any time: the number that prepare returned,
	 * as long as the handle value belongs to the same object. NULL: not needed.
	 * @param[out] is_new there are new cells (mpit_mirror_counters())
	 * @return 0: there is no such object
	 */
	uint64_t (*prepare)(uint64_t object, bool *is_new);
	uint64_t (*identity)(uint64_t object);
	/** For MPIT_INT: an enumeration and its name; NULL: none. With the lock held. */
	const struct mpit_enum_item *(*items)(int *n);
	const char *enum_name;
};

extern const struct mpit_own_pvar mpit_own_pvars[];
extern const int mpit_n_own_pvars;

#endif /* MPIT_PVAR_H */
