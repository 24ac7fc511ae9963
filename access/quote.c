/* SPDX-License-Identifier: BSD-3-Clause */
#include "quote.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

unsigned acc_utf8_next(const char *text, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *b = (const unsigned char *)text;
	unsigned n;
	uint32_t c;

	*ret = b[0];
	if (b[0] < 0x80)
		return 1;
	if (b[0] >= 0xc2 && b[0] <= 0xdf) {
		n = 2;
		c = b[0] & 0x1f;
	} else if (b[0] >= 0xe0 && b[0] <= 0xef) {
		n = 3;
		c = b[0] & 0x0f;
	} else if (b[0] >= 0xf0 && b[0] <= 0xf4) {
		n = 4;
		c = b[0] & 0x07;
	} else {
		return 0;
	}
	for (unsigned i = 1; i < n; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (b[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return n;
}

bool acc_utf8_shown(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	if (c == 0x061c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f))
		return false;
	return c != 0xfeff && !(c >= 0xfff9 && c <= 0xfffb) && !(c >= 0xe0000 && c <= 0xe0fff);
}

void acc_clean(char *ret, size_t size, const char *text)
{
	size_t n = 0;

	while (*text) {
		/* fast path for nearly all text: four lines accompany every operation */
		if (*text >= 0x20 && *text < 0x7f) {
			if (n + 1 >= size)
				break;
			ret[n++] = *text++;
			continue;
		}

		uint32_t c;
		unsigned bytes = acc_utf8_next(text, &c);
		bool shown = bytes && acc_utf8_shown(c);
		unsigned room = shown ? bytes : 1;

		if (n + room >= size)
			break;
		if (shown)
			memcpy(ret + n, text, bytes);
		else
			ret[n] = '?';
		n += room;
		text += bytes ? bytes : 1;
	}
	ret[n] = '\0';
}

unsigned acc_quote_next(const char *text, char ret[ACC_QUOTE_BYTES])
{
	uint32_t c;
	unsigned n = acc_utf8_next(text, &c);

	if (n && acc_utf8_shown(c)) {
		memcpy(ret, text, n);
		ret[n] = '\0';
	} else if (!n || c < 0x80) {
		snprintf(ret, ACC_QUOTE_BYTES, "\\x%02x", (unsigned)c & 0xff);
	} else {
		snprintf(ret, ACC_QUOTE_BYTES, "\\u{%x}", (unsigned)c & 0x1fffff);
	}
	return n ? n : 1;
}

size_t acc_quote(char *ret, size_t size, const char *text)
{
	char piece[ACC_QUOTE_BYTES];
	size_t n = 0;

	while (*text) {
		text += acc_quote_next(text, piece);
		size_t bytes = strlen(piece);
		if (n + bytes >= size)
			break;
		memcpy(ret + n, piece, bytes);
		n += bytes;
	}
	ret[n] = '\0';
	return n;
}
