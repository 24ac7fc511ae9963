/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <string.h>

bool m2d_text_add(char *text, size_t size, const char *more)
{
	size_t n = strnlen(text, size), bytes = strlen(more);
	bool fits = n + bytes < size;

	if (n >= size)
		return false;
	if (!fits)
		bytes = size - n - 1;
	memcpy(text + n, more, bytes);
	text[n + bytes] = '\0';
	return fits;
}

bool m2d_text_add_number(char *text, size_t size, int64_t value)
{
	char digits[24];
	size_t i = sizeof(digits) - 1;
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	digits[i] = '\0';
	do {
		digits[--i] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		digits[--i] = '-';
	return m2d_text_add(text, size, digits + i);
}

bool m2d_text_add_hexadecimal(char *text, size_t size, uint64_t value)
{
	char digits[17];

	for (size_t i = 0; i < 16; i++)
		digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
	digits[16] = '\0';
	return m2d_text_add(text, size, digits);
}
