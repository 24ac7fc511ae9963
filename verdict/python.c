/* SPDX-License-Identifier: BSD-3-Clause */
#include "python.h"

#include "place.h"

#include <stdio.h>
#include <string.h>

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The Python function of its thread that a line of a backtrace is, "solve at solve.py:12"; NULL: none */
static const json_t *python_of(const char *line, const json_t *python)
{
	const struct vd_place place = vd_place_of(line);
	const json_t *frame, *found = NULL;
	size_t i;

	json_array_foreach(python, i, frame)
	{
		const char *function = json_string_value(json_object_get(frame, "function"));
		const char *file = json_string_value(json_object_get(frame, "file"));
		if (!function || !place.where || strlen(function) != (size_t)place.n_function ||
		    !starts(line, function))
			continue;
		found = found ? found : frame;
		if (file && place.file && strlen(basename(file)) == (size_t)place.n_file &&
		    starts(place.file, basename(file)))
			return frame;
	}
	return found;
}

bool vd_python_is_line(const char *line, const json_t *python)
{
	if (!python) /* a snapshot of an earlier version, recognized by the line alone; or no Python */
		return strstr(line, ".py:") && !starts(line, "?? ");
	return python_of(line, python) != NULL;
}

/* Is the function in Python's own modules, such as threading.py?
 * Those that are installed beside them are the program's. */
static bool is_of_python(const json_t *frame)
{
	const char *file = json_string_value(json_object_get(frame, "file"));

	return file && (starts(file, "<frozen ") || (strstr(file, "/lib/python3.") && !strstr(file, "-packages/")));
}

/* Does a process of multiprocessing, or a thread, begin in the function? */
static bool is_beginning(const char *function)
{
	return starts(function, "BaseProcess.") || starts(function, "Thread.run") ||
	       starts(function, "Thread._bootstrap");
}

bool vd_python_call(const json_t *python, char ret[VD_PYTHON_CALL_BYTES])
{
	const json_t *frame, *found = NULL;
	size_t i;

	json_array_foreach(python, i, frame)
	{
		const char *name = json_string_value(json_object_get(frame, "function"));
		if (!name || !is_of_python(frame) || (found && is_beginning(name)))
			break;
		found = frame;
	}
	const char *function = json_string_value(json_object_get(found, "function"));
	const char *file = json_string_value(json_object_get(found, "file"));
	if (!function || !file)
		return false;
	if (starts(file, "<frozen importlib"))
		snprintf(ret, VD_PYTHON_CALL_BYTES, "import");
	else
		snprintf(ret, VD_PYTHON_CALL_BYTES, "%.80s%s%.60s", function, strchr(function, '.') ? "" : " of ",
			 strchr(function, '.') ? "" : basename(file));
	return true;
}

const char *vd_python_place(const json_t *backtrace, const json_t *python)
{
	const char *first = NULL;
	const json_t *line;
	size_t i;

	json_array_foreach(backtrace, i, line)
	{
		const char *text = json_string_value(line);
		const json_t *frame = text ? python_of(text, python) : NULL;
		if (!frame)
			continue;
		if (!is_of_python(frame))
			return text;
		first = first ? first : text;
		if (starts(text, "BaseProcess._bootstrap at "))
			break;
	}
	return first;
}
