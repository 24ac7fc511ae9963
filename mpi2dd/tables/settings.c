/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings.h"

#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct choice {
	const char *word; /* NULL: end of the list */
	int value;
};

/* The settings accepted only numbers at first; numbers are still accepted. */
#define M2D_VARS_WORDS                                                                                                 \
	{                                                                                                              \
		{ "none", 0 }, { "own", 1 }, { "host", 2 }, { "0", 0 },                                                \
		{                                                                                                      \
			"1", 2                                                                                         \
		}                                                                                                      \
	}
enum { CHOICES_MAX = 6, N_WORDS = 3 };

enum kind { IS_NUMBER, IS_SWITCH, IS_CHOICE, IS_OTHER };

static const struct setting {
	const char *name;
	enum kind kind;
	int64_t least, most;
	const char *otherwise;
	struct choice choices[CHOICES_MAX];
} settings[] = {
#define NUMBER(name, least, most, otherwise) { name, IS_NUMBER, least, (int64_t)(most), otherwise, { { 0 } } },
#define SWITCH(name, otherwise)              { name, IS_SWITCH, 0, 1, otherwise, { { 0 } } },
#define CHOICE(name, words, otherwise)       { name, IS_CHOICE, 0, 0, otherwise, words },
#define OTHER(name)                          { name, IS_OTHER, 0, 0, "", { { 0 } } },
#include "settings.def"
#undef NUMBER
#undef SWITCH
#undef CHOICE
#undef OTHER
};
enum { N_SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static const char prefix[] = "MPI2DD_";

static const struct setting *find_setting(const char *name, size_t n)
{
	for (int i = 0; i < N_SETTINGS; i++)
		if (strlen(settings[i].name) == n && memcmp(settings[i].name, name, n) == 0)
			return &settings[i];
	return NULL;
}

enum parse_result { VALID, TOO_LARGE, INVALID };

static enum parse_result parse_number(const struct setting *s, const char *text, int64_t *ret)
{
	const char *digits = text + (*text == '-');
	int saved = errno;
	char *end;

	if (*digits < '0' || *digits > '9')
		return INVALID;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	errno = saved;
	if (*end || n < s->least)
		return INVALID;
	if (n > s->most && s->kind == IS_SWITCH)
		return INVALID;
	*ret = n > s->most ? s->most : n;
	return n > s->most ? TOO_LARGE : VALID;
}

static enum parse_result parse(const struct setting *s, const char *text, int64_t *ret)
{
	if (s->kind == IS_NUMBER || s->kind == IS_SWITCH)
		return parse_number(s, text, ret);
	for (int i = 0; s->kind == IS_CHOICE && i < CHOICES_MAX && s->choices[i].word; i++)
		if (strcmp(s->choices[i].word, text) == 0) {
			*ret = s->choices[i].value;
			return VALID;
		}
	return s->kind == IS_OTHER ? VALID : INVALID;
}

bool m2d_setting(const char *name, int64_t *ret)
{
	const struct setting *s = find_setting(name, strlen(name));
	const char *text = getenv(name);
	int64_t n = 0;

	if (!s || !text || s->kind == IS_OTHER || parse(s, text, &n) == INVALID)
		return false;
	*ret = n;
	return true;
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* Quote a part of the environment: enough to recognize it, without control characters for the terminal. */
static void add_quoted(char *to, const char *text, size_t n)
{
	enum { SHOWN = 48 };
	char part[SHOWN + 1];
	size_t k = n < SHOWN ? n : SHOWN;

	for (size_t i = 0; i < k; i++)
		part[i] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
	part[k] = '\0';
	m2d_text_add(to, M2D_SETTING_LINE, part);
	if (n > SHOWN)
		m2d_text_add(to, M2D_SETTING_LINE, "...");
}

static void add_words(char *to, const char *words)
{
	m2d_text_add(to, M2D_SETTING_LINE, words);
}

static void add_allowed(char *to, const struct setting *s)
{
	if (s->kind == IS_CHOICE) {
		for (int i = 0; i < N_WORDS; i++) {
			add_words(to, i == 0 ? "" : i == N_WORDS - 1 ? " or " : ", ");
			add_words(to, s->choices[i].word);
		}
		return;
	}
	if (s->kind == IS_SWITCH) {
		add_words(to, "0 or 1");
		return;
	}
	add_words(to, "a number from ");
	m2d_text_add_number(to, M2D_SETTING_LINE, s->least);
	add_words(to, " to ");
	m2d_text_add_number(to, M2D_SETTING_LINE, s->most);
}

/* Edit distance: characters to insert, delete or replace; at most the length of the longer text. */
static unsigned distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	enum { MOST = 40 };
	unsigned row[MOST + 1];

	if (n_a > MOST || n_b > MOST)
		return MOST;
	for (size_t i = 0; i <= n_a; i++)
		row[i] = (unsigned)i;
	for (size_t j = 1; j <= n_b; j++) {
		unsigned corner = row[0];
		row[0] = (unsigned)j;
		for (size_t i = 1; i <= n_a; i++) {
			unsigned changed = corner + (a[i - 1] != b[j - 1]), before = row[i];
			unsigned moved = 1 + (row[i] < row[i - 1] ? row[i] : row[i - 1]);
			row[i] = changed < moved ? changed : moved;
			corner = before;
		}
	}
	return row[n_a];
}

/* The setting with the most similar name; NULL: none is similar. */
static const char *most_similar(const char *name, size_t n)
{
	enum { FAR = 4, PREFIX_MIN = sizeof(prefix) + 2 };
	const char *ret = NULL;
	unsigned least = FAR;

	for (int i = 0; i < N_SETTINGS; i++) {
		/* a prefix counts like one wrong letter */
		bool is_prefix = n >= PREFIX_MIN && strncmp(settings[i].name, name, n) == 0;
		unsigned d = is_prefix ? 1 : distance(name, n, settings[i].name, strlen(settings[i].name));
		if (d < least && settings[i].kind != IS_OTHER) {
			least = d;
			ret = settings[i].name;
		}
	}
	return ret;
}

bool m2d_setting_wrong(const char *variable, char ret[M2D_SETTING_LINE])
{
	size_t n = strcspn(variable, "=");
	const char *value = variable + n + (variable[n] == '=');
	int64_t number = 0;

	if (strncmp(variable, prefix, sizeof(prefix) - 1) != 0)
		return false;
	const struct setting *s = find_setting(variable, n);
	enum parse_result is = s ? parse(s, value, &number) : INVALID;
	if (is == VALID)
		return false;
	ret[0] = '\0';
	add_quoted(ret, variable, n);
	if (!s) {
		const char *near = most_similar(variable, n);
		add_words(ret, ": there is no such setting");
		add_words(ret, near ? ": did you mean " : "");
		add_words(ret, near ? near : "");
		add_words(ret, near ? "?" : "");
		return true;
	}
	add_words(ret, "=");
	add_quoted(ret, value, strlen(value));
	add_words(ret, is == TOO_LARGE ? " is too large: " : " was not understood: ");
	add_allowed(ret, s);
	add_words(ret, "; ");
	if (is == TOO_LARGE)
		m2d_text_add_number(ret, M2D_SETTING_LINE, number);
	else
		add_words(ret, s->otherwise);
	add_words(ret, " is used");
	return true;
}

void m2d_settings_wrong(char *const *environment, char *ret, size_t size)
{
	char line[M2D_SETTING_LINE];

	ret[0] = '\0';
	for (; environment && *environment; environment++)
		if (m2d_setting_wrong(*environment, line)) {
			m2d_text_add(ret, size, line);
			m2d_text_add(ret, size, "\n");
		}
}
