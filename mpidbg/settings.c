/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Environment settings that the in-target library did not understand.
 */
#include "settings.h"

#include "../mqs/callbacks.h"
#include "../readers/tracked/vars.h"
#include "../render/json.h"
#include "../render/text.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { TEXT_BYTES = 4096 };

static void write_line(struct out *o, const char *line, const char *label, int column)
{
	if (o->json) {
		out_json_string(o, NULL, line);
		return;
	}
	out_line(o, 1);
	out_text(o, "%s", label);
	if (column)
		out_column(o, column);
	out_name(o, line, false);
	out_line_end(o);
}

void mpidbg_write_settings(struct mpidbg_description *d, struct rd_track *t, const char *label, int column)
{
	struct rd_track_vars v;
	struct acc_note *note = &d->p->space.note;
	bool any = false;

	if (rd_track_vars(t, &v) || !v.about.refused) {
		acc_note_clear(note);
		return;
	}
	char *text = mqs_callbacks_alloc(TEXT_BYTES);
	if (!text || rd_track_var_text(&v, v.about.refused, text, TEXT_BYTES)) {
		acc_note_clear(note);
		mqs_callbacks_release(text);
		return;
	}
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (d->o.json && !any)
			out_json_array(&d->o, "settings_refused");
		any = true;
		write_line(&d->o, line, label, column);
	}
	if (d->o.json && any)
		out_json_array_end(&d->o);
	mqs_callbacks_release(text);
}
