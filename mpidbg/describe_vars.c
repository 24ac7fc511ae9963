/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of MPI_T as text and JSON: selection of lists, control and performance variables.
 */
#include "describe_vars.h"

#include "code.h"
#include "settings.h"
#include "var_objects.h"

#include "../access/limits.h"
#include "../mqs/callbacks.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { SHOWN = 48 };

static const char *const kinds[] = { "cvars", "pvars", "categories", "events" };
static const char *const titles[] = { "control variables", "performance variables", "categories", "events" };
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- variables ------------------------------------------------------------------------------------------------ */

static void json_number(struct out *o, const char *key, enum mdl_var_type type, int64_t bits)
{
	double real = mpidbg_var_real(bits);

	switch (type) {
	case MDL_VAR_DOUBLE: {
		char number[40];

		/* JSON has no infinity */
		mpidbg_var_number(type, bits, number, sizeof(number));
		if (real - real == 0) /* NOLINT: finite */
			out_json_real(o, key, number);
		else
			out_json_string(o, key, number);
		break;
	}
	case MDL_VAR_UNSIGNED:
	case MDL_VAR_UNSIGNED_LONG:
	case MDL_VAR_UNSIGNED_LONG_LONG:
	case MDL_VAR_UINT32:
	case MDL_VAR_UINT64:
		/* larger numbers lose precision in many JSON parsers */
		if (bits >= 0) {
			out_json_int(o, key, bits);
		} else {
			char number[40];

			mpidbg_var_number(type, bits, number, sizeof(number));
			out_json_string(o, key, number);
		}
		break;
	case MDL_VAR_BOOL:
		out_json_bool(o, key, bits != 0);
		break;
	default:
		out_json_int(o, key, bits);
		break;
	}
}

static enum acc_rc json_values(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct out *o = &w->d->o;
	enum acc_rc rc = ACC_OK;

	out_json_array(o, "value");
	for (uint64_t i = 0; !rc && !o->failed && i < var->values.n; i++) {
		int64_t one;

		rc = rd_track_numbers(w->v.t, &var->values, 8, i, 1, &one);
		if (!rc)
			json_number(o, NULL, var->type, one);
	}
	out_json_array_end(o);
	return rc;
}

static enum acc_rc json_objects(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct mpidbg_var_objects it;
	struct mpidbg_var_object one;
	struct out *o = &w->d->o;

	out_json_array(o, "objects");
	enum acc_rc rc = mpidbg_var_objects_first(&w->v, var, &it);
	while (rc == ACC_OK && !o->failed && (rc = mpidbg_var_objects_next(&it, &one)) == ACC_OK) {
		out_json_object(o, NULL);
		out_json_addr(o, "object", one.handle);
		if (one.name[0])
			out_json_string(o, "name", one.name);
		json_number(o, "value", var->type, (int64_t)one.value);
		out_json_uint(o, "count", one.count);
		out_json_object_end(o);
	}
	out_json_array_end(o);
	if (var->objects.total > var->objects.n)
		out_json_uint(o, "objects_missing", var->objects.total - var->objects.n);
	return rc == ACC_NONE ? ACC_OK : rc;
}

static void json_value(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct out *o = &w->d->o;
	enum acc_rc rc = ACC_OK;

	if (var->value.known == MDL_UNAVAILABLE) {
		out_json_unknown(o, "value", var->value.why);
	} else if (var->value.known == MDL_KNOWN) {
		json_number(o, "value", var->type, var->value.value);
	} else if (var->is_text) {
		rc = rd_track_var_value(&w->v, var, w->value, sizeof(w->value));
		if (rc)
			out_json_unknown(o, "value", "cannot be read");
		else
			out_json_string(o, "value", w->value);
	} else if (var->of_queues || (var->objects.known && var->objects.total)) {
		rc = json_objects(w, var);
	} else {
		rc = json_values(w, var);
	}
	if (rc)
		mpidbg_problem_walk(w->d, rc, 0, w->name);
}

/* The source of the value, and when it was read. */
static void json_origin(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct out *o = &w->d->o;

	if (var->read_at.known == MDL_NOT_APPLICABLE) {
		out_json_string(o, "source", "memory");
		return;
	}
	out_json_string(o, "source", "MPI_T");
	out_json_num(o, "time", var->read_at);
	if (var->read_for && !rd_track_var_text(&w->v, var->read_for, w->more, sizeof(w->more)))
		out_json_string(o, "read_for", w->more);
}

