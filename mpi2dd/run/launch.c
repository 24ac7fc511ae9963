/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch.h"

#include "launch_words.h"
#include "log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char preload_name[] = "LD_PRELOAD";
static const char env_list_name[] = "mca_base_env_list";

/* ---- words --------------------------------------------------------------------------------------- */

struct words {
	char **w; /* NULL-terminated; array and strings are owned */
	size_t n;
};

static void append_owned(struct words *words, char *text)
{
	char **w = realloc(words->w, (words->n + 2) * sizeof(*w));

	if (!w)
		run_fail(RUN_FAILED, "out of memory");
	words->w = w;
	w[words->n++] = text;
	w[words->n] = NULL;
}

static void append_word(struct words *words, const char *text)
{
	append_owned(words, run_text("%s", text));
}

static bool is_separator(const char *word)
{
	return strcmp(word, ":") == 0;
}

/* Index of the program in the part that begins at argv[i]; the end of the part if there is none. */
static size_t find_program(char *const *argv, size_t i, run_launch_is_program_fn *is_program)
{
	while (argv[i] && !is_separator(argv[i])) {
		if (strcmp(argv[i], "--") == 0)
			return argv[i + 1] && !is_separator(argv[i + 1]) ? i + 1 : i;
		if (!run_launch_option(argv[i]))
			return i;
		size_t n = run_launch_arguments(argv[i], argv[i + 1], is_program);
		for (i++; n > 0 && argv[i]; n--)
			i++;
	}
	return i;
}

static size_t end_of_part(char *const *argv, size_t i)
{
	while (argv[i] && !is_separator(argv[i]))
		i++;
	return i;
}

size_t run_launch_programs(char *const *argv, run_launch_is_program_fn *is_program, size_t ret[RUN_PROGRAMS_MAX])
{
	size_t n = 0;

	for (size_t i = argv[0] ? 1 : 0; argv[i] && n < RUN_PROGRAMS_MAX;) {
		size_t at = find_program(argv, i, is_program);

		if (argv[at] && !is_separator(argv[at]))
			ret[n++] = at;
		i = end_of_part(argv, at);
		i += argv[i] != NULL;
	}
	return n;
}

/* ---- values -------------------------------------------------------------------------------------- */

/* Our library, followed by the user's list. */
static char *preload_with(const struct run_launch *l, const char *user_list)
{
	return user_list && *user_list ? run_text("%s:%s", l->library, user_list) : run_text("%s", l->library);
}

/* For "LD_PRELOAD=VALUE" the value, for "LD_PRELOAD" the value in the environment; NULL: another variable. */
static const char *preload_of(const struct run_launch *l, const char *setting)
{
	size_t n = sizeof(preload_name) - 1;

	if (strncmp(setting, preload_name, n) != 0 || (setting[n] && setting[n] != '='))
		return NULL;
	if (setting[n])
		return setting + n + 1;
	return l->preload ? l->preload : "";
}

/* The user's list "NAME=VALUE;NAME" with our variables added. */
static char *env_list_with(const struct run_launch *l, const char *list)
{
	char *ret = run_text("%s", ""), *copy = run_text("%s", list);
	const char *user_list = l->preload;

	for (char *save = NULL, *item = strtok_r(copy, ";", &save); item; item = strtok_r(NULL, ";", &save)) {
		const char *value = preload_of(l, item);
		char *longer = value ? NULL : run_text("%s%s;", ret, item);

		if (value) {
			user_list = value;
			continue;
		}
		free(ret);
		ret = longer;
	}
	for (const char *const *name = l->names; *name; name++) {
		char *longer = run_text("%s%s;", ret, *name);

		free(ret);
		ret = longer;
	}
	char *preload = preload_with(l, user_list);
	char *all = run_text("%s%s=%s", ret, preload_name, preload);
	free(preload);
	free(ret);
	free(copy);
	return all;
}

/* ---- Open MPI ------------------------------------------------------------------------------------ */

