/* SPDX-License-Identifier: BSD-3-Clause */
#include "lines.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEAD_MAX = HS_HOST_MAX + 40, BYTES_PER_LINE = (HS_LINE_MAX - HEAD_MAX) / 4 * 3 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- writing ----------------------------------------------------------------------------------------- */

static size_t encode(const unsigned char *from, size_t n, char *ret)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)from[i] << 16;
		v |= i + 1 < n ? (uint32_t)from[i + 1] << 8 : 0;
		v |= i + 2 < n ? from[i + 2] : 0;
		ret[k++] = digits[v >> 18];
		ret[k++] = digits[v >> 12 & 63];
		ret[k++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
		ret[k++] = i + 2 < n ? digits[v & 63] : '=';
	}
	ret[k] = '\0';
	return k;
}

bool hs_lines_write(FILE *out, const char *host, enum hs_kind kind, const char *text, size_t n)
{
	uLongf n_packed = compressBound(n);
	unsigned char *packed = malloc(n_packed);
	char bytes[BYTES_PER_LINE / 3 * 4 + 1];
	bool ok = packed && n <= HS_TEXT_MAX && strlen(host) < HS_HOST_MAX &&
		  compress2(packed, &n_packed, (const unsigned char *)text, n, 6) == Z_OK;

	for (size_t at = 0; ok && at < n_packed; at += BYTES_PER_LINE) {
		encode(packed + at, n_packed - at < BYTES_PER_LINE ? n_packed - at : BYTES_PER_LINE, bytes);
		ok = fprintf(out, "%s %s %c %zu %s\n", HS_LINE_WORD, host, (char)kind, at, bytes) > 0 &&
		     fflush(out) == 0;
	}
	if (ok)
		ok = fprintf(out, "%s %s %c end %lu %zu %lu\n", HS_LINE_WORD, host, (char)kind, n_packed, n,
			     crc32(0, packed, (uInt)n_packed)) > 0 &&
		     fflush(out) == 0;
	free(packed);
	return ok;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The word before ": " at the beginning of a line is the host's name, according to the way to it. */
static void take_prefix(const char *line, const char *word, char *ret)
{
	const char *end = strchr(line, ':');

	if (end && end < word && end > line && end - line < HS_HOST_MAX && !memchr(line, ' ', (size_t)(end - line)))
		snprintf(ret, HS_HOST_MAX, "%.*s", (int)(end - line), line);
}

/* Take the next word. @return false: there is none, or it is too long */
static bool next_word(const char **at, char *ret, size_t room)
{
	size_t n = strcspn(*at, " ");

	if (!n || n >= room)
		return false;
	memcpy(ret, *at, n);
	ret[n] = '\0';
	*at += n;
	*at += **at == ' ';
	return true;
}

static bool next_number(const char **at, uint64_t *ret)
{
	char word[24], *end;

	if (!next_word(at, word, sizeof(word)) || *word < '0' || *word > '9')
		return false;
	*ret = strtoull(word, &end, 10);
	return !*end;
}

bool hs_line_parse(const char *line, struct hs_line *ret)
{
	const char *at = strstr(line, HS_LINE_WORD " ");
	char word[HS_HOST_MAX];
	struct hs_line l = { .kind = 0 };
	uint64_t crc = 0;

	if (!at)
		return false;
	take_prefix(line, at, l.host);
	at += sizeof(HS_LINE_WORD);
	if (!next_word(&at, word, sizeof(word)))
		return false;
	if (!*l.host && strcmp(word, "-") != 0)
		snprintf(l.host, sizeof(l.host), "%s", word);
	if (!next_word(&at, word, sizeof(word)))
		return false;
	l.none = strcmp(word, "none") == 0;
	l.noexec = strcmp(word, "noexec") == 0;
	l.kind = word[0];
	if (l.none || l.noexec) {
		*ret = l;
		return !*at;
	}
	if (word[1])
		return false;
	l.end = strncmp(at, "end ", 4) == 0;
	if (l.end) {
		at += 4;
		bool ok = next_number(&at, &l.packed) && next_number(&at, &l.n_text) && next_number(&at, &crc) && !*at;
		l.crc = (uint32_t)crc;
		*ret = l;
		return ok && crc <= UINT32_MAX;
	}
	if (!next_number(&at, &l.offset))
		return false;
	l.bytes = at;
	l.n_bytes = strlen(at);
	*ret = l;
	return l.n_bytes && l.n_bytes % 4 == 0 && l.n_bytes <= HS_LINE_MAX;
}

static int value_of(char c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* @return false: no base64 */
static bool decode(const char *from, size_t n, unsigned char *ret, size_t *n_ret)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i += 4) {
		bool last = i + 4 == n;
		int pads = last && from[i + 3] == '=' ? from[i + 2] == '=' ? 2 : 1 : 0;
		uint32_t v = 0;
		for (int j = 0; j < 4; j++) {
			int d = j < 4 - pads ? value_of(from[i + (size_t)j]) : 0;
			if (d < 0)
				return false;
			v = v << 6 | (uint32_t)d;
		}
		ret[k++] = (unsigned char)(v >> 16);
		if (pads < 2)
			ret[k++] = (unsigned char)(v >> 8);
		if (pads < 1)
			ret[k++] = (unsigned char)v;
	}
	*n_ret = k;
	return true;
}

static bool grow(struct hs_text *t, size_t more)
{
	if (t->room - t->n_packed >= more)
		return true;
	size_t room = t->room ? 2 * t->room : 4096;
	if (t->n_packed + more > HS_PACKED_MAX)
		return false;
	while (room - t->n_packed < more)
		room *= 2;
	unsigned char *bytes = realloc(t->packed, room);
	if (!bytes)
		return false;
	t->packed = bytes;
	t->room = room;
	return true;
}

static bool unpack(struct hs_text *t, const struct hs_line *line)
{
	uLongf n = (uLongf)line->n_text;

	if (line->packed != t->n_packed || line->crc != crc32(0, t->packed, (uInt)t->n_packed) ||
	    line->n_text / HS_RATIO_MAX > t->n_packed || line->n_text > HS_TEXT_MAX)
		return false;
	t->text = malloc(line->n_text + 1);
	if (!t->text || uncompress((unsigned char *)t->text, &n, t->packed, t->n_packed) != Z_OK || n != line->n_text) {
		free(t->text);
		t->text = NULL;
		return false;
	}
	t->text[n] = '\0';
	t->n = n;
	free(t->packed);
	t->packed = NULL;
	t->room = 0;
	return true;
}

bool hs_text_add(struct hs_text *t, const struct hs_line *line)
{
	size_t n = 0;

	if (t->damaged || t->ended) {
		hs_text_deinit(t);
		t->damaged = true;
		return false;
	}
	if (line->end) {
		t->ended = true;
		t->damaged = !unpack(t, line);
		return !t->damaged;
	}
	t->damaged = line->offset != t->n_packed || !grow(t, line->n_bytes / 4 * 3) ||
		     !decode(line->bytes, line->n_bytes, t->packed + t->n_packed, &n);
	t->n_packed += n;
	return !t->damaged;
}

void hs_text_deinit(struct hs_text *t)
{
	free(t->packed);
	free(t->text);
	*t = (struct hs_text){ 0 };
}