static void json_variable(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct out *o = &w->d->o;

	out_json_object(o, NULL);
	mpidbg_var_json_texts(w, var->index, var->of_mpi);
	out_json_string(o, "type", mpidbg_type_word(var->type));
	if (var->kind == MDL_CVARS) {
		mpidbg_var_json_word(o, "scope", mpidbg_scope_word(var->scope));
	} else {
		mpidbg_var_json_word(o, "class", mpidbg_class_word(var->var_class));
		out_json_bool(o, "readonly", var->readonly.value != 0);
		out_json_bool(o, "continuous", var->continuous.value != 0);
		out_json_bool(o, "atomic", var->atomic.value != 0);
	}
	mpidbg_var_json_word(o, "bind", mpidbg_bind_word(var->bind));
	mpidbg_var_json_word(o, "verbosity", mpidbg_verbosity_word(var->verbosity));
	out_json_num(o, "count", var->count);
	json_value(w, var);
	if (var->enumeration && !rd_track_var_text(&w->v, var->enumeration, w->more, sizeof(w->more)))
		out_json_string(o, "enum", w->more);
	if (var->item && !rd_track_var_text(&w->v, var->item, w->more, sizeof(w->more)))
		out_json_string(o, "item", w->more);
	json_origin(w, var);
	if (var->unsettled)
		out_json_bool(o, "unsettled", true);
	out_json_object_end(o);
}

/* A text is truncated; --all shows all of it. */
static void text_value(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct out *o = &w->d->o;
	enum acc_rc rc = mpidbg_var_value(&w->v, var, w->value, sizeof(w->value));

	if (rc) {
		out_text(o, "unavailable (%s)", rc == ACC_NONE ? var->value.why : acc_rc_text(rc));
		if (rc != ACC_NONE)
			mpidbg_problem_walk(w->d, rc, 0, w->name);
		return;
	}
	size_t n = strlen(w->value);
	bool cut = !o->all && n > SHOWN + 3;
	/* do not cut inside a UTF-8 character */
	for (n = SHOWN; cut && n && ((unsigned char)w->value[n] & 0xc0) == 0x80; n--)
		;
	if (cut)
		w->value[n] = '\0';
	out_name(o, w->value, var->is_text);
	if (cut)
		out_text(o, "...");
	if (var->item && !rd_track_var_text(&w->v, var->item, w->more, sizeof(w->more))) {
		out_text(o, " ");
		out_name(o, w->more, true);
	}
}

/* Write "now", or the age of the value and the cause of the refresh. */
static void text_age(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct mdl_num age = rd_track_var_age(&w->v, var, w->d->options.now_s);
	struct out *o = &w->d->o;

	if (age.known == MDL_NOT_APPLICABLE)
		out_text(o, ", now");
	else if (age.known == MDL_KNOWN)
		out_text(o, ", %" PRId64 " s ago", age.value);
	if (var->read_for && !rd_track_var_text(&w->v, var->read_for, w->more, sizeof(w->more)) && w->more[0]) {
		out_text(o, ", at ");
		out_name(o, w->more, false);
	}
}

static void text_variable(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct out *o = &w->d->o;
	const char *word = mpidbg_scope_word(var->scope);

	if (var->kind == MDL_PVARS)
		word = mpidbg_class_word(var->var_class);
	mpidbg_var_text_name(w);
	out_column(o, MPIDBG_COL_VALUE);
	text_value(w, var);
	out_column(o, MPIDBG_COL_TYPE);
	out_color(o, OUT_FAINT);
	out_text(o, "%s, %s", mpidbg_type_word(var->type), word ? word : "unknown");
	if (var->bind.known == MDL_KNOWN && var->bind.value)
		out_text(o, ", per %s", mpidbg_bind_word(var->bind));
	text_age(w, var);
	if (var->unsettled)
		out_text(o, ", was being written");
	out_color(o, OUT_PLAIN);
	mpidbg_var_text_desc(w);
}

/* ---- selection ----------------------------------------------------------------------------------------- */

static bool is_zero(enum mdl_var_type type, int64_t bits)
{
	return type == MDL_VAR_DOUBLE ? !(mpidbg_var_real(bits) > 0 || mpidbg_var_real(bits) < 0) : bits == 0;
}

