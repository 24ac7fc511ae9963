/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file callbacks.h
 * The debugger's basic callbacks: the only table that the interface requires to be stored globally.
 */
#ifndef MQS_CALLBACKS_H
#define MQS_CALLBACKS_H

#include "../access/pack.h"
#include "export.h"

#include <stdbool.h>

/** Store the table. @return false: refused, because it is NULL or lacks a required function. */
bool mqs_callbacks_set(const mqs_basic_callbacks *callbacks);

/** The table; NULL before a debugger has passed one. */
const mqs_basic_callbacks *mqs_callbacks(void);

/** Allocate the debugger's memory. NULL: out of memory, or no debugger so far. */
void *mqs_callbacks_alloc(size_t n);

/** Free such memory. NULL is accepted. */
void mqs_callbacks_release(void *p);

/** The same functions as an allocator for packs. */
extern const struct acc_pack_alloc mqs_pack_alloc;

#endif /* MQS_CALLBACKS_H */
