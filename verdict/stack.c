/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack.h"

#include <string.h>

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_mpi_frame(const char *frame)
{
	return starts(frame, "MPI_") || starts(frame, "PMPI_") || starts(frame, "mpi_") || starts(frame, "pmpi_") ||
	       starts(frame, "ompi_") || starts(frame, "wrap_M2D_") || starts(frame, "MPI::") ||
	       starts(frame, "?? in libmpi") || starts(frame, "?? in libpmpi") || starts(frame, "?? in mca_");
}

/* Is the line of a backtrace one of the Python functions of its thread: "solve at solve.py:12"? */
static bool is_python_line(const char *line, const json_t *python)
{
	const json_t *frame;
	size_t i;

	if (!python) /* of an earlier version, which told it by the line alone; or no Python */
		return strstr(line, ".py:") && !starts(line, "?? ");
	json_array_foreach(python, i, frame)
	{
		const char *function = json_string_value(json_object_get(frame, "function"));
		if (function && starts(line, function) && starts(line + strlen(function), " at "))
			return true;
	}
	return false;
}

/*
 * The Python function that called a library that called MPI. The program's own code between them is nearer, but the code that
 * Cython makes (mpi4py) and what it is called by are not the program's. NULL: there is none.
 */
static const char *python_frame(const json_t *backtrace, const json_t *python, size_t from)
{
	bool binding = false;

	for (size_t i = from; i < json_array_size(backtrace); i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (!frame)
			return NULL;
		if (is_python_line(frame, python))
			return frame;
		binding |= starts(frame, "__pyx_");
		if (!binding && strstr(frame, " at ") && !starts(frame, "?? "))
			return NULL;
	}
	return NULL;
}

/*
 * The frame that called MPI; of a thread in no MPI function the innermost of the program itself: with a source line, or
 * else what main has called.
 */
const char *vd_stack_place(const json_t *backtrace, const json_t *python, bool in_mpi)
{
	size_t n = json_array_size(backtrace);
	const char *below = NULL;

	for (size_t i = n; in_mpi && i-- > 0;) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && is_mpi_frame(frame)) {
			const char *function = python_frame(backtrace, python, i + 1);
			return function ? function : json_string_value(json_array_get(backtrace, i + 1));
		}
	}
	for (size_t i = 0; !in_mpi && i < n; i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && (json_array_size(python) ? is_python_line(frame, python) : strstr(frame, " at ") != NULL))
			return frame;
	}
	for (size_t i = 0; !in_mpi && i < n; i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && strcmp(frame, "main") == 0)
			return below ? below : frame;
		below = frame;
	}
	return NULL;
}

/* Where a thread begins, and where it waits: the C library's, which may have lines as the program has. */
static bool is_libc_frame(const char *frame)
{
	static const char *const names[] = { "start_thread",  "clone",           "epoll_wait", "epoll_pwait",
					     "poll",          "select",          "read",       "futex_",
					     "pthread_cond_", "clock_nanosleep", "?? at " };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts(frame, names[i]))
			return true;
	return starts(frame, "__");
}

/* A thread that some library has made for itself: no function of the program is on its stack. */
bool vd_stack_is_helper(const json_t *backtrace)
{
	const json_t *frame;
	size_t i, n_libraries = 0;

	json_array_foreach(backtrace, i, frame)
	{
		const char *text = json_string_value(frame);
		if (!text || strcmp(text, "main") == 0 || (strstr(text, " at ") && !is_libc_frame(text)))
			return false;
		n_libraries += starts(text, "?? in lib") || starts(text, "opal_") || starts(text, "event_base_loop") ||
			       starts(text, "ucs_") || starts(text, "ofi_") || starts(text, "fi_");
	}
	return n_libraries > 0;
}
