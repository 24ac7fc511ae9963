/* SPDX-License-Identifier: BSD-3-Clause */
#include "plain_text.h"

#include <stdint.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Are all eight bytes in the range 0x20..0x7e? */
static bool eight_are_ascii(const unsigned char *text)
{
	uint64_t w;

	memcpy(&w, text, sizeof(w));
	/* when no byte has its high bit, the additions below do not carry into the next byte */
	if (w & EACH_BYTE(0x80))
		return false;
	return !(((w + EACH_BYTE(0x01)) | ~(w + EACH_BYTE(0x60))) & EACH_BYTE(0x80));
}

/* Length of the UTF-8 character at the beginning; 0: none. Overlong forms and surrogates are accepted. */
static size_t utf8(const unsigned char *text, size_t n)
{
	size_t more = text[0] >= 0xc2 && text[0] < 0xe0   ? 1
		      : text[0] >= 0xe0 && text[0] < 0xf0 ? 2
		      : text[0] >= 0xf0 && text[0] < 0xf5 ? 3
							  : 0;

	if (!more || more >= n)
		return 0;
	for (size_t i = 1; i <= more; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return more + 1;
}

bool rd_plain_text(const char *text, size_t n, bool lines)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + n;

	while (at < end) {
		if (end - at >= 8 && eight_are_ascii(at)) {
			at += 8;
		} else if (*at >= 0x20 && *at < 0x7f) {
			at++;
		} else if (lines && (*at == '\t' || *at == '\n' || *at == '\r')) {
			at++;
		} else {
			size_t bytes = utf8(at, (size_t)(end - at));

			if (!bytes)
				return false;
			at += bytes;
		}
	}
	return true;
}
