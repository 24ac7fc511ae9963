/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file object_refs.h
 * The objects to which an object refers.
 */
#ifndef MPIDBG_OBJECT_REFS_H
#define MPIDBG_OBJECT_REFS_H

#include "../model/handle.h"

struct mpidbg_ref {
	const char *role; /**< "errhandler", the key in JSON; static */
	enum mdl_handle_kind kind;
	struct mdl_num handle,
		id; /**< if the number is known, it decides: the handle value may belong to another object */
};

enum { MPIDBG_REFS_MAX = 5 };

/** The references that an object has, known or not. @return their number; those that do not apply are left out */
size_t mpidbg_refs_of(const struct mdl_handle *h, struct mpidbg_ref ret[MPIDBG_REFS_MAX]);

/** Does a reference lead to this object? */
bool mpidbg_ref_is(const struct mpidbg_ref *ref, const struct mdl_handle *to);

/** Does any reference of an object lead to another one? */
bool mpidbg_refers(const struct mdl_handle *h, const struct mdl_handle *to);

#endif /* MPIDBG_OBJECT_REFS_H */
