/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and descriptions of variables, categories and events. */
#include "describe_vars.h"

#include "../render/json.h"
#include "../render/text.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Read the texts of a record. @return false: its name cannot be read (noted), or it is not selected */
bool mpidbg_var_texts(struct mpidbg_var_work *w, uint64_t name, uint64_t desc, uint64_t *n_bad)
{
	if (rd_track_var_text(&w->v, name, w->name, sizeof(w->name)) ||
	    rd_track_var_text(&w->v, desc, w->desc, sizeof(w->desc))) {
		++*n_bad;
		return false;
	}
	if (!mpidbg_name_fits(w->d->options.value, w->name))
		return false;
	w->n_fit++;
	return true;
}

void mpidbg_var_json_word(struct out *o, const char *key, const char *text)
{
	if (text)
		out_json_string(o, key, text);
	else
		out_json_unknown(o, key, "none that the standard names");
}

void mpidbg_var_json_texts(struct mpidbg_var_work *w, uint64_t index, bool of_mpi)
{
	struct out *o = &w->d->o;

	out_json_uint(o, "index", index);
	out_json_string(o, "name", w->name);
	out_json_string(o, "description", w->desc);
	out_json_string(o, "origin", of_mpi ? "mpi" : "mpi2dd");
}

void mpidbg_var_text_name(struct mpidbg_var_work *w)
{
	struct out *o = &w->d->o;

	out_line(o, 2);
	out_name(o, w->name, true);
}

void mpidbg_var_text_desc(struct mpidbg_var_work *w)
{
	struct out *o = &w->d->o;

	if (o->all && w->desc[0]) {
		out_line(o, 3);
		out_color(o, OUT_FAINT);
		out_name(o, w->desc, false);
		out_color(o, OUT_PLAIN);
	}
	out_line_end(o);
}
