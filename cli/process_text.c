/* SPDX-License-Identifier: BSD-3-Clause */
#include "process_text.h"

#include "message.h"

#include "../access/quote.h"
#include "../verdict/members.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of an operation's line, as in render/operation.c. */
enum { COL_FUNCTION = 16, COL_PEER = 31, COL_TAG = 42, COL_BYTES = 51, COL_NOTES = 75, MEMBERS_BYTES = 160 };

struct text {
	struct cmd_spool *to;
	bool all;
	unsigned column; /* in characters */
	bool any_note;
};

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static long long number_of(const json_t *object, const char *key)
{
	return (long long)json_integer_value(json_object_get(object, key));
}

static bool has_number(const json_t *object, const char *key)
{
	return json_is_integer(json_object_get(object, key));
}

static bool is(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	t->column += (unsigned)cmd_width(text);
	cmd_spool_puts(t->to, text);
}

/* A name or another text of the target: quoted, in quotes if it is not a plain word. */
static void put_name(struct text *t, const char *name, bool in_quotes)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+-@%";
	char quoted[2048];

	acc_quote(quoted, sizeof(quoted), name ? name : "?");
	in_quotes = in_quotes && (!*quoted || quoted[strspn(quoted, plain)]);
	put(t, in_quotes ? "\"%s\"" : "%s", quoted);
}

static void to_column(struct text *t, unsigned column)
{
	put(t, "%*s", column >= t->column + 2 ? (int)(column - t->column) : 2, "");
}

static void end_line(struct text *t)
{
	cmd_spool_puts(t->to, "\n");
	t->column = 0;
}

/* ---- heading and threads --------------------------------------------------------------------------------- */

static void put_heading(struct text *t, const json_t *process)
{
	const json_t *world = json_object_get(process, "world"), *mpi = json_object_get(process, "mpi");
	const char *version = text_of(mpi, "version"), *component = text_of(mpi, "component"),
		   *state = text_of(mpi, "state");
	const char *of_process = text_of(process, "state");

	if (has_number(process, "rank"))
		put(t, "rank %lld", number_of(process, "rank"));
	else
		put(t, "process without a rank");
	if (has_number(process, "rank") && has_number(world, "size"))
		put(t, " of %lld", number_of(world, "size"));
	if (has_number(process, "pid"))
		put(t, "  pid %lld", number_of(process, "pid"));
	static const char *const keys[] = { "host", "executable", "core" }, *const words[] = { "  host ", "  ",
											       "  core " };
	for (int i = 0; i < 3; i++) {
		if (!text_of(process, keys[i]))
			continue;
		put(t, "%s", words[i]);
		put_name(t, text_of(process, keys[i]), true);
	}
	if (json_is_object(mpi)) {
		put(t, "  (");
		put_name(t, text_of(mpi, "name"), false);
		if (version)
			put(t, " ");
		if (version)
			put_name(t, version, false);
		if (component)
			put(t, ", ");
		if (component)
			put_name(t, component, false);
		put(t, "%s)",
		    !state || !strcmp(state, "initialized") ? ""
		    : !strcmp(state, "before init")         ? ", not initialised yet"
		    : !strcmp(state, "finalizing")          ? ", in MPI_Finalize"
		    : !strcmp(state, "finalized")           ? ", finalised"
							    : ", state unknown");
	} else {
		put(t, "  (%s)", of_process && !strcmp(of_process, "gone") ? "has ended" : "could not be read");
	}
	if (text_of(process, "condition"))
		put(t, "  ");
	if (text_of(process, "condition"))
		put_name(t, text_of(process, "condition"), false);
	end_line(t);
}

