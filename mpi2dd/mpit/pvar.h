/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pvar.h
 * Our own performance variables (own_pvars.c has the table).
 */
#ifndef MPIT_PVAR_H
#define MPIT_PVAR_H

#include "mpit.h"

/** Where a number is counted, for a reader outside (include/track_layout.h): unsigned cells of 4 or 8 bytes. */
struct mpit_cells {
	const void *first; /**< NULL: nowhere, it is worked out */
	const void *minus; /**< as many cells that are taken away, or NULL */
	uint32_t bytes, n, stride;
	uint32_t divisor;       /**< of MPIT_DOUBLE */
	const uint32_t *in_use; /**< how many of the n; NULL: all */
};

/**
 * One of ours: a number that the library counts and that is read on demand.
 *
 * A COUNTER, AGGREGATE or TIMER counts from the start of the process; a handle shows what has come since it was
 * started (or reset). A LEVEL, SIZE or STATE shows what is.
 */
struct mpit_own_pvar {
	const char *name, *desc;
	int verbosity, var_class, bind;
	enum mpit_type type; /**< MPIT_UNSIGNED_LONG_LONG, MPIT_DOUBLE or MPIT_INT */
	bool continuous;     /**< cannot be started or stopped */
	bool of_thread;      /**< of the thread that asks */
	/**
	 * Fetch. Takes no lock: is called from signal handlers.
	 * @param object bits of the handle of the bound object; 0: not bound
	 * @param ret uint64_t, or double for MPIT_DOUBLE, int for MPIT_INT; 8 bytes
	 * @return false: there is no such object (any more)
	 */
	bool (*fetch)(uint64_t object, void *ret);
	/** What fetch() looks at, when it is not bound; NULL: worked out. */
	struct mpit_cells (*cells)(void);
	/** How a reader outside works it out, without cells: enum trk_worked_out. */
	uint32_t worked_out;
	/** The same of one that is bound: the counter of an object, of 8 bytes, and the object's number. NULL: none. */
	const uint64_t *(*cell)(uint64_t object, uint64_t *id);
	/** Bits of enum m2d_watch that are wanted while a handle is started: else it is not counted. */
	unsigned watch;
	/**
	 * A handle is made for this object: begin to keep what fetch() shows. With the lock held. And, at any time: the number
	 * that this gave, as long as it is the same object that has this handle. NULL: not needed
	 * @param is_new there are new cells (mpit_mirror_counters())
	 * @return 0: there is no such object
	 */
	uint64_t (*prepare)(uint64_t object, bool *is_new);
	uint64_t (*identity)(uint64_t object);
	/** MPIT_INT: an enumeration, with its name; NULL: none. With the lock held. */
	const struct mpit_enum_item *(*items)(int *n);
	const char *enum_name;
};

extern const struct mpit_own_pvar mpit_own_pvars[];
extern const int mpit_n_own_pvars;

#endif /* MPIT_PVAR_H */
