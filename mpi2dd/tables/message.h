/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file message.h
 * What processes of one world tell each other while they set it up: texts and numbers, one after the other. On its
 * way each field is text with its NUL, whatever the byte order.
 */
#ifndef M2D_MESSAGE_H
#define M2D_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { M2D_MESSAGE_MAX = 12288 }; /**< bytes: two places, a world, an origin */

/** Zero at first. */
struct m2d_message {
	size_t n;    /**< bytes in it */
	size_t at;   /**< taken so far */
	bool failed; /**< something did not fit, or was not there: what was taken is not to be used */
	char bytes[M2D_MESSAGE_MAX];
};

void m2d_message_put_text(struct m2d_message *m, const char *text);
void m2d_message_put_number(struct m2d_message *m, int value);

/** The next field, in place; "" on failure. */
const char *m2d_message_take_text(struct m2d_message *m);
/** 0 on failure. */
int m2d_message_take_number(struct m2d_message *m);

/** Over a connection of connection.h, with its length before it. false: failed, cut, not in time. */
bool m2d_message_send(int fd, const struct m2d_message *m, int64_t deadline);
bool m2d_message_receive(int fd, struct m2d_message *ret, int64_t deadline);

#endif /* M2D_MESSAGE_H */