static void put_python(struct text *t, const json_t *frames)
{
	enum { SHOWN_MAX = 12 };
	size_t n = json_array_size(frames);

	for (size_t i = 0; i < n && (i < SHOWN_MAX || t->all); i++) {
		const json_t *f = json_array_get(frames, i);
		const char *file = text_of(f, "file"), *slash = file ? strrchr(file, '/') : NULL;
		end_line(t);
		put(t, "    ");
		if (!text_of(f, "function")) {
			put(t, "a Python frame: unavailable");
			continue;
		}
		put_name(t, text_of(f, "function"), false);
		put(t, " at ");
		put_name(t, slash ? slash + 1 : file, false);
		if (has_number(f, "line"))
			put(t, ":%lld", number_of(f, "line"));
	}
	if (n <= SHOWN_MAX || t->all)
		return;
	end_line(t);
	put(t, "    and %zu more Python functions (--all shows them)", n - SHOWN_MAX);
}

static void put_thread(struct text *t, const json_t *call)
{
	const char *function = text_of(call, "function"), *why = text_of(call, "function_why");
	const json_t *python = json_object_get(call, "python"), *frame;
	size_t i;

	if (why) {
		put(t, "  thread %lld: ", number_of(call, "thread"));
		put_name(t, why, false);
		end_line(t);
		return;
	}
	if (!function && !t->all && !json_array_size(python) && !text_of(call, "waits"))
		return;
	put(t, "  thread %lld", number_of(call, "thread"));
	put(t, function ? " in " : " in no MPI function");
	if (function)
		put_name(t, function, true);
	if (text_of(call, "communicator"))
		put(t, " on ");
	if (text_of(call, "communicator"))
		put_name(t, text_of(call, "communicator"), true);
	if (text_of(call, "waits"))
		put(t, ", ");
	if (text_of(call, "waits"))
		put_name(t, text_of(call, "waits"), false);
	json_array_foreach(json_object_get(call, "backtrace"), i, frame)
	{
		if (!t->all || !json_is_string(frame))
			continue;
		end_line(t);
		put(t, "    #%zu ", i);
		put_name(t, json_string_value(frame), false);
	}
	put_python(t, python);
	end_line(t);
}

static void put_threads(struct text *t, const json_t *process)
{
	const json_t *calls = json_object_get(process, "calls"), *call;
	size_t i, n_in_mpi = 0;

	json_array_foreach(calls, i, call)
	{
		put_thread(t, call);
		n_in_mpi += text_of(call, "function") || text_of(call, "function_why");
	}
	if (!json_is_array(calls) || n_in_mpi)
		return;
	put(t, "  no thread is in an MPI function");
	end_line(t);
}

/* ---- operations ------------------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void note(struct text *t, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (t->any_note)
		put(t, ", ");
	else
		to_column(t, COL_NOTES);
	t->any_note = true;
	put_name(t, text, false);
}

/* A number, "any", or "unavailable". */
static void put_number(struct text *t, const json_t *op, const char *key)
{
	char why[64];

	snprintf(why, sizeof(why), "%s_why", key);
	if (has_number(op, key))
		put(t, "%lld", number_of(op, key));
	else
		put(t, "%s", text_of(op, why) && !strcmp(text_of(op, why), "any") ? "any" : "unavailable");
}

static bool is_any(const json_t *op, const char *why)
{
	return text_of(op, why) && strcmp(text_of(op, why), "any") == 0;
}

