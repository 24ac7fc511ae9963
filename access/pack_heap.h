/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file pack_heap.h
 * Layout packs on the heap. Not for the plugin, which allocates from the debugger.
 */
#ifndef ACC_PACK_HEAP_H
#define ACC_PACK_HEAP_H

#include "pack.h"

#include <stdlib.h>

static inline void *acc_pack_heap_alloc(void *ctx, size_t n)
{
	(void)ctx;
	return malloc(n);
}

static inline void acc_pack_heap_release(void *ctx, void *p)
{
	(void)ctx;
	free(p);
}

/** For acc_pack_parse() and the like. */
static const struct acc_pack_alloc acc_pack_heap = { .alloc = acc_pack_heap_alloc, .release = acc_pack_heap_release };

#endif /* ACC_PACK_HEAP_H */
