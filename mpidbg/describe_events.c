/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of MPI_T as text and JSON: categories, and events with their registrations.
 */
#include "describe_vars.h"

#include "var_objects.h"

#include "place.h"

#include "../access/limits.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- categories ------------------------------------------------------------------------------------------------ */

static const char *const members[] = { "cvars", "pvars", "events", "categories" };

static void json_members(struct mpidbg_var_work *w, const struct mdl_category *c)
{
	struct out *o = &w->d->o;

	for (int k = 0; k < 4; k++) {
		enum acc_rc rc = ACC_OK;

		out_json_array(o, members[k]);
		for (uint64_t i = 0; !rc && !o->failed && c->members[k].known && i < c->members[k].n; i++) {
			int64_t index;

			rc = rd_track_numbers(w->v.t, &c->members[k], 4, i, 1, &index);
			if (!rc)
				out_json_int(o, NULL, index);
		}
		out_json_array_end(o);
		if (rc)
			mpidbg_problem_walk(w->d, rc, 0, w->name);
		if (c->members[k].total > c->members[k].n)
			mpidbg_problem(w->d,
				       "category %s: %" PRIu64 " of its %s are not recorded because there was no space",
				       w->name, c->members[k].total - c->members[k].n, members[k]);
	}
}

static void text_category(struct mpidbg_var_work *w, const struct mdl_category *c)
{
	struct out *o = &w->d->o;
	struct mdl_category parent;
	const char *comma = "";

	mpidbg_var_text_name(w);
	out_column(o, MPIDBG_COL_VALUE);
	for (int k = 0; k < 4; k++) {
		if (!c->members[k].total)
			continue;
		out_text(o, "%s%" PRIu64 " %s", comma, c->members[k].total, members[k]);
		comma = ", ";
	}
	if (!*comma)
		out_text(o, "empty");
	if (c->parent.known == MDL_KNOWN && !rd_track_category(&w->v, (uint64_t)c->parent.value, &parent) &&
	    !rd_track_var_text(&w->v, parent.name, w->more, sizeof(w->more))) {
		out_text(o, "  in ");
		out_name(o, w->more, true);
	}
	mpidbg_var_text_desc(w);
}

enum acc_rc mpidbg_write_category(struct mpidbg_var_work *w, uint64_t i, uint64_t *n_bad)
{
	struct mdl_category c;
	enum acc_rc rc = rd_track_category(&w->v, i, &c);

