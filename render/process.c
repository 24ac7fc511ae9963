/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include "json.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

const char *out_state_text(enum mdl_library_state state)
{
	static const char *const texts[] = {
		[MDL_STATE_UNKNOWN] = "unknown", [MDL_BEFORE_INIT] = "before init", [MDL_INITIALIZED] = "initialized",
		[MDL_FINALIZING] = "finalizing", [MDL_FINALIZED] = "finalized",
	};

	return texts[state];
}

/* ---- heading ---------------------------------------------------------------------------------------- */

static void json_library(struct out *o, const struct mdl_library *lib)
{
	out_json_object(o, "world");
	out_json_num(o, "job", lib->job);
	out_json_num(o, "rank", lib->world_rank);
	out_json_num(o, "size", lib->world_size);
	out_json_object_end(o);

	out_json_object(o, "mpi");
	out_json_string(o, "name", lib->implementation);
	if (lib->version[0])
		out_json_string(o, "version", lib->version);
	else
		out_json_unknown(o, "version", "the library does not say");
	if (lib->component[0])
		out_json_string(o, "component", lib->component);
	else
		out_json_unknown(o, "component", lib->origin ? "the tracker does not know it" : "none is selected");
	out_json_string(o, "state", out_state_text(lib->state));
	if (lib->thread_multiple_known)
		out_json_bool(o, "thread_multiple", lib->thread_multiple);
	else
		out_json_unknown(o, "thread_multiple", "cannot be read");
	out_json_string(o, "layout", lib->layout);
	out_json_array(o, "origins");
	if (lib->component[0])
		out_json_string(o, NULL, lib->component);
	if (lib->origin)
		out_json_string(o, NULL, lib->origin);
	out_json_array_end(o);
	out_json_object_end(o);
}

static void json_process(struct out *o, const struct out_identity *identity, const struct mdl_library *lib,
			 const char *why)
{
	out_json_object(o, NULL);
	bool told = lib && lib->world_rank.known == MDL_KNOWN;

	if (!told && identity->rank.known == MDL_KNOWN) {
		out_json_num(o, "rank", identity->rank);
		if (identity->rank_origin)
			out_json_string(o, "rank_origin", identity->rank_origin);
	} else {
		out_json_num(o, "rank", lib ? lib->world_rank : mdl_unavailable(why));
	}
	if (identity->pid)
		out_json_int(o, "pid", identity->pid);
	if (identity->host)
		out_json_string(o, "host", identity->host);
	if (identity->executable)
		out_json_string(o, "executable", identity->executable);
	if (identity->core)
		out_json_string(o, "core", identity->core);
	if (identity->condition)
		out_json_string(o, "condition", identity->condition);
	if (lib)
		json_library(o, lib);
	else
		out_json_unknown(o, "mpi", why);
}

static void text_library(struct out *o, const struct mdl_library *lib)
{
	out_text(o, "  (%s", lib->implementation ? lib->implementation : "MPI");
	if (lib->version[0]) {
		out_text(o, " ");
		out_name(o, lib->version, false);
	}
	if (lib->component[0]) {
		out_text(o, ", ");
		out_name(o, lib->component, false);
	}
	switch (lib->state) {
	case MDL_INITIALIZED:
		break;
	case MDL_BEFORE_INIT:
		out_text(o, ", not initialised yet");
		break;
	case MDL_FINALIZING:
		out_text(o, ", in MPI_Finalize");
		break;
	case MDL_FINALIZED:
		out_text(o, ", finalised");
		break;
	default:
		out_text(o, ", state unknown");
		break;
	}
	out_text(o, ")");
}

static void text_process(struct out *o, const struct out_identity *identity, const struct mdl_library *lib,
			 const char *why)
{
	out_line(o, 0);
	out_color(o, OUT_BOLD);
	bool told = lib && lib->world_rank.known == MDL_KNOWN;
	struct mdl_num rank = told ? lib->world_rank : identity->rank;
	/* a program of sessions has a rank among the processes that were started, and no MPI_COMM_WORLD */
	struct mdl_num size = told && lib->world_size.known == MDL_KNOWN ? lib->world_size : identity->world_size;
	if (rank.known == MDL_KNOWN) {
		out_text(o, "rank %" PRId64, rank.value);
		if (size.known == MDL_KNOWN)
			out_text(o, " of %" PRId64, size.value);
	} else {
		out_text(o, "process without a rank");
	}
	out_color(o, OUT_PLAIN);
	if (identity->pid)
		out_text(o, "  pid %" PRId64, identity->pid);
	if (identity->host) {
		out_text(o, "  host ");
		out_name(o, identity->host, true);
	}
	if (identity->executable) {
		out_text(o, "  ");
		out_name(o, identity->executable, true);
	}
	if (identity->core) {
		out_text(o, "  core ");
		out_name(o, identity->core, true);
	}
	if (lib)
		text_library(o, lib);
	else
		out_text(o, "  (%s)", why);
	if (identity->condition) {
		out_text(o, "  ");
		out_color(o, OUT_UNEXPECTED);
		out_text(o, "%s", identity->condition);
		out_color(o, OUT_PLAIN);
	}
	out_line_end(o);
}

void out_process_begin(struct out *o, const struct out_identity *identity, const struct mdl_library *library,
		       const char *why)
{
	if (o->json)
		json_process(o, identity, library, why);
	else
		text_process(o, identity, library, why);
}

void out_process_end(struct out *o)
{
	if (o->json)
		out_json_object_end(o);
	else
		out_line_end(o);
}

/* ---- threads ---------------------------------------------------------------------------------------- */

void out_calls_begin(struct out *o)
{
	if (o->json)
		out_json_array(o, "calls");
}

