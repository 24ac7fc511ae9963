/* SPDX-License-Identifier: BSD-3-Clause */
#include "python.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { BACKTRACE_MAX = 100000 }; /* limit for the lines that a debugger passes */

/* Format of backtraces and places: the file without its directory. */
static char *line_of(struct acc_space *sp, const struct mdl_python_frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL, *file = slash ? slash + 1 : f->file;
	size_t n = (f->function ? strlen(f->function) + strlen(file) : strlen(f->why)) + 64;
	char *ret = acc_array(sp, n, 1);

	if (!ret)
		return NULL;
	if (!f->function)
		snprintf(ret, n, "?? (a Python frame: unavailable: %s)", f->why);
	else if (f->line)
		snprintf(ret, n, "%s at %s:%" PRId64, f->function, file, f->line);
	else
		snprintf(ret, n, "%s at %s (line unavailable: %s)", f->function, file, f->why);
	return ret;
}

static bool is_loop(const char *line)
{
	size_t n = sizeof(RD_PYTHON_LOOP) - 1;

	return line && !strncmp(line, RD_PYTHON_LOOP, n) && (!line[n] || line[n] == ' ' || line[n] == '.');
}

/* The bottom of a Python stack: the functions that start the interpreter, or a thread. */
static bool is_outermost(const char *line)
{
	static const char *const names[] = {
		"PyEval_EvalCode",        "Py_RunMain",       "Py_BytesMain", "Py_Main", "main", "start_thread",
		"__libc_start_call_main", "__libc_start_main"
	};

	for (size_t i = 0; line && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);
		if (!strncmp(line, names[i], n) && (!line[n] || line[n] == ' '))
			return true;
	}
	return false;
}

/*
 * The position of frames that belong to no activation of the evaluation loop, because the interpreter runs without
 * that function (tail calls; moved by the compiler, as in Debian sid's python3.14), or because the stack cannot be
 * unwound that far: after the last activation, before the functions that started Python.
 */
static size_t place_of_rest(const struct mpidbg_thread *thread)
{
	size_t from = 0;

	for (size_t i = 0; i < thread->n_backtrace; i++)
		if (is_loop(thread->backtrace[i]))
			from = i + 1;
	for (size_t i = from; i < thread->n_backtrace; i++)
		if (is_outermost(thread->backtrace[i]))
			return i;
	return thread->n_backtrace;
}

/*
 * Insert the Python frames of each activation of the evaluation loop before its line. The debugger's strings are
 * borrowed; the inserted ones are allocated.
 */
static void merge(struct acc_space *sp, const struct mpidbg_thread *thread, struct mpidbg_python_thread *t,
		  struct mpidbg_thread *merged)
{
	size_t at = 0, n = 0;

	if (!thread->backtrace || !thread->n_backtrace || thread->n_backtrace > BACKTRACE_MAX)
		return;
	size_t rest = place_of_rest(thread);
	t->backtrace = acc_array(sp, thread->n_backtrace + t->n, sizeof(*t->backtrace));
	if (!t->backtrace)
		return;
	for (size_t i = 0; i <= thread->n_backtrace; i++) {
		bool all = i == rest, more = i < thread->n_backtrace && is_loop(thread->backtrace[i]);

		for (; (all || more) && at < t->n; at++) {
			more = !t->frames[at].entry;
			t->backtrace[n++] = t->lines[at];
		}
		if (i < thread->n_backtrace)
			t->backtrace[n++] = thread->backtrace[i];
	}
	t->in_backtrace = true;
	merged->backtrace = t->backtrace;
	merged->n_backtrace = n;
}

static void make_thread(struct mpidbg_python *py, struct rd_python *reader, const struct mpidbg_thread *thread,
			struct mpidbg_python_thread *t, struct mpidbg_thread *merged)
{
	rd_python_frames(reader, thread->id, &t->frames, &t->n);
	if (!t->n)
		return;
	t->lines = acc_array(py->sp, t->n, sizeof(*t->lines));
	bool whole = t->lines != NULL;
	for (size_t i = 0; t->lines && i < t->n; i++) {
		t->lines[i] = line_of(py->sp, &t->frames[i]);
		whole &= t->lines[i] != NULL;
	}
	if (whole)
		merge(py->sp, thread, t, merged);
}

void mpidbg_python_init(struct mpidbg_python *ret, struct _mqs_process_info *p, const struct mpidbg_thread *threads,
			size_t n)
{
	memset(ret, 0, sizeof(*ret));
	ret->sp = &p->space;
	enum acc_rc rc = mqs_state_python(p, ret->why);
	if (rc || !threads || !n)
		return;
	ret->threads = acc_array(ret->sp, n, sizeof(*ret->threads));
	ret->merged = acc_array(ret->sp, n, sizeof(*ret->merged));
	if (!ret->threads || !ret->merged) {
		mpidbg_python_deinit(ret);
		snprintf(ret->why, sizeof(ret->why), "%s", acc_rc_text(ACC_ENOMEM));
		return;
	}
	ret->n = n;
	memset(ret->threads, 0, n * sizeof(*ret->threads));
	memcpy(ret->merged, threads, n * sizeof(*threads));
	acc_space_begin(ret->sp);
	for (size_t i = 0; i < n; i++)
		make_thread(ret, p->python, &threads[i], &ret->threads[i], &ret->merged[i]);
	acc_space_end(ret->sp);
}

void mpidbg_python_deinit(struct mpidbg_python *py)
{
	for (size_t i = 0; i < py->n; i++) {
		struct mpidbg_python_thread *t = &py->threads[i];

		for (size_t k = 0; t->lines && k < t->n; k++)
			acc_array_free(py->sp, t->lines[k]);
		acc_array_free(py->sp, t->lines);
		acc_array_free(py->sp, t->backtrace);
		rd_python_free(py->sp, t->frames, t->n);
	}
	if (py->sp) {
		acc_array_free(py->sp, py->threads);
		acc_array_free(py->sp, py->merged);
	}
	memset(py, 0, sizeof(*py));
}

const struct mpidbg_python_thread *mpidbg_python_of(const struct mpidbg_python *py, const struct mpidbg_thread *threads,
						    int64_t tid)
{
	for (size_t i = 0; i < py->n; i++)
		if (threads[i].id == tid)
			return py->threads[i].n ? &py->threads[i] : NULL;
	return NULL;
}

const char *mpidbg_python_caller(const struct mpidbg_python *py, const struct mpidbg_thread *threads, int64_t tid,
				 size_t from)
{
	const struct mpidbg_python_thread *t = mpidbg_python_of(py, threads, tid);

	for (size_t i = 0; t && i < py->n; i++) {
		if (&py->threads[i] != t)
			continue;
		for (size_t k = from; k < threads[i].n_backtrace; k++)
			for (size_t f = 0; f < t->n; f++)
				if (threads[i].backtrace[k] == t->lines[f])
					return t->frames[f].function ? t->lines[f] : NULL;
	}
	return NULL;
}