/* Is any of its values known and not 0? */
static bool has_value(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	struct mpidbg_var_objects it;
	struct mpidbg_var_object one;
	int64_t number;

	if (var->value.known == MDL_KNOWN)
		return !is_zero(var->type, var->value.value);
	if (var->value.known == MDL_UNAVAILABLE || var->is_text)
		return false;
	if (var->of_queues || (var->objects.known && var->objects.total)) {
		if (mpidbg_var_objects_first(&w->v, var, &it))
			return false;
		while (mpidbg_var_objects_next(&it, &one) == ACC_OK)
			if (!is_zero(var->type, (int64_t)one.value))
				return true;
		return false;
	}
	for (uint64_t i = 0; i < var->values.n; i++)
		if (!rd_track_numbers(w->v.t, &var->values, 8, i, 1, &number) && !is_zero(var->type, number))
			return true;
	return false;
}

/* Is it selected? Numbers of live objects, or of bytes that the library uses, do not count as activity. */
static bool is_wanted(struct mpidbg_var_work *w, const struct mdl_variable *var)
{
	static const char *const own[] = { "mpi2dd_live_", "mpi2dd_arena_" };
	const char *word;

	if (!w->d->options.moved)
		return true;
	if (var->kind != MDL_PVARS)
		return false;
	for (size_t i = 0; !var->of_mpi && i < sizeof(own) / sizeof(own[0]); i++)
		if (!strncmp(w->name, own[i], strlen(own[i])))
			return false;
	word = mpidbg_class_word(var->var_class);
	return word && strcmp(word, "state") && has_value(w, var);
}

static enum acc_rc write_variable(struct mpidbg_var_work *w, enum mdl_var_kind kind, uint64_t i, uint64_t *n_bad)
{
	struct mdl_variable var;
	enum acc_rc rc = rd_track_variable(&w->v, kind, i, &var);

	if (rc || !mpidbg_var_texts(w, var.name, var.description, n_bad))
		return rc;
	mpidbg_var_now(&w->v, &var);
	if (!is_wanted(w, &var))
		return ACC_OK;
	if (w->d->o.json)
		json_variable(w, &var);
	else
		text_variable(w, &var);
	return ACC_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static enum acc_rc write_one(struct mpidbg_var_work *w, int kind, uint64_t i, uint64_t *n_bad)
{
	switch (kind) {
	case MDL_CATEGORIES:
		return mpidbg_write_category(w, i, n_bad);
	case MDL_EVENTS:
		return mpidbg_write_event(w, i, n_bad);
	default:
		return write_variable(w, (enum mdl_var_kind)kind, i, n_bad);
	}
}

/* The number of matching variables; failures are noted in the second walk. */
static uint64_t count_vars(struct mpidbg_var_work *w, int kind, bool *any_bad)
{
	uint64_t n = 0, fit = w->n_fit, n_bad = 0;

	for (uint64_t i = 0; i < rd_track_vars_high(&w->v, (enum mdl_var_kind)kind); i++) {
		struct mdl_variable var;
		struct mdl_category c;
		struct mdl_event e;
		enum acc_rc rc = kind == MDL_CATEGORIES ? rd_track_category(&w->v, i, &c)
				 : kind == MDL_EVENTS   ? rd_track_event(&w->v, i, &e)
							: rd_track_variable(&w->v, (enum mdl_var_kind)kind, i, &var);

		n_bad += rc && rc != ACC_NONE;
		if (n_bad > ACC_BAD_MAX)
			break;
		bool fits = !rc && mpidbg_var_texts(w,
						    kind == MDL_CATEGORIES ? c.name
						    : kind == MDL_EVENTS   ? e.name
									   : var.name,
						    0, &n_bad);
		if (fits && kind <= MDL_PVARS) {
			mpidbg_var_now(&w->v, &var);
			fits = is_wanted(w, &var);
		}
		n += fits;
	}
	w->n_fit = fit;
	*any_bad = n_bad > 0;
	acc_note_clear(&w->d->p->space.note);
	return n;
}

static void write_kind(struct mpidbg_var_work *w, int kind, bool asked)
{
	struct out *o = &w->d->o;
	bool any_bad = o->json;
	uint64_t n_bad = 0, n = o->json ? 0 : count_vars(w, kind, &any_bad);

	if (o->json) {
		out_json_array(o, kinds[kind]);
	} else if (n || (asked && !w->d->options.value)) {
		out_line(o, 1);
		out_color(o, OUT_BOLD);
		out_text(o, "%s", titles[kind]);
		out_color(o, OUT_PLAIN);
		out_text(o, ": %" PRIu64, n);
		out_line_end(o);
	}
	for (uint64_t i = 0; (n || any_bad) && !o->failed && i < rd_track_vars_high(&w->v, (enum mdl_var_kind)kind);
	     i++) {
		enum acc_rc rc = write_one(w, kind, i, &n_bad);

		n_bad += rc && rc != ACC_NONE;
		if (n_bad > ACC_BAD_MAX)
			break;
	}
	if (o->json)
		out_json_array_end(o);
	mpidbg_problem_walk(w->d, ACC_OK, n_bad, titles[kind]);
}

/* Write the time of the last refresh, and which parts are missing. */
static void write_about(struct mpidbg_var_work *w, const char *library, bool events_only)
{
	struct out *o = &w->d->o;
	const struct mdl_vars *about = &w->v.about;
	const char *todo = mpidbg_vars_todo(about);

	if (rd_track_var_text(&w->v, about->why, w->more, sizeof(w->more)))
		w->more[0] = '\0';
	if (o->json) {
		out_json_num(o, "refreshed", about->read_at);
		out_json_num(o, "refreshes", about->n_refreshes);
		if (w->more[0])
			out_json_string(o, "refreshed_for", w->more);
		out_json_bool(o, "mpi_library", !todo);
		if (todo)
			out_json_string(o, "mpi_library_why", todo);
		return;
	}
	if (!todo || events_only)
		return;
	out_line(o, 1);
	out_name(o, library, false);
	out_text(o, "'s own were not read: %s", todo);
	out_line_end(o);
}

static int kind_of(const char *word)
{
	for (int k = 0; k < N_KINDS; k++)
		if (!strcmp(kinds[k], word))
			return k;
	return -1;
}

static enum acc_rc write_vars(struct mpidbg_var_work *w, int only)
{
	struct mpidbg_description *d = w->d;
	const struct mdl_library *library = rd_track_library(d->p->track);
	enum acc_rc rc = rd_track_vars(d->p->track, &w->v);

