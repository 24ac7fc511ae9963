/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file describe.h
 * The registry's description of its own types, fields and calls.
 */
#ifndef TRK_DESCRIBE_H
#define TRK_DESCRIBE_H

#include "../../include/track_layout.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/** Fill in types, fields and names of calls in the head. */
void trk_describe(struct trk_registry *registry);

/** The fields of a kind of record, and its type with the size. Static; valid after trk_describe(). */
const struct trk_field *trk_fields_of(enum trk_kind kind, size_t *n);
const struct trk_type *trk_type_of(enum trk_kind kind);

#pragma GCC visibility pop

#endif /* TRK_DESCRIBE_H */
