/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handshake.h
 * The message that the root of each side of a link between two
 * worlds sends to the root of the other side (connection.h).
 */
#ifndef M2D_HANDSHAKE_H
#define M2D_HANDSHAKE_H

#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	M2D_HANDSHAKE_SECRET_CHARS = 32,
	M2D_HANDSHAKE_HOST_MAX = 256, /**< with the NUL, like the two below */
	M2D_HANDSHAKE_PATH_MAX = 4096,
	M2D_HANDSHAKE_WORLD_MAX = 256
};

/** The location of a process. */
struct m2d_handshake_place {
	char host[M2D_HANDSHAKE_HOST_MAX], executable[M2D_HANDSHAKE_PATH_MAX];
	int pid;
};

struct m2d_handshake {
	char secret[M2D_HANDSHAKE_SECRET_CHARS + 1]; /**< "" if no secret is required */
	char world[M2D_HANDSHAKE_WORLD_MAX];         /**< comm_world_id; "" in the first message of a spawned world,
						      *   which has no tables yet */
	struct m2d_handshake_place meta, root;
	int root_rank;  /**< in its MPI_COMM_WORLD */
	int sequence;   /**< number of the spawn that created the sender's peer; -1: not a spawn */
	int group_size; /**< processes of the communicator of the call */
};

/** Encode as a message. If it does not fit, ret->failed is set. */
void m2d_handshake_write(const struct m2d_handshake *handshake, struct m2d_message *ret);

/**
 * Decode a message. Texts are bounded, but their contents are only the other process's claim.
 *
 * @param[out] ret to be used only if true is returned
 * @return false: the message is malformed, or a text is too long
 */
bool m2d_handshake_read(struct m2d_message *message, struct m2d_handshake *ret);

/**
 * Encode and send; receive and decode. @param scratch buffer, overwritten. @return false: the connection is broken, the
 * deadline has passed, or the message is malformed.
 */
bool m2d_handshake_send(int fd, const struct m2d_handshake *handshake, struct m2d_message *scratch, int64_t deadline);
bool m2d_handshake_receive(int fd, struct m2d_handshake *ret, struct m2d_message *scratch, int64_t deadline);

#endif /* M2D_HANDSHAKE_H */