static bool is_option(const char *word, const char *name)
{
	const char *option = run_launch_option(word);

	return option && strcmp(option, name) == 0;
}

static bool sets_env_list(char *const *argv, size_t i)
{
	return (is_option(argv[i], "mca") || is_option(argv[i], "gmca") || is_option(argv[i], "omca")) && argv[i + 1] &&
	       argv[i + 2] && strcmp(argv[i + 1], env_list_name) == 0;
}

/* Facts about the command line: does it set the list, how many parts it has, and the file that --app names. */
struct survey {
	bool has_list;
	size_t n_parts;
	const char *app_file;
};

static struct survey survey_command_line(const struct run_launch *l)
{
	struct survey s = { 0 };
	char *const *argv = l->argv;

	for (size_t i = 1;; i++) {
		size_t program = find_program(argv, i, l->is_program);

		for (; i < program; i++) {
			s.has_list = s.has_list || sets_env_list(argv, i);
			if (is_option(argv[i], "app") && argv[i + 1])
				s.app_file = argv[i + 1];
		}
		s.n_parts++;
		i = end_of_part(argv, i);
		if (!argv[i])
			return s;
	}
}

/* Does the file that --app names use -x? If it cannot be read, the launcher will report the error. */
static bool app_file_uses_x(const char *path)
{
	char line[4096];
	bool uses = false;
	FILE *f = fopen(path, "re");

	while (f && !uses && fgets(line, sizeof(line), f))
		for (char *save = NULL, *word = strtok_r(line, " \t\n", &save); word;
		     word = strtok_r(NULL, " \t\n", &save))
			uses = uses || is_option(word, "x") || strcmp(word, env_list_name) == 0;
	if (f)
		fclose(f);
	return uses;
}

static bool part_sets_preload(const struct run_launch *l, size_t from, size_t to)
{
	for (size_t i = from; i + 1 < to; i++)
		if (is_option(l->argv[i], "x") && preload_of(l, l->argv[i + 1]))
			return true;
	return false;
}

/* Placed before the user's own -x options, so that those win. */
static void append_x(const struct run_launch *l, bool with_preload, struct words *w)
{
	if (with_preload) {
		char *preload = preload_with(l, l->preload);

		append_word(w, "-x");
		append_owned(w, run_text("%s=%s", preload_name, preload));
		free(preload);
	}
	for (const char *const *name = l->names; *name; name++) {
		append_word(w, "-x");
		append_word(w, *name);
	}
}

/* Copy the options of one part, up to the program, and complete the user's settings of LD_PRELOAD and of the list. */
static void openmpi_part(const struct run_launch *l, bool by_x, size_t from, size_t to, struct words *w)
{
	if (by_x)
		append_x(l, !part_sets_preload(l, from, to), w);
	for (size_t i = from; i < to; i++) {
		const char *value = is_option(l->argv[i], "x") && i + 1 < to ? preload_of(l, l->argv[i + 1]) : NULL;

		append_word(w, l->argv[i]);
		if (value) {
			char *preload = preload_with(l, value);

			append_owned(w, run_text("%s=%s", preload_name, preload));
			free(preload);
			i++;
		} else if (sets_env_list(l->argv, i) && i + 2 < to) {
			append_word(w, l->argv[i + 1]);
			append_owned(w, env_list_with(l, l->argv[i + 2]));
			i += 2;
		}
	}
}

