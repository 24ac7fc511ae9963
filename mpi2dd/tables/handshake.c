/* SPDX-License-Identifier: BSD-3-Clause */
#include "handshake.h"

#include <string.h>

static void put_place(struct m2d_message *m, const struct m2d_handshake_place *place)
{
	m2d_message_put_text(m, place->host);
	m2d_message_put_text(m, place->executable);
	m2d_message_put_number(m, place->pid);
}

void m2d_handshake_write(const struct m2d_handshake *handshake, struct m2d_message *ret)
{
	ret->n = ret->at = 0;
	ret->failed = false;
	m2d_message_put_text(ret, handshake->secret);
	m2d_message_put_text(ret, handshake->world);
	put_place(ret, &handshake->meta);
	put_place(ret, &handshake->root);
	m2d_message_put_number(ret, handshake->root_rank);
	m2d_message_put_number(ret, handshake->sequence);
	m2d_message_put_number(ret, handshake->group_size);
}

static void take_text(struct m2d_message *m, char *ret, size_t ret_bytes)
{
	const char *text = m2d_message_take_text(m);
	size_t n = strlen(text);

	if (n >= ret_bytes) {
		m->failed = true;
		n = 0;
	}
	memcpy(ret, text, n);
	ret[n] = '\0';
}

static void take_place(struct m2d_message *m, struct m2d_handshake_place *ret)
{
	take_text(m, ret->host, sizeof(ret->host));
	take_text(m, ret->executable, sizeof(ret->executable));
	ret->pid = m2d_message_take_number(m);
}

bool m2d_handshake_read(struct m2d_message *m, struct m2d_handshake *ret)
{
	take_text(m, ret->secret, sizeof(ret->secret));
	take_text(m, ret->world, sizeof(ret->world));
	take_place(m, &ret->meta);
	take_place(m, &ret->root);
	ret->root_rank = m2d_message_take_number(m);
	ret->sequence = m2d_message_take_number(m);
	ret->group_size = m2d_message_take_number(m);
	return !m->failed;
}

bool m2d_handshake_send(int fd, const struct m2d_handshake *handshake, struct m2d_message *scratch, int64_t deadline)
{
	m2d_handshake_write(handshake, scratch);
	return m2d_message_send(fd, scratch, deadline);
}

bool m2d_handshake_receive(int fd, struct m2d_handshake *ret, struct m2d_message *scratch, int64_t deadline)
{
	return m2d_message_receive(fd, scratch, deadline) && m2d_handshake_read(scratch, ret);
}
