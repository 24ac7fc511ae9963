/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file alloc_permanent.h
 * Memory for what a debugger reads: never released, never moved, apart from the program's heap, whose calls and
 * contents stay as they would be without us. For tables, not for hot paths: it locks, and may ask the kernel.
 */
#ifndef M2D_ALLOC_PERMANENT_H
#define M2D_ALLOC_PERMANENT_H

#include <stddef.h>

/** Zeroed bytes, aligned as for any type; NULL: no memory. errno stays. Any thread. */
void *m2d_alloc_permanent(size_t bytes);

/** A copy of a text; NULL: no memory. */
const char *m2d_copy_permanent(const char *text);

#endif /* M2D_ALLOC_PERMANENT_H */
