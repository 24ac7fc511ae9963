/* SPDX-License-Identifier: BSD-3-Clause */
#include "var_words.h"

#include "var_objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *word(const char *const *words, size_t n, struct mdl_num i)
{
	return i.known == MDL_KNOWN && i.value >= 0 && (uint64_t)i.value < n ? words[i.value] : NULL;
}

const char *mpidbg_type_word(enum mdl_var_type type)
{
	static const char *const words[MDL_N_VAR_TYPES] = {
		"other",  "int",    "unsigned", "unsigned long", "unsigned long long",
		"count",  "char",   "double",   "int32",         "int64",
		"uint32", "uint64", "long",     "bool",
	};

	return (unsigned)type < COUNT(words) ? words[type] : "other";
}

const char *mpidbg_scope_word(struct mdl_num scope)
{
	static const char *const words[] = { "constant", "readonly", "local", "group", "group_eq", "all", "all_eq" };

	return word(words, COUNT(words), scope);
}

const char *mpidbg_class_word(struct mdl_num var_class)
{
	static const char *const words[] = { "state",        "level",   "size",      "percentage", "highwatermark",
					     "lowwatermark", "counter", "aggregate", "timer",      "generic" };

	return word(words, COUNT(words), var_class);
}

const char *mpidbg_bind_word(struct mdl_num bind)
{
	static const char *const words[] = { "none", "comm",    "datatype", "errhandler", "file", "group",
					     "op",   "request", "win",      "message",    "info", "session" };

	return word(words, COUNT(words), bind);
}

const char *mpidbg_verbosity_word(struct mdl_num verbosity)
{
	static const char *const words[] = { NULL,        "user basic",   "user detail",
					     "user all",  "tuner basic",  "tuner detail",
					     "tuner all", "mpidev basic", "mpidev detail",
					     "mpidev all" };

	return word(words, COUNT(words), verbosity);
}

const char *mpidbg_safety_word(unsigned level)
{
	static const char *const words[] = { "none", "mpi_restricted", "thread_safe", "async_signal_safe" };

	return level < COUNT(words) ? words[level] : "unknown";
}

/* ---- values -------------------------------------------------------------------------------------------- */

double mpidbg_var_real(int64_t bits)
{
	double ret;

	memcpy(&ret, &bits, sizeof(ret));
	return ret;
}

void mpidbg_var_number(enum mdl_var_type type, int64_t bits, char *ret, size_t size)
{
	switch (type) {
	case MDL_VAR_DOUBLE:
		snprintf(ret, size, "%.15g", mpidbg_var_real(bits));
		break;
	case MDL_VAR_UNSIGNED:
	case MDL_VAR_UNSIGNED_LONG:
	case MDL_VAR_UNSIGNED_LONG_LONG:
	case MDL_VAR_UINT32:
	case MDL_VAR_UINT64:
		snprintf(ret, size, "%" PRIu64, (uint64_t)bits);
		break;
	case MDL_VAR_BOOL:
		snprintf(ret, size, "%s", bits ? "true" : "false");
		break;
	default:
		snprintf(ret, size, "%" PRId64, bits);
		break;
	}
}

/* A growing text with a limit. */
struct text {
	char *at;
	size_t n, size;
};

static void add_words(struct text *t, const char *words)
{
	size_t n = strlen(words);

	if (n >= t->size - t->n)
		n = t->size - t->n - 1;
	memcpy(t->at + t->n, words, n);
	t->n += n;
	t->at[t->n] = '\0';
}

static bool is_full(const struct text *t)
{
	return t->n + 1 >= t->size;
}

static enum acc_rc numbers(const struct rd_track_vars *v, const struct mdl_variable *var, struct text *t)
{
	char number[40];

	for (uint64_t i = 0; i < var->values.n && !is_full(t); i++) {
		int64_t one;
		enum acc_rc rc = rd_track_numbers(v->t, &var->values, 8, i, 1, &one);

		if (rc)
			return rc;
		mpidbg_var_number(var->type, one, number, sizeof(number));
		add_words(t, i ? ", " : "");
		add_words(t, number);
	}
	return ACC_OK;
}

