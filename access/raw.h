/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file raw.h
 * Bytes of the target straight from the debugger's callbacks. Below cache.c and space.c, which alone use it; the memory that
 * the callbacks give, acc_array(), is in the same file and is declared in space.h.
 */
#ifndef ACC_RAW_H
#define ACC_RAW_H

#include "space.h"

/** One call of the debugger's read callback, counted. At most ACC_READ_BYTES_MAX bytes. */
bool acc_raw_read(struct acc_space *sp, uint64_t addr, size_t n, void *ret);

#endif /* ACC_RAW_H */