	if (rc || !mpidbg_var_texts(w, c.name, c.description, n_bad))
		return rc;
	if (!w->d->o.json) {
		text_category(w, &c);
		return ACC_OK;
	}
	out_json_object(&w->d->o, NULL);
	mpidbg_var_json_texts(w, c.index, c.of_mpi);
	out_json_num(&w->d->o, "parent", c.parent);
	json_members(w, &c);
	out_json_object_end(&w->d->o);
	return ACC_OK;
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

/* The function of a callback, if the debugger knows its name. */
static void json_place(struct mpidbg_var_work *w, const char *key, struct mdl_num addr)
{
	if (addr.known == MDL_KNOWN && mpidbg_function(w->d, (uint64_t)addr.value, w->more))
		out_json_string(&w->d->o, key, w->more);
}

static void json_registration(struct mpidbg_var_work *w, const struct mdl_registration *r, struct mdl_num bind)
{
	struct out *o = &w->d->o;

	out_json_object(o, NULL);
	out_json_addr(o, "handle", r->handle);
	out_json_bool(o, "freed", r->freed);
	out_json_num_addr(o, "object", r->object);
	if (r->object.known == MDL_KNOWN &&
	    mpidbg_object_name(&w->v, bind, (uint64_t)r->object.value, w->more, sizeof(w->more)))
		out_json_string(o, "object_name", w->more);
	out_json_object(o, "callbacks");
	for (unsigned level = 0; level < 4; level++)
		out_json_num_addr(o, mpidbg_safety_word(level), r->callbacks[level]);
	out_json_object_end(o);
	out_json_object(o, "callback_places");
	for (unsigned level = 0; level < 4; level++)
		json_place(w, mpidbg_safety_word(level), r->callbacks[level]);
	out_json_object_end(o);
	out_json_num_addr(o, "dropped_handler", r->dropped_handler);
	json_place(w, "dropped_handler_place", r->dropped_handler);
	out_json_num(o, "raised", r->raised);
	out_json_num(o, "dropped", r->dropped);
	out_json_object_end(o);
}

/*
 * Write the function of a callback. Its address may differ between ranks, so it is shown only with --all if the
 * debugger knows the function.
 */
static void text_function(struct mpidbg_var_work *w, const char *word, struct mdl_num addr)
{
	struct out *o = &w->d->o;
	bool named = mpidbg_function(w->d, (uint64_t)addr.value, w->more);

	out_text(o, "%s ", word);
	if (!named || o->all)
		out_text(o, "0x%" PRIx64 "%s", (uint64_t)addr.value, named ? " " : "");
	if (named)
		out_name(o, w->more, false);
}

static void text_registration(struct mpidbg_var_work *w, const struct mdl_registration *r, struct mdl_num bind)
{
	struct out *o = &w->d->o;
	const char *comma = "";

	out_line(o, 3);
	out_text(o, "%sregistration 0x%" PRIx64, r->freed ? "freed " : "", r->handle);
	if (r->object.known == MDL_KNOWN) {
		bool named = mpidbg_object_name(&w->v, bind, (uint64_t)r->object.value, w->more, sizeof(w->more));

		out_text(o, " of ");
		out_name(o, w->more, named);
	}
	out_text(o, ": raised ");
	out_num(o, r->raised);
	out_text(o, ", dropped ");
	out_num(o, r->dropped);
	out_text(o, "; ");
	for (unsigned level = 0; level < 4; level++) {
		if (r->callbacks[level].known != MDL_KNOWN)
			continue;
		out_text(o, "%s", comma);
		text_function(w, "callback", r->callbacks[level]);
		out_text(o, " (requires %s)", mpidbg_safety_word(level));
		comma = ", ";
	}
	out_text(o, *comma ? "" : "no callback");
	if (r->dropped_handler.known == MDL_KNOWN)
		text_function(w, ", dropped handler", r->dropped_handler);
	out_line_end(o);
}

static void write_registrations(struct mpidbg_var_work *w, uint64_t event, struct mdl_num bind)
{
	struct out *o = &w->d->o;
	struct mdl_registration r;
	uint64_t n_bad = 0;

	for (uint64_t i = 0; !o->failed && i < rd_track_vars_high(&w->v, MDL_REGISTRATIONS); i++) {
		enum acc_rc rc = n_bad > ACC_BAD_MAX ? ACC_NONE : rd_track_registration(&w->v, i, &r);

		n_bad += rc && rc != ACC_NONE && event == 0;
		if (rc || r.event.known != MDL_KNOWN || (uint64_t)r.event.value != event ||
		    (r.freed && !w->d->options.freed && !w->d->options.all))
			continue;
		if (o->json)
			json_registration(w, &r, bind);
		else
			text_registration(w, &r, bind);
	}
	mpidbg_problem_walk(w->d, ACC_OK, n_bad, "registrations");
}

static void write_elements(struct mpidbg_var_work *w, const struct mdl_event *e)
{
	struct out *o = &w->d->o;

	for (uint64_t i = 0; e->elements.known && i < e->elements.n && !o->failed; i++) {
		int64_t type;

		if (rd_track_numbers(w->v.t, &e->elements, 1, i, 1, &type))
			break;
		const char *word = mpidbg_type_word((enum mdl_var_type)type);
		if (o->json)
			out_json_string(o, NULL, word);
		else
			out_text(o, "%s%s", i ? ", " : "", word);
	}
}

enum acc_rc mpidbg_write_event(struct mpidbg_var_work *w, uint64_t i, uint64_t *n_bad)
{
	struct out *o = &w->d->o;
	struct mdl_event e;
	enum acc_rc rc = rd_track_event(&w->v, i, &e);

	if (rc || !mpidbg_var_texts(w, e.name, e.description, n_bad))
		return rc;
	if (rd_track_var_text(&w->v, e.source, w->more, sizeof(w->more)))
		w->more[0] = '\0';
	if (o->json) {
		out_json_object(o, NULL);
		mpidbg_var_json_texts(w, e.index, e.of_mpi);
		out_json_string(o, "source", w->more);
		out_json_bool(o, "ordered", e.ordered);
		mpidbg_var_json_word(o, "bind", mpidbg_bind_word(e.bind));
		out_json_array(o, "elements");
		write_elements(w, &e);
		out_json_array_end(o);
		out_json_array(o, "registrations");
		write_registrations(w, i, e.bind);
		out_json_array_end(o);
		out_json_object_end(o);
		return ACC_OK;
	}
	mpidbg_var_text_name(w);
	out_column(o, MPIDBG_COL_VALUE);
	out_text(o, "(");
	write_elements(w, &e);
	out_text(o, ")");
	out_column(o, MPIDBG_COL_TYPE);
	out_text(o, "source ");
	out_name(o, w->more, true);
	out_text(o, e.ordered ? ", ordered" : ", unordered");
	if (e.bind.known == MDL_KNOWN && e.bind.value)
		out_text(o, ", per %s", mpidbg_bind_word(e.bind));
	mpidbg_var_text_desc(w);
	write_registrations(w, i, e.bind);
	return ACC_OK;
}
