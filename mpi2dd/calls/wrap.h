/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file wrap.h
 * What the wrappers of wrap.c and of wrap_quick.c have in common.
 *
 * Both call the next MPI_X for MPI_X, so that a tool which was linked or preloaded after us sees it, and the next PMPI_X
 * for PMPI_X.
 */
#ifndef M2D_WRAP_H
#define M2D_WRAP_H

#include "calls.h"

#include "../mpit/tell.h"
#include "../tracker/rows.h"
#include "watch.h"

/** Return address of the wrapper. */
#define CALLER __builtin_return_address(0)
/** Where it is. On x86 the place is known without a frame pointer, which would be one more register to save. */
#if defined(__x86_64__) || defined(__i386__)
#define FRAME ((const char *)__builtin_dwarf_cfa() - sizeof(void *))
#elif defined(__aarch64__)
#define FRAME ((const char *)__builtin_frame_address(0) + sizeof(void *))
#else
#define FRAME NULL
#endif

/**
 * What the macros of rows use of their wrapper, beside `frame`.
 *
 * quick  it is the one for usual calls
 * entry  2 * call + M2D_MPI or M2D_PMPI
 * begun  quick: the frame is in use, see HAS()
 * waits  AT_WAITING was there
 * next   quick: what the slot's `next` has to be when the call is over; 0: what it is
 */
#define ROW_LOCALS(is_quick, call, which)                                                                              \
	const bool quick __attribute__((unused)) = is_quick;                                                           \
	const unsigned entry = 2 * (call) + (which);                                                                   \
	bool begun __attribute__((unused)) = false, waits __attribute__((unused)) = false;                             \
	uint64_t next __attribute__((unused)) = 0

/** What these rows of calls.def are, for both. */
#define WRAP_QUICKX(name, params, args, before, after) QUICK(X_##name, params, args, before, after)
#define WRAP_COLL(class, name, params, args, before, after)                                                            \
	QUICK(name, params, args, AT_WAITING; before;                                                                  \
	      uint64_t *counted = trk_coll_begin(t, frame->comm, class), trk_coll_end(counted); after)

#endif /* M2D_WRAP_H */
