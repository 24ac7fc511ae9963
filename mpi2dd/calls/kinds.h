/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file kinds.h
 * What kind of call each function is, for those who watch calls (watch.h).
 */
#ifndef M2D_KINDS_H
#define M2D_KINDS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum m2d_kind {
	M2D_SENDS = 1,        /**< a message, to the frame's peer */
	M2D_RECEIVES = 2,     /**< a message */
	M2D_COLLECTIVE = 4,   /**< data collectives, the barrier, and what makes communicators */
	M2D_REQUEST = 8,      /**< not the call itself but the request that it makes */
	M2D_PERSISTENT = 16,  /**< ... each time that it is started */
	M2D_PARTITIONED = 32, /**< the frame's count is that of one partition */
	M2D_STARTS = 64,      /**< starts requests */
	M2D_COMPLETES = 128   /**< tells of requests that they are complete */
};

/** Bits of enum m2d_kind, index = call number. */
extern const uint8_t m2d_kinds[];

#pragma GCC visibility pop

#endif /* M2D_KINDS_H */