	if (rc == ACC_NONE)
		return mqs_state_fail(d->p, ACC_NONE, "the in-target library of this process is older than that");
	if (rc)
		return mqs_state_fail(d->p, rc, "MPI_T's variables");
	w->v.native = mpidbg_var_native(d->p);
	write_about(w, library->implementation, only == MDL_EVENTS);
	if (!d->options.moved)
		mpidbg_write_settings(d, d->p->track, "", 0);
	for (int k = 0; k < N_KINDS; k++)
		if (only < 0 || only == k)
			write_kind(w, k, only >= 0);
	if (w->v.about.n_dropped)
		mpidbg_problem(d, "incomplete: %" PRIu64 " found no room in the process", w->v.about.n_dropped);
	if (w->n_fit || d->n_problems)
		return ACC_OK;
	if (!w->v.about.known)
		return mqs_state_fail(d->p, ACC_NONE,
				      w->v.about.host == MDL_VARS_OFF ? "the program was started with MPI2DD_VARS=none"
								      : "nothing was read yet: MPI is not initialised");
	if (!d->options.value || !*d->options.value)
		return ACC_OK;
	/* characters of regular expressions that do not occur in names */
	bool is_regex = strpbrk(d->options.value, "[]^$|()+.\\{}");
	const char *todo = only != MDL_EVENTS ? mpidbg_vars_todo(&w->v.about) : NULL;
	snprintf(w->more, sizeof(w->more), "no name of %s fits \"%.100s\"%s%s%s",
		 only < 0 ? "a variable, category or event" : titles[only], d->options.value,
		 is_regex ? ", which is a part of a name or a pattern of the shell (* ? [a-z])" : "",
		 todo ? ": the MPI library's own were not read: " : "", todo ? todo : "");
	return mqs_state_fail(d->p, ACC_NONE, w->more);
}

int mpidbg_describe_vars(struct mpidbg_description *d)
{
	const struct out_identity identity = mpidbg_identity(d);
	int only = d->options.kind ? kind_of(d->options.kind) : d->options.moved ? MDL_PVARS : -1;

	if (d->options.kind && only < 0) {
		mqs_state_fail(d->p, ACC_NONE, "there are cvars, pvars, categories and events");
		return MPIDBG_ERR_OUT_OF_RANGE;
	}
	struct mpidbg_var_work *w = mqs_callbacks_alloc(sizeof(*w));
	if (!w)
		return MPIDBG_ERR_NO_MEM;
	memset(w, 0, offsetof(struct mpidbg_var_work, name));
	w->d = d;

	enum acc_rc rc = mqs_state_track(d->p);
	out_process_begin(&d->o, &identity, rc ? NULL : rd_track_library(d->p->track), d->p->note.text);
	if (!rc)
		rc = write_vars(w, only);
	mqs_callbacks_release(w);
	if (rc && rc != ACC_NONE)
		mpidbg_problem(d, "%s", d->p->note.text);
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	return mpidbg_code(rc);
}
