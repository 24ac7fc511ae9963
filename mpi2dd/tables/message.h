/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message.h
 * Messages between processes of one world during set-up: a sequence of texts and numbers. Each field is encoded as text
 * with a NUL, so the byte order does not matter.
 */
#ifndef M2D_MESSAGE_H
#define M2D_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { M2D_MESSAGE_MAX = 12288 }; /**< bytes: enough for two locations, a world and an origin */

/** Initialize with zero. */
struct m2d_message {
	size_t n;    /**< bytes stored */
	size_t at;   /**< bytes read so far */
	bool failed; /**< a field did not fit or was missing: do not use what was read */
	char bytes[M2D_MESSAGE_MAX];
};

/** Append a field. If it does not fit, m->failed is set. */
void m2d_message_put_text(struct m2d_message *m, const char *text);
void m2d_message_put_number(struct m2d_message *m, int value);

/** The next field, pointing into the message; "" and m->failed on failure. */
const char *m2d_message_take_text(struct m2d_message *m);
/** The next field as a number; 0 and m->failed on failure. */
int m2d_message_take_number(struct m2d_message *m);

/**
 * Send or receive a message with its length over a connection (connection.h). @return false: the connection is broken,
 * or the deadline has passed.
 */
bool m2d_message_send(int fd, const struct m2d_message *m, int64_t deadline);
bool m2d_message_receive(int fd, struct m2d_message *ret, int64_t deadline);

#endif /* M2D_MESSAGE_H */
