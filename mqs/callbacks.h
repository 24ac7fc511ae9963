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

/** Remember the table. NULL, or one without a function that we need, is refused. @return false: refused. */
bool mqs_callbacks_set(const mqs_basic_callbacks *callbacks);

/** The table; NULL before a debugger has given one. */
const mqs_basic_callbacks *mqs_callbacks(void);

/** The debugger's memory. NULL when there is none, or no debugger yet. */
void *mqs_callbacks_alloc(size_t n);

/** Give it back. Takes NULL. */
void mqs_callbacks_release(void *p);

/** The same as an allocator of packs. */
extern const struct acc_pack_alloc mqs_pack_alloc;

#endif /* MQS_CALLBACKS_H */