static void put_notes(struct text *t, const json_t *op, const char *kind, const char *function)
{
	static const char *const keys[][2] = { { "rank", "peer_why" },
					       { "tag", "tag_why" },
					       { "length", "bytes_why" } };
	const char *mode = text_of(op, "mode"), *status = text_of(op, "status");
	bool is_send = !strcmp(kind, "send"), is_message = !strcmp(kind, "message");

	t->any_note = false;
	if (has_number(op, "thread"))
		note(t, function && is(op, "blocking") ? "blocked: thread %lld" : "awaited: thread %lld",
		     number_of(op, "thread"));
	if (is_send && mode && strcmp(mode, "standard") != 0)
		note(t, "%s", mode);
	if (is_send && status && !strcmp(status, "pending") && is(op, "active") && mode && !strcmp(mode, "synchronous"))
		note(t, "waiting for the receiver");
	else if (text_of(op, "protocol"))
		note(t, "%s", text_of(op, "protocol"));
	if (!strcmp(kind, "mprobe") && status && strcmp(status, "pending") != 0)
		note(t, "matched, not received yet");
	else if (!is_message && status && strcmp(status, "pending") != 0)
		note(t, "%s", status);
	if (!is_message && !is_send && status && strcmp(status, "pending") != 0) {
		if (is_any(op, "peer_why") && has_number(op, "actual_peer"))
			note(t, "from %lld", number_of(op, "actual_peer"));
		if (is_any(op, "tag_why") && has_number(op, "actual_tag"))
			note(t, "tag %lld", number_of(op, "actual_tag"));
		if (has_number(op, "actual_bytes") && number_of(op, "actual_bytes") != number_of(op, "bytes"))
			note(t, "%lld bytes arrive", number_of(op, "actual_bytes"));
	}
	if (is(op, "persistent"))
		note(t, is(op, "active") ? "persistent" : "persistent, inactive");
	if (is(op, "freed"))
		note(t, "freed by the program");
	if (is(op, "cancelled"))
		note(t, "cancelled");
	if (is(op, "out_of_order"))
		note(t, "arrived out of order");
	if (is(op, "internal"))
		note(t, "internal");
	if (text_of(op, "caller_place"))
		note(t, "in %s", text_of(op, "caller_place"));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (text_of(op, keys[i][1]) && !is_any(op, keys[i][1]))
			note(t, "%s unavailable: %s", keys[i][0], text_of(op, keys[i][1]));
	if (t->all && text_of(op, "request"))
		note(t, "request %s", text_of(op, "request"));
	if (t->all && text_of(op, "buffer"))
		note(t, "buffer %s", text_of(op, "buffer"));
}

/* @param otherwise its kind, if it does not say it */
static void put_operation(struct text *t, const json_t *op, const char *otherwise)
{
	const char *kind = text_of(op, "kind") ? text_of(op, "kind") : otherwise, *function = text_of(op, "function");
	const json_t *bytes = json_object_get(op, "bytes");
	bool is_message = strcmp(kind, "message") == 0, is_send = strcmp(kind, "send") == 0;

	put(t, "    ");
	put_name(t, is_message ? "unexpected" : kind, false);
	if (function && !is_message) {
		to_column(t, COL_FUNCTION);
		put_name(t, function, false);
	}
	if (json_object_get(op, "peer")) {
		long long peer = number_of(op, "peer"), world = number_of(op, "peer_world");
		to_column(t, COL_PEER);
		put(t, is_send ? "to " : "from ");
		put_number(t, op, "peer");
		if (has_number(op, "peer") && has_number(op, "peer_world") && peer != world)
			put(t, " (world rank %lld)", world);
	}
	if (json_object_get(op, "tag")) {
		to_column(t, COL_TAG);
		put(t, "tag ");
		put_number(t, op, "tag");
	}
	bool is_known = json_is_integer(bytes), shows_why = !is_known && text_of(op, "bytes_why");
	if (bytes && !(shows_why && !has_number(op, "count"))) {
		to_column(t, COL_BYTES);
		if (is_known)
			put(t, "%lld byte%s", number_of(op, "bytes"), number_of(op, "bytes") == 1 ? "" : "s");
		else
			put(t, "length unavailable");
		if (has_number(op, "count")) {
			put(t, " (%lld ", number_of(op, "count"));
			if (text_of(op, "datatype"))
				put_name(t, text_of(op, "datatype"), true);
			else
				put(t, text_of(op, "datatype_handle") ? "of a datatype without name" : "elements");
			put(t, ")");
		}
	}
	put_notes(t, op, kind, function);
	end_line(t);
}

/* ---- communicators --------------------------------------------------------------------------------------- */

