/* SPDX-License-Identifier: BSD-3-Clause */
/* The source file of the place of a thread: the place has only its name. */
#include "loading.h"

#include "place.h"

#include <string.h>

static bool is_text(const char *text, const char *bytes, int n)
{
	return text && strlen(text) == (size_t)n && strncmp(text, bytes, (size_t)n) == 0;
}

static bool is_named(const char *path, const struct vd_place *place)
{
	return path && is_text(basename(path), place->file, place->n_file);
}

/* The file of the Python function at this place: "receive at hang.py:52". NULL: it is not one */
static const char *python_file(const json_t *python, const struct vd_place *place)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(python, i, frame)
	{
		const char *file = vd_json_text(frame, "file");
		if (is_text(vd_json_text(frame, "function"), place->function, place->n_function) &&
		    is_named(file, place))
			return file;
	}
	return NULL;
}

void vd_load_source(struct vd_job *job, struct vd_thread *t, const json_t *process, const json_t *thread)
{
	const struct vd_place place = vd_place_of(t->place);
	const char *found = NULL;
	const json_t *source;
	size_t i;

	t->built = -1;
	if (!place.file)
		return;
	found = python_file(json_object_get(thread, "python"), &place);
	if (found) {
		t->source = vd_string(job, found);
		return;
	}
	json_array_foreach(json_object_get(process, "sources"), i, source)
	{
		const char *path = vd_json_text(source, "path");
		if (!is_named(path, &place))
			continue;
		if (found)
			return; /* which one is meant is unknown */
		found = path;
		t->built = vd_json_number(source, "built", -1);
	}
	t->source = vd_string(job, found);
}