static void openmpi(const struct run_launch *l, struct words *w, struct run_launched *ret)
{
	struct survey s = survey_command_line(l);
	bool by_x = !s.has_list && !l->env_list && !s.app_file;

	append_word(w, l->argv[0]);
	for (size_t i = 1;; i++) {
		size_t program = find_program(l->argv, i, l->is_program);

		openmpi_part(l, by_x, i, program, w);
		for (i = program; l->argv[i] && !is_separator(l->argv[i]); i++)
			append_word(w, l->argv[i]);
		if (!l->argv[i])
			break;
		append_word(w, l->argv[i]);
	}
	if (by_x)
		return;
	/* A list on the command line hides the one in the environment and does not apply to every part (Open MPI 4.1).
	 * In this case the ranks on the launcher's host inherit the variables from the launcher. A file that uses -x
	 * excludes the list. */
	bool by_list = !s.has_list && !(s.app_file && app_file_uses_x(s.app_file));
	if (by_list)
		ret->env_list = env_list_with(l, l->env_list ? l->env_list : "");
	else if (s.app_file || s.n_parts > 1)
		ret->preload = preload_with(l, l->preload);
}

/* ---- MPICH --------------------------------------------------------------------------------------- */

/* The user's list "A,B" with our names added. */
static char *names_with(const struct run_launch *l, const char *list)
{
	char *ret = run_text("%s", list);

	for (const char *const *name = l->names; *name; name++) {
		char *longer = run_text("%s%s%s", ret, *ret ? "," : "", *name);

		free(ret);
		ret = longer;
	}
	return ret;
}

/* Copy one option of the user. @return how many words of the command line it took. */
static size_t mpich_option(const struct run_launch *l, size_t i, size_t to, struct words *w)
{
	char *const *argv = l->argv;
	bool sets = (is_option(argv[i], "genv") || is_option(argv[i], "env")) && i + 1 < to;

	if (sets && strcmp(argv[i + 1], preload_name) == 0 && i + 2 < to) {
		append_word(w, argv[i]);
		append_word(w, preload_name);
		append_owned(w, preload_with(l, argv[i + 2]));
		return 3;
	}
	if (sets && strchr(argv[i + 1], '=') && preload_of(l, argv[i + 1])) {
		char *preload = preload_with(l, preload_of(l, argv[i + 1]));
		append_word(w, argv[i]);
		append_owned(w, run_text("%s=%s", preload_name, preload));
		free(preload);
		return 2;
	}
	if ((is_option(argv[i], "genvlist") || is_option(argv[i], "envlist")) && i + 1 < to) {
		append_word(w, argv[i]);
		append_owned(w, names_with(l, argv[i + 1]));
		return 2;
	}
	if (*l->names && (is_option(argv[i], "genvnone") || is_option(argv[i], "envnone"))) {
		append_word(w, is_option(argv[i], "genvnone") ? "-genvlist" : "-envlist");
		append_owned(w, names_with(l, ""));
		return 1;
	}
	append_word(w, argv[i]);
	return 1;
}

static void mpich(const struct run_launch *l, struct words *w)
{
	append_word(w, l->argv[0]);
	append_word(w, "-genv");
	append_word(w, preload_name);
	append_owned(w, preload_with(l, l->preload));
	for (size_t i = 1;; i++) {
		size_t program = find_program(l->argv, i, l->is_program);

		while (i < program)
			i += mpich_option(l, i, program, w);
		for (; l->argv[i] && !is_separator(l->argv[i]); i++)
			append_word(w, l->argv[i]);
		if (!l->argv[i])
			return;
		append_word(w, l->argv[i]);
	}
}

/* -------------------------------------------------------------------------------------------------- */

void run_launch_rewrite(const struct run_launch *launch, struct run_launched *ret)
{
	struct words w = { 0 };

	memset(ret, 0, sizeof(*ret));
	if (launch->style == RUN_BY_OPENMPI) {
		openmpi(launch, &w, ret);
	} else if (launch->style == RUN_BY_MPICH) {
		mpich(launch, &w);
	} else {
		for (char *const *word = launch->argv; *word; word++)
			append_word(&w, *word);
		ret->preload = preload_with(launch, launch->preload);
	}
	ret->argv = w.w;
}

void run_launched_free(struct run_launched *launched)
{
	for (char **word = launched->argv; word && *word; word++)
		free(*word);
	free(launched->argv);
	free(launched->preload);
	free(launched->env_list);
	memset(launched, 0, sizeof(*launched));
}