static enum acc_rc objects(const struct rd_track_vars *v, const struct mdl_variable *var, struct text *t)
{
	struct mpidbg_var_objects it;
	struct mpidbg_var_object one;
	char number[40], words[120];

	enum acc_rc rc = mpidbg_var_objects_first(v, var, &it);
	while (rc == ACC_OK && !is_full(t) && (rc = mpidbg_var_objects_next(&it, &one)) == ACC_OK) {
		mpidbg_var_number(var->type, (int64_t)one.value, number, sizeof(number));
		snprintf(words, sizeof(words), "0x%" PRIx64, one.handle);
		add_words(t, t->n ? ", " : "");
		add_words(t, one.name[0] ? one.name : words);
		add_words(t, ": ");
		add_words(t, number);
	}
	if (rc != ACC_OK && rc != ACC_NONE)
		return rc;
	if (var->objects.total > var->objects.n) {
		snprintf(words, sizeof(words), ", %" PRIu64 " more", var->objects.total - var->objects.n);
		add_words(t, words);
	}
	return ACC_OK;
}

enum acc_rc mpidbg_var_value(const struct rd_track_vars *v, const struct mdl_variable *var, char *ret, size_t size)
{
	struct text t = { .at = ret, .size = size };

	ret[0] = '\0';
	if (var->value.known == MDL_UNAVAILABLE)
		return ACC_NONE;
	if (var->value.known == MDL_KNOWN) {
		mpidbg_var_number(var->type, var->value.value, ret, size);
		return ACC_OK;
	}
	if (var->is_text)
		return rd_track_var_value(v, var, ret, size);
	if (var->of_queues || (var->objects.known && var->objects.total))
		return objects(v, var, &t);
	return numbers(v, var, &t);
}

const char *mpidbg_vars_todo(const struct mdl_vars *about)
{
	switch (about->host) {
	case MDL_VARS_READ:
		return NULL;
	case MDL_VARS_NONE:
		return "its MPI_T does not work";
	case MDL_VARS_OFF:
		return "the program was started with MPI2DD_VARS=none";
	default:
		return "start the program with MPI2DD_VARS=host in its environment, or call MPI2DD_refresh() in the "
		       "process with a debugger, between MPI_Init and MPI_Finalize";
	}
}

/* ---- patterns -------------------------------------------------------------------------------------------- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Match one character against a set; @p starts after '['. @return what follows the set; NULL: not a set, '[' is literal
 */
static const char *set_has(const char *set, char c, bool *ret)
{
	bool not = *set == '!' || *set == '^', found = false;
	const char *at = set + not ;

	for (bool first = true; first || *at != ']'; first = false) {
		if (!*at)
			return NULL;
		char from = lower(*at++), to = from;
		if (at[0] == '-' && at[1] && at[1] != ']') {
			to = lower(at[1]);
			at += 2;
		}
		found |= from <= c && c <= to;
	}
	*ret = found != not ;
	return at + 1;
}

/* Match one character. @return the rest of the pattern; NULL: no match */
static const char *match_character(const char *pattern, char c)
{
	bool has;

	if (*pattern == '?')
		return pattern + 1;
	if (*pattern == '[') {
		const char *next = set_has(pattern + 1, c, &has);
		if (next)
			return has ? next : NULL;
	}
	if (*pattern == '\\' && pattern[1])
		pattern++;
	return *pattern && lower(*pattern) == c ? pattern + 1 : NULL;
}

/* only the last star is retried, so time is at most proportional to the product of both lengths */
static bool glob(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = ++pattern;
			from = name;
			continue;
		}
		const char *next = match_character(pattern, lower(*name));
		if (next) {
			pattern = next;
			name++;
		} else if (star) {
			pattern = star;
			name = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool contains(const char *name, const char *part)
{
	for (; *name; name++) {
		size_t i = 0;

		while (part[i] && lower(name[i]) == lower(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return false;
}

bool mpidbg_name_fits(const char *pattern, const char *name)
{
	if (!pattern || !*pattern)
		return true;
	return pattern[strcspn(pattern, "*?[")] ? glob(pattern, name) : contains(name, pattern);
}
