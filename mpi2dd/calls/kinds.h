/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file kinds.h
 * Properties of MPI functions, for the code that watches calls (watch.h).
 */
#ifndef M2D_KINDS_H
#define M2D_KINDS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum m2d_kind {
	M2D_SENDS = 1,        /**< sends a message to the frame's peer */
	M2D_RECEIVES = 2,     /**< receives a message */
	M2D_COLLECTIVE = 4,   /**< data collectives, the barrier, and constructors of communicators */
	M2D_REQUEST = 8,      /**< the other bits describe the request that the call creates, not the call itself */
	M2D_PERSISTENT = 16,  /**< ... and apply each time that the request is started */
	M2D_PARTITIONED = 32, /**< the frame's count is the count of one partition */
	M2D_STARTS = 64,      /**< starts requests */
	M2D_COMPLETES = 128   /**< reports requests as complete */
};

/** Bits of enum m2d_kind, indexed by call number. */
extern const uint8_t m2d_kinds[];

#pragma GCC visibility pop

#endif /* M2D_KINDS_H */
