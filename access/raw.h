/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file raw.h
 * Reads bytes of the target through the debugger's callbacks. Used only by cache.c and space.c; acc_array(), which
 * allocates memory through the callbacks, is in the same file and declared in space.h.
 */
#ifndef ACC_RAW_H
#define ACC_RAW_H

#include "space.h"

/** One call of the debugger's read callback, counted. At most ACC_READ_BYTES_MAX bytes. */
bool acc_raw_read(struct acc_space *sp, uint64_t addr, size_t n, void *ret);

#endif /* ACC_RAW_H */
