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

/** A list of users of one kind. */
struct mpidbg_referrers {
	const char *key; /**< "windows" */
	enum mdl_handle_kind kind;
	mpidbg_refers *refers;
};

/** The lists that objects of a kind have; static. */
const struct mpidbg_referrers *mpidbg_referrers_of(enum mdl_handle_kind kind, size_t *n);

/** Can calls have objects of this kind as arguments? */
bool mpidbg_has_calls(enum mdl_handle_kind kind);

/** Is this object an argument of the call? */
bool mpidbg_call_uses(const struct mdl_call *c, const struct mdl_handle *to);

/**
 * Write all lists and the calls. In a list of many objects this stops at a limit of cost; the rest is null with
 * the reason.
 */
void mpidbg_write_referrers(struct mpidbg_description *d, const struct mdl_handle *h);

/* ---- for queries; as the functions of query.h -------------------------------------------------------------------- */

/** All users of one kind. @p list: index in mpidbg_referrers_of() */
mqs_taddr_t *mpidbg_fill_list(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle *to, size_t list, int *n);

/** The lists of all kinds joined: handles, and the kind of each (enum mpidbg_handle_kind_t). */
mqs_taddr_t *mpidbg_fill_lists(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle *to, int **kinds, int *n);

/** Calls in progress that use the object. */
struct mpidbg_call_t *mpidbg_fill_calls(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle *to, int *n);

#endif /* MPIDBG_REFERRERS_H */