static void json_python(struct out *o, const struct mdl_python_frame *frames, size_t n)
{
	out_json_array(o, "python");
	for (size_t i = 0; i < n; i++) {
		const struct mdl_python_frame *f = &frames[i];

		out_json_object(o, NULL);
		if (f->function) {
			out_json_string(o, "function", f->function);
			out_json_string(o, "file", f->file);
		} else {
			out_json_unknown(o, "function", f->why);
		}
		if (f->line)
			out_json_int(o, "line", f->line);
		else if (f->function)
			out_json_unknown(o, "line", f->why);
		out_json_object_end(o);
	}
	out_json_array_end(o);
}

static void text_python(struct out *o, const struct mdl_python_frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;

	out_line(o, 2);
	if (!f->function) {
		out_text(o, "a Python frame: unavailable (%s)", f->why);
		return;
	}
	out_name(o, f->function, false);
	out_text(o, " at ");
	out_name(o, slash ? slash + 1 : f->file, false);
	if (f->line)
		out_text(o, ":%" PRId64, f->line);
	else
		out_text(o, ", line unavailable (%s)", f->why);
}

void out_python(struct out *o, const struct mdl_python_frame *frames, size_t n, bool in_backtrace)
{
	enum { SHOWN_MAX = 12 };

	if (o->json) {
		if (n)
			json_python(o, frames, n);
		return;
	}
	if (o->all && in_backtrace)
		return;
	for (size_t i = 0; i < n && (i < SHOWN_MAX || o->all); i++)
		text_python(o, &frames[i]);
	if (n > SHOWN_MAX && !o->all) {
		out_line(o, 2);
		out_text(o, "and %zu more Python functions (--all shows them)", n - SHOWN_MAX);
	}
}

static void json_call(struct out *o, const struct out_call *call)
{
	out_json_object(o, NULL);
	out_json_int(o, "thread", call->thread);
	out_json_string(o, "function", call->function);
	out_json_array(o, "backtrace");
	for (size_t i = 0; i < call->n_backtrace; i++)
		out_json_string(o, NULL, call->backtrace[i]);
	out_json_array_end(o);
	if (call->communicator)
		out_json_string(o, "communicator", call->communicator);
	if (call->communicator_id)
		out_json_addr(o, "communicator_id", call->communicator_id);
	if (call->communicator_id && call->communicator_given)
		out_json_bool(o, "communicator_given", true);
	if (call->n_operations) {
		out_json_array(o, "operations");
		for (size_t i = 0; i < call->n_operations; i++)
			out_json_addr(o, NULL, call->operations[i]);
		out_json_array_end(o);
	}
	if (call->n_operations_more)
		out_json_uint(o, "operations_left_out", call->n_operations_more);
	if (call->n_possible) {
		out_json_array(o, "operations_possible");
		for (size_t i = 0; i < call->n_possible; i++)
			out_json_addr(o, NULL, call->possible[i]);
		out_json_array_end(o);
	}
	out_python(o, call->python, call->n_python, call->python_in_backtrace);
	if (call->waits)
		out_json_string(o, "waits", call->waits);
	out_json_object_end(o);
}

static void text_call(struct out *o, const struct out_call *call)
{
	if (!call->function && !o->all && !call->n_python && !call->waits)
		return;
	out_line(o, 1);
	out_text(o, "thread %" PRId64, call->thread);
	if (call->function) {
		out_text(o, " in ");
		out_name(o, call->function, true);
	} else {
		out_text(o, " in no MPI function");
	}
	if (call->communicator) {
		out_text(o, " on ");
		out_name(o, call->communicator, true);
	}
	if (call->waits) {
		out_text(o, ", ");
		out_name(o, call->waits, false);
	}
	for (size_t i = 0; o->all && i < call->n_backtrace; i++) {
		out_line(o, 2);
		out_text(o, "#%zu ", i);
		out_name(o, call->backtrace[i], false);
	}
	out_python(o, call->python, call->n_python, call->python_in_backtrace);
	out_line_end(o);
}

void out_call(struct out *o, const struct out_call *call)
{
	if (o->json)
		json_call(o, call);
	else
		text_call(o, call);
}

void out_call_unknown(struct out *o, int64_t thread, const char *why)
{
	if (o->json) {
		out_json_object(o, NULL);
		out_json_int(o, "thread", thread);
		out_json_unknown(o, "function", why);
		out_json_object_end(o);
		return;
	}
	out_line(o, 1);
	out_text(o, "thread %" PRId64 ": %s", thread, why);
	out_line_end(o);
}

void out_calls_end(struct out *o, size_t n_in_mpi)
{
	if (o->json) {
		out_json_array_end(o);
	} else if (!n_in_mpi) {
		out_line(o, 1);
		out_text(o, "no thread is in an MPI function");
		out_line_end(o);
	}
}

/* ---- remarks and problems --------------------------------------------------------------------------- */

void out_remark(struct out *o, const char *what, const char *why)
{
	if (o->json)
		return;
	out_line(o, 1);
	out_text(o, "%s: unavailable (%s)", what, why ? why : "unknown");
	out_line_end(o);
}

void out_problems_begin(struct out *o)
{
	if (o->json)
		out_json_array(o, "problems");
}

void out_problem(struct out *o, const char *text)
{
	if (o->json) {
		out_json_string(o, NULL, text);
		return;
	}
	out_line(o, 1);
	out_color(o, OUT_UNEXPECTED);
	out_text(o, "problem: ");
	out_color(o, OUT_PLAIN);
	out_name(o, text, false);
	out_line_end(o);
}

void out_problems_end(struct out *o)
{
	if (o->json)
		out_json_array_end(o);
}
