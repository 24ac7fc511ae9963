/* SPDX-License-Identifier: BSD-3-Clause */
#include "out.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

void out_begin(struct out *o, bool json, int (*write)(void *ctx, const char *text, size_t n), void *ctx)
{
	memset(o, 0, offsetof(struct out, buffer));
	o->json = json;
	o->write = write;
	o->ctx = ctx;
}

static void flush(struct out *o)
{
	if (o->n && !o->failed)
		o->failed = o->write(o->ctx, o->buffer, o->n) != 0;
	o->n = 0;
}

bool out_end(struct out *o)
{
	flush(o);
	return !o->failed;
}

void out_bytes(struct out *o, const char *bytes, size_t n)
{
	while (n) {
		size_t part = sizeof(o->buffer) - o->n;

		if (part > n)
			part = n;
		memcpy(o->buffer + o->n, bytes, part);
		o->n += part;
		bytes += part;
		n -= part;
		if (o->n == sizeof(o->buffer))
			flush(o);
	}
}
