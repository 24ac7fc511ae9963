/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

#include <stdbool.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	UNIT_BYTES = 2, /* size of an instruction unit */
	NO_COLUMNS = 13,
	LONG_FORM = 14,
	NO_LOCATION = 15,
	ONE_LINE_0 = 10, /* 10 to 12: the line advances by the code minus 10 */
	NO_LINE = -128   /* marks a range without a line (3.10) */
};

struct table {
	const uint8_t *bytes;
	size_t n, at;
};

static bool next_byte(struct table *t, uint8_t *ret)
{
	if (t->at >= t->n)
		return false;
	*ret = t->bytes[t->at++];
	return true;
}

/* Decode a variable-length number: six bits per byte, least significant first; bit 6 marks a continuation. */
static bool varint(struct table *t, uint64_t *ret)
{
	uint8_t byte;
	unsigned shift = 0;

	*ret = 0;
	do {
		if (!next_byte(t, &byte) || shift > 30)
			return false;
		*ret |= (uint64_t)(byte & 63) << shift;
		shift += 6;
	} while (byte & 64);
	return true;
}

static bool signed_varint(struct table *t, int64_t *ret)
{
	uint64_t u;

	if (!varint(t, &u))
		return false;
	*ret = u & 1 ? -(int64_t)(u >> 1) : (int64_t)(u >> 1);
	return true;
}

/* The line increment of the entry; skips its columns. */
static bool line_delta(struct table *t, unsigned code, int64_t *ret)
{
	uint64_t ignored;
	uint8_t byte;

	*ret = 0;
	switch (code) {
	case NO_LOCATION:
		return true;
	case LONG_FORM:
		return signed_varint(t, ret) && varint(t, &ignored) && varint(t, &ignored) && varint(t, &ignored);
	case NO_COLUMNS:
		return signed_varint(t, ret);
	case ONE_LINE_0:
	case ONE_LINE_0 + 1:
	case ONE_LINE_0 + 2:
		*ret = code - ONE_LINE_0;
		if (!next_byte(t, &byte)) /* skip the start and end column */
			return false;
		return next_byte(t, &byte);
	default:
		return next_byte(t, &byte);
	}
}

static int64_t line_of_entries(const uint8_t *table, size_t n, int64_t first_line, uint64_t offset)
{
	struct table t = { table, n, 0 };
	int64_t line = first_line, delta;
	uint64_t end = 0;
	uint8_t byte;

	while (next_byte(&t, &byte)) {
		unsigned code = byte >> 3 & 15;
		if (!(byte & 0x80) || !line_delta(&t, code, &delta))
			return -1;
		line += delta;
		end += ((byte & 7U) + 1) * UNIT_BYTES;
		if (offset < end)
			return code == NO_LOCATION ? -1 : line;
	}
	return -1;
}

/* One entry: increments of code offset and line. */
static int64_t line_of_lnotab(const uint8_t *table, size_t n, int64_t first_line, uint64_t offset)
{
	int64_t line = first_line;
	uint64_t start = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		start += table[i];
		if (start > offset)
			break;
		line += (int8_t)table[i + 1];
	}
	return n % 2 ? -1 : line;
}

/* One entry: the size of the range and its line increment. */
static int64_t line_of_pairs(const uint8_t *table, size_t n, int64_t first_line, uint64_t offset)
{
	int64_t line = first_line;
	uint64_t end = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		int8_t delta = (int8_t)table[i + 1];

		end += table[i];
		if (delta != NO_LINE)
			line += delta;
		if (offset < end)
			return delta == NO_LINE ? -1 : line;
	}
	return -1;
}

int64_t rd_python_line(enum rd_python_lines format, const uint8_t *table, size_t n, int64_t first_line, uint64_t offset)
{
	switch (format) {
	case RD_PYTHON_LNOTAB:
		return line_of_lnotab(table, n, first_line, offset);
	case RD_PYTHON_PAIRS:
		return line_of_pairs(table, n, first_line, offset);
	case RD_PYTHON_ENTRIES:
		break;
	}
	return line_of_entries(table, n, first_line, offset);
}