/* "[0-3,world 7:2]". @return true: each rank is the one of the world with its number */
static bool members_text(const json_t *members, char ret[MEMBERS_BYTES])
{
	int64_t first, last, n = 0;
	const json_t *m;
	bool identity = true;
	size_t i, used = 0;
	char run[80];

	json_array_foreach(members, i, m)
	{
		if (!vd_members_range(m, &first, &last))
			first = last = json_is_integer(m) ? json_integer_value(m) : -1;
		/* runs of single ranks, as of version 1 */
		while (json_is_integer(m) && json_is_integer(json_array_get(members, i + 1)) &&
		       json_integer_value(json_array_get(members, i + 1)) == last + 1) {
			last++;
			i++;
		}
		identity = identity && first == n && last >= first;
		n += last >= first ? last - first + 1 : 1;
		if (has_number(m, "job"))
			snprintf(run, sizeof(run), "world %lld:%lld", number_of(m, "job"), number_of(m, "rank"));
		else if (has_number(m, "other_world"))
			snprintf(run, sizeof(run), "other world %lld:%lld", number_of(m, "other_world"),
				 number_of(m, "rank"));
		else if (first < 0)
			snprintf(run, sizeof(run), "unreadable");
		else
			snprintf(run, sizeof(run), first == last ? "%lld" : "%lld-%lld", (long long)first,
				 (long long)last);
		if (used + strlen(run) + 12 < MEMBERS_BYTES)
			used += (size_t)snprintf(ret + used, MEMBERS_BYTES - used, "%s%s", used ? "," : "[", run);
		else if (!strstr(ret, "..."))
			used += (size_t)snprintf(ret + used, MEMBERS_BYTES - used, ",...");
	}
	snprintf(ret + used, MEMBERS_BYTES - used, used ? "]" : "[]");
	return identity;
}

/* Is it shown without --all? What is internal, complete or inactive is not, as for a live process. */
static bool is_shown(const struct text *t, const json_t *op)
{
	const char *status = text_of(op, "status"), *kind = text_of(op, "kind");
	bool complete = status && strcmp(status, "complete") == 0 && kind && strcmp(kind, "message") != 0;

	return t->all || !(is(op, "internal") || complete || json_is_false(json_object_get(op, "active")));
}

static void put_comm(struct text *t, const json_t *comm)
{
	static const char *const lists[] = { "pending_sends", "pending_receives", "unexpected", "collectives" };
	static const char *const kinds[] = { "send", "receive", "message", "collective" };
	const char *name = text_of(comm, "name"), *kind = text_of(comm, "kind"), *why = text_of(comm, "internal_why");
	char members[MEMBERS_BYTES] = "";
	const json_t *op;
	size_t i, n = 0;

	put(t, "  ");
	if (name && *name)
		put_name(t, name, true);
	else
		put(t, "communicator %s", text_of(comm, "handle") ? text_of(comm, "handle") : "?");
	put(t, "  rank %lld of %lld", number_of(comm, "rank"), number_of(comm, "size"));
	if (kind && !strcmp(kind, "inter"))
		put(t, ", %lld remote", number_of(comm, "remote_size"));
	if (is(comm, "internal"))
		put(t, "  internal%s%s", why ? ": " : "", why ? why : "");
	if (!members_text(json_object_get(comm, "members"), members))
		put(t, "  world ranks %s", members);
	if (json_array_size(json_object_get(comm, "remote_members"))) {
		members_text(json_object_get(comm, "remote_members"), members);
		put(t, "  remote %s", members);
	}
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		json_array_foreach(json_object_get(comm, lists[k]), i, op) n += is_shown(t, op);
	if (!n)
		put(t, "  (no pending operations)");
	end_line(t);
	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		json_array_foreach(json_object_get(comm, lists[k]), i, op) if (is_shown(t, op))
			put_operation(t, op, kinds[k]);
}

void cmd_process_text(struct cmd_spool *ret, const json_t *process, bool queues, bool all)
{
	struct text t = { .to = ret, .all = all };
	const json_t *comm, *problem;
	size_t i;

	put_heading(&t, process);
	put_threads(&t, process);
	json_array_foreach(json_object_get(process, "communicators"), i,
			   comm) if (queues && (all || !is(comm, "internal"))) put_comm(&t, comm);
	json_array_foreach(json_object_get(process, "problems"), i, problem)
	{
		if (!json_is_string(problem))
			continue;
		put(&t, "  problem: ");
		put_name(&t, json_string_value(problem), false);
		end_line(&t);
	}
}
