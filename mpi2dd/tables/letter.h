/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file letter.h
 * What the root of one side of a meeting tells the root of the other one, over a connection (link.h).
 */
#ifndef M2D_LETTER_H
#define M2D_LETTER_H

#include "message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	M2D_LETTER_SECRET_CHARS = 32,
	M2D_LETTER_HOST_MAX = 256, /**< with the NUL, as the others */
	M2D_LETTER_PATH_MAX = 4096,
	M2D_LETTER_WORLD_MAX = 256
};

/** Where a process is. */
struct m2d_letter_place {
	char host[M2D_LETTER_HOST_MAX], executable[M2D_LETTER_PATH_MAX];
	int pid;
};

struct m2d_letter {
	char secret[M2D_LETTER_SECRET_CHARS + 1]; /**< "" when none is asked for */
	char world[M2D_LETTER_WORLD_MAX];         /**< comm_world_id; "" in a first word, which has no places yet */
	struct m2d_letter_place meta, root;
	int root_rank;  /**< in its MPI_COMM_WORLD */
	int sequence;   /**< number of this spawn; -1 when it is none */
	int group_size; /**< processes of the communicator of the call */
};

/** As a message; one that has failed when it does not fit. */
void m2d_letter_write(const struct m2d_letter *letter, struct m2d_message *ret);

/**
 * @param[out] ret to be used only on true: the message is of the form, and no text is longer than there is room. What
 *                 the texts say is the other process's word.
 */
bool m2d_letter_read(struct m2d_message *message, struct m2d_letter *ret);

/** Over a connection of link.h. */
bool m2d_letter_send(int fd, const struct m2d_letter *letter, struct m2d_message *scratch, int64_t deadline);
bool m2d_letter_receive(int fd, struct m2d_letter *ret, struct m2d_message *scratch, int64_t deadline);

#endif /* M2D_LETTER_H */
