/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file handshake.h
 * What the root of one side of a link between two worlds sends to the root of the other side, over a connection (connection.h).
 */
#ifndef M2D_HANDSHAKE_H
#define M2D_HANDSHAKE_H

#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	M2D_HANDSHAKE_SECRET_CHARS = 32,
	M2D_HANDSHAKE_HOST_MAX = 256, /**< with the NUL, as the others */
	M2D_HANDSHAKE_PATH_MAX = 4096,
	M2D_HANDSHAKE_WORLD_MAX = 256
};

/** Where a process is. */
struct m2d_handshake_place {
	char host[M2D_HANDSHAKE_HOST_MAX], executable[M2D_HANDSHAKE_PATH_MAX];
	int pid;
};

struct m2d_handshake {
	char secret[M2D_HANDSHAKE_SECRET_CHARS + 1]; /**< "" when none is asked for */
	char world[M2D_HANDSHAKE_WORLD_MAX];         /**< comm_world_id; "" in a first word, which has no places yet */
	struct m2d_handshake_place meta, root;
	int root_rank;  /**< in its MPI_COMM_WORLD */
	int sequence;   /**< number of this spawn; -1 when it is none */
	int group_size; /**< processes of the communicator of the call */
};

/** As a message; one that has failed when it does not fit. */
void m2d_handshake_write(const struct m2d_handshake *handshake, struct m2d_message *ret);

/**
 * @param[out] ret to be used only on true: the message is of the form, and no text is longer than there is room. What
 *                 the texts say is the other process's word.
 */
bool m2d_handshake_read(struct m2d_message *message, struct m2d_handshake *ret);

/** Over a connection of connection.h. */
bool m2d_handshake_send(int fd, const struct m2d_handshake *handshake, struct m2d_message *scratch, int64_t deadline);
bool m2d_handshake_receive(int fd, struct m2d_handshake *ret, struct m2d_message *scratch, int64_t deadline);

#endif /* M2D_HANDSHAKE_H */
