/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file keep.h
 * Memory for what a debugger reads: never released, never moved, apart from the program's heap, whose calls and
 * contents stay as they would be without us. For tables, not for hot paths: it locks, and may ask the kernel.
 */
#ifndef M2D_KEEP_H
#define M2D_KEEP_H

#include <stddef.h>

/** Zeroed bytes, aligned as for any type; NULL: no memory. errno stays. Any thread. */
void *m2d_keep(size_t bytes);

/** A copy of a text; NULL: no memory. */
const char *m2d_keep_text(const char *text);

#endif /* M2D_KEEP_H */
