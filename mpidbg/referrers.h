/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file referrers.h
 * The users of an object: other objects that refer to it, and calls in progress that use it.
 *
 * References are compared by number if the referring record has one, otherwise by handle value. The users of an
 * earlier object (MDL_EARLIER), whose handle value belongs to another object now, are then unknown.
 */
#ifndef MPIDBG_REFERRERS_H
#define MPIDBG_REFERRERS_H

#include "describe.h"
#include "query.h"

/**
 * Write all lists and the calls. In a list of many objects this
 * stops at a limit of cost; the rest is null with the reason.
 */
void mpidbg_write_referrers(struct mpidbg_description *d, const struct mdl_handle *h);

/* ---- for queries; as the functions of query.h -------------------------------------------------------------------- */

/** Can the objects of kind @p user that refer to one of kind @p used be found in this process? */
bool mpidbg_users_known(struct rd_track *t, enum mdl_handle_kind user, enum mdl_handle_kind used);

/**
 * Handles of the live objects of a kind that refer to @p to.
 * If they cannot be found, there are none, and @p bit is set.
 */
mqs_taddr_t *mpidbg_fill_users(struct mpidbg_fill *f, uint64_t bit, const struct mdl_handle *to,
			       enum mdl_handle_kind kind, int *n);

/** Users of all kinds that can have an error handler or an info, and the kind of each (enum mpidbg_handle_kind_t). */
mqs_taddr_t *mpidbg_fill_all_users(struct mpidbg_fill *f, uint64_t bit, const struct mdl_handle *to, int **kinds,
				   int *n);

/** Calls in progress that use the object. */
struct mpidbg_call_t *mpidbg_fill_calls(struct mpidbg_fill *f, uint64_t bit, const struct mdl_handle *to, int *n);

#endif /* MPIDBG_REFERRERS_H */
