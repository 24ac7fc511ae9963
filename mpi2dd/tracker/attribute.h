/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file attribute.h
 * Records keyvals, and the attributes of communicators, datatypes and windows. See objects.h.
 */
#ifndef TRK_ATTRIBUTE_H
#define TRK_ATTRIBUTE_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/**
 * A keyval was created. @param copy, delete the program's functions, unchanged. @param language 1 C, 2 Fortran, 3 C++.
 */
void trk_keyval_made(enum trk_kind kind, int key, const void *copy, const void *delete, uint64_t extra_state,
		     unsigned language);
void trk_keyval_freed(int key, uint64_t id);

/** An attribute was set. @param value the pointer, or Fortran's integer. @param language 1 or 2. */
void trk_attribute_set(enum trk_kind kind, uint64_t object, int key, uint64_t value, int language);
void trk_attribute_deleted(enum trk_kind kind, uint64_t object, int key);

/** An object was duplicated: query which attributes the copy has. */
void trk_attributes_copied(enum trk_kind kind, uint64_t from, uint64_t to);

#pragma GCC visibility pop

/** BEFORE of a function that frees a keyval. */
#define FREES_KEYVAL(key)                                                                                              \
	int freed_key = (key) ? *(key) : 0;                                                                            \
	uint64_t freed_id = trk_id(TRK_KEYVAL, (uint32_t)freed_key)

#endif /* TRK_ATTRIBUTE_H */
