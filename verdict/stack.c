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

/* "solve at solve.py:12": what called a library that called MPI. NULL: nothing of Python, or not before the program's own code. */
static const char *python_frame(const json_t *backtrace, size_t from)
{
	for (size_t i = from; i < json_array_size(backtrace); i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i)),
			   *at = frame ? strstr(frame, " at ") : NULL;
		if (at && !starts(frame, "?? "))
			return strstr(at, ".py:") ? frame : NULL;
	}
	return NULL;
}

/*
 * The frame that called MPI; of a thread in no MPI function the innermost of the program itself: with a source line, or
 * else what main has called.
 */
const char *vd_stack_place(const json_t *backtrace, bool in_mpi)
{
	size_t n = json_array_size(backtrace);
	const char *below = NULL;

	for (size_t i = n; in_mpi && i-- > 0;) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && is_mpi_frame(frame)) {
			const char *python = python_frame(backtrace, i + 1);
			return python ? python : json_string_value(json_array_get(backtrace, i + 1));
		}
	}
	for (size_t i = 0; !in_mpi && i < n; i++) {
		const char *frame = json_string_value(json_array_get(backtrace, i));
		if (frame && strstr(frame, " at "))
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
