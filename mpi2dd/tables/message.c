/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include "connection.h"
#include "text.h"

#include <limits.h>
#include <string.h>

enum { HEADER_BYTES = 17 }; /* the length in hexadecimal, and a NUL */

void m2d_message_put_text(struct m2d_message *m, const char *text)
{
	size_t bytes = strlen(text) + 1;

	if (m->failed || bytes > sizeof(m->bytes) - m->n) {
		m->failed = true;
		return;
	}
	memcpy(m->bytes + m->n, text, bytes);
	m->n += bytes;
}

void m2d_message_put_number(struct m2d_message *m, int value)
{
	char text[16] = "";

	m2d_text_add_number(text, sizeof(text), value);
	m2d_message_put_text(m, text);
}

const char *m2d_message_take_text(struct m2d_message *m)
{
	const char *text = m->bytes + m->at;
	const char *nul = m->failed ? NULL : memchr(text, '\0', m->n - m->at);

	if (!nul) {
		m->failed = true;
		return "";
	}
	m->at = (size_t)(nul - m->bytes) + 1;
	return text;
}

int m2d_message_take_number(struct m2d_message *m)
{
	const char *c = m2d_message_take_text(m);
	bool minus = *c == '-';
	int64_t value = 0;

	c += minus;
	m->failed = m->failed || *c == '\0';
	for (; *c; c++) {
		if (*c < '0' || *c > '9' || value > INT_MAX) {
			m->failed = true;
			break;
		}
		value = value * 10 + (*c - '0');
	}
	value = minus ? -value : value;
	if (value < INT_MIN || value > INT_MAX)
		m->failed = true;
	return m->failed ? 0 : (int)value;
}

bool m2d_message_send(int fd, const struct m2d_message *m, int64_t deadline)
{
	char header[HEADER_BYTES] = "";

	if (m->failed)
		return false;
	m2d_text_add_hexadecimal(header, sizeof(header), m->n);
	return m2d_connection_send(fd, header, sizeof(header), deadline) &&
	       m2d_connection_send(fd, m->bytes, m->n, deadline);
}

bool m2d_message_receive(int fd, struct m2d_message *ret, int64_t deadline)
{
	char header[HEADER_BYTES];
	size_t n = 0;

	ret->n = ret->at = 0;
	ret->failed = true;
	if (!m2d_connection_receive(fd, header, sizeof(header), deadline) || header[HEADER_BYTES - 1] != '\0')
		return false;
	for (const char *c = header; *c; c++) {
		const char *digit = strchr("0123456789abcdef", *c);
		if (!digit)
			return false;
		n = n << 4 | (size_t)(digit - "0123456789abcdef");
	}
	if (n > sizeof(ret->bytes) || !m2d_connection_receive(fd, ret->bytes, n, deadline))
		return false;
	ret->n = n;
	ret->failed = false;
	return true;
}
