/* SPDX-License-Identifier: BSD-3-Clause */
/* The source file of the place of a thread: the place has only its name. */
#include "loading.h"

#include <string.h>

static bool is_named(const char *path, const char *name, size_t n)
{
	return path && strlen(basename(path)) == n && strncmp(basename(path), name, n) == 0;
}

/* The Python function at this place: "receive at hang.py:52". NULL: it is not one */
static const char *python_file(const json_t *python, const char *place, const char *name, size_t n)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(python, i, frame)
	{
		const char *function = vd_json_text(frame, "function"), *file = vd_json_text(frame, "file");
		if (function && strncmp(place, function, strlen(function)) == 0 &&
		    strncmp(place + strlen(function), " at ", 4) == 0 && is_named(file, name, n))
			return file;
	}
	return NULL;
}

void vd_load_source(struct vd_job *job, struct vd_thread *t, const json_t *process, const json_t *thread)
{
	const char *at = t->place ? strstr(t->place, " at ") : NULL, *colon = at ? strrchr(at, ':') : NULL;
	const char *found = NULL;
	const json_t *source;
	size_t i;

	t->built = -1;
	if (!colon)
		return;
	const char *name = at + 4;
	size_t n = (size_t)(colon - name);
	found = python_file(json_object_get(thread, "python"), t->place, name, n);
	if (found) {
		t->source = vd_string(job, found);
		return;
	}
	json_array_foreach(json_object_get(process, "sources"), i, source)
	{
		const char *path = vd_json_text(source, "path");
		if (!is_named(path, name, n))
			continue;
		if (found)
			return; /* which one is meant is unknown */
		found = path;
		t->built = vd_json_number(source, "built", -1);
	}
	t->source = vd_string(job, found);
}
