/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"

#include "../tables/starter.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 8, SIZE_MAX_RANKS = 1 << 26 };

static const char greeting[] = M2D_STARTER_GREETING " ";
enum { GREETING_CHARS = sizeof(greeting) - 1 };

bool run_request_may_be(const char *line, size_t n, const char *cookie)
{
	size_t n_greeting = n < GREETING_CHARS ? n : GREETING_CHARS;
	unsigned char differs = 0;

	if (memcmp(line, greeting, n_greeting) != 0)
		return false;
	if (n < GREETING_CHARS + M2D_STARTER_COOKIE_CHARS)
		return true;
	/* Compare all bytes, without leaving early: the time must not depend on where they differ. */
	for (size_t i = 0; i < M2D_STARTER_COOKIE_CHARS; i++)
		differs |= (unsigned char)(line[GREETING_CHARS + i] ^ cookie[i]);
	return differs == 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Decode the %XX of a TEXT word of the protocol, in place. */
static bool decode(char *word)
{
	char *to = word;

	if (strcmp(word, "%") == 0) {
		*word = '\0';
		return true;
	}
	for (const char *p = word; *p; p++) {
		if (*p != '%') {
			*to++ = *p;
			continue;
		}
		int high = digit(p[1]), low = high < 0 ? -1 : digit(p[2]);
		if (low < 0 || (high == 0 && low == 0))
			return false;
		*to++ = (char)(high * 16 + low);
		p += 2;
	}
	*to = '\0';
	return true;
}

bool run_request_number(const char *word, int least, int most, int *ret)
{
	char *rest;

	if (!(*word == '-' || (*word >= '0' && *word <= '9')))
		return false;
	errno = 0;
	long value = strtol(word, &rest, 10);
	if (*rest || errno || value < least || value > most)
		return false;
	*ret = (int)value;
	return true;
}

bool run_request_parse(char *line, size_t n, const char *cookie, struct run_request *ret)
{
	char *words[WORDS_MAX];
	size_t n_words = 0;
	int good = 0;

	if (n < GREETING_CHARS + M2D_STARTER_COOKIE_CHARS || !run_request_may_be(line, n, cookie) ||
	    memchr(line, '\0', n))
		return false;
	line[n] = '\0';
	for (char *p = line; p; n_words++) {
		if (n_words == WORDS_MAX)
			return false;
		words[n_words] = p;
		p = strchr(p, ' ');
		if (p)
			*p++ = '\0';
		if (!*words[n_words])
			return false;
	}
	/* word 0: greeting, 1: cookie, 2: verb, 3: job */
	if (n_words < 6 || strlen(words[1]) != M2D_STARTER_COOKIE_CHARS || !decode(words[3]))
		return false;
	ret->job = words[3];
	if (strcmp(words[2], "HELLO") == 0) {
		ret->verb = RUN_HELLO;
		return n_words == 6 && run_request_number(words[4], -1, INT_MAX, &ret->rank) &&
		       run_request_number(words[5], 1, SIZE_MAX_RANKS, &ret->size);
	}
	if (strcmp(words[2], "VERDICT") == 0) {
		ret->verb = RUN_VERDICT;
		bool ok = n_words == 7 && run_request_number(words[4], -1, INT_MAX, &ret->rank) &&
			  run_request_number(words[5], 1, SIZE_MAX_RANKS, &ret->size) &&
			  run_request_number(words[6], 0, 1, &good);
		ret->good = good;
		return ok;
	}
	if (strcmp(words[2], "FINAL") == 0) {
		ret->verb = RUN_FINAL;
		return n_words == 7 && run_request_number(words[4], -1, INT_MAX, &ret->rank) &&
		       run_request_number(words[5], 1, SIZE_MAX_RANKS, &ret->size) &&
		       run_request_number(words[6], 1, INT_MAX, &ret->pid);
	}
	if (strcmp(words[2], "WATCH") == 0) {
		ret->verb = RUN_WATCH;
		ret->host = words[4];
		return n_words == 6 && decode(words[4]) && *words[4] &&
		       run_request_number(words[5], 1, INT_MAX, &ret->pid);
	}
	if (strcmp(words[2], "PLACE") == 0 && n_words == 8) {
		ret->verb = RUN_PLACE;
		ret->host = words[4];
		ret->executable = words[5];
		ret->id = words[7];
		return decode(words[4]) && decode(words[5]) && decode(words[7]) && *words[4] && *words[5] &&
		       run_request_number(words[6], 1, INT_MAX, &ret->pid);
	}
	return false;
}
