/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file alloc_permanent.h
 * Memory for data that a debugger reads: it is never freed and never moved. It comes from the kernel, not from the
 * program's heap, so that the program's allocations are the same as without the library. Not for hot paths: it takes a
 * lock and may call mmap().
 */
#ifndef M2D_ALLOC_PERMANENT_H
#define M2D_ALLOC_PERMANENT_H

#include <stddef.h>

/**
 * Zeroed memory, aligned for any type; NULL: out of memory. Preserves errno. Thread-safe; not from a signal handler.
 */
void *m2d_alloc_permanent(size_t bytes);

/** A permanent copy of a string; NULL: out of memory. */
const char *m2d_copy_permanent(const char *text);

#endif /* M2D_ALLOC_PERMANENT_H */
