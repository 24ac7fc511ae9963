/* SPDX-License-Identifier: BSD-3-Clause */
#include "operation.h"

#include "json.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Columns of an operation's line. */
enum { COL_FUNCTION = 16, COL_PEER = 31, COL_TAG = 42, COL_BYTES = 51, COL_NOTES = 75 };

const char *out_queue_key(enum mdl_op_class op_class)
{
	static const char *const keys[MDL_N_CLASSES] = {
		[MDL_SENDS] = "pending_sends",
		[MDL_RECEIVES] = "pending_receives",
		[MDL_UNEXPECTED] = "unexpected",
		[MDL_COLLECTIVES] = "collectives",
	};

	return keys[op_class];
}

const char *out_queue_words(enum mdl_op_class op_class)
{
	static const char *const words[MDL_N_CLASSES] = {
		[MDL_SENDS] = "pending sends",
		[MDL_RECEIVES] = "pending receives",
		[MDL_UNEXPECTED] = "unexpected messages",
		[MDL_COLLECTIVES] = "non-blocking collectives",
	};

	return words[op_class];
}

void out_queue_begin(struct out *o, enum mdl_op_class op_class, const char *why)
{
	if (!o->json)
		return;
	if (why)
		out_json_unknown(o, out_queue_key(op_class), why);
	else
		out_json_array(o, out_queue_key(op_class));
}

void out_queue_end(struct out *o)
{
	if (o->json)
		out_json_array_end(o);
}

void out_orphans_begin(struct out *o)
{
	if (o->json)
		out_json_array(o, "orphans");
}

void out_orphans_class(struct out *o, enum mdl_op_class op_class)
{
	if (o->json)
		return;
	out_line(o, 1);
	if (op_class == MDL_UNEXPECTED)
		out_text(o, "messages for a communicator that this process has not created yet");
	else
		out_text(o, "%s of a communicator that this process has released", out_queue_words(op_class));
}

void out_orphans_end(struct out *o)
{
	if (o->json)
		out_json_array_end(o);
	else
		out_line_end(o);
}

/* MPI_Bsend returns while its request still exists, and frees it like a program that frees a request of MPI_Ibsend. */
static bool released(const struct mdl_op *op)
{
	return op->kind == MDL_SEND && op->mode == MDL_BUFFERED && op->freed && !op->persistent;
}

const char *out_function(const struct mdl_op *op)
{
	if (op->call[0])
		return op->call;
	if (op->internal || released(op))
		return NULL;
	switch (op->kind) {
	case MDL_SEND:
	case MDL_RECEIVE:
		return mdl_persistent_call(op);
	case MDL_PROBE:
		return "MPI_Probe";
	case MDL_MPROBE: /* a completed MPI_Mprobe leaves the same state as MPI_Improbe */
		return op->status == MDL_PENDING ? "MPI_Mprobe" : NULL;
	default:
		return NULL;
	}
}

/* A probe is in a queue only while a call is blocked in it. */
static bool always_blocking(const struct mdl_op *op)
{
	return op->kind == MDL_PROBE || (op->kind == MDL_MPROBE && op->status == MDL_PENDING);
}

static const char *function_of(const struct mdl_op *op, const struct out_caller *caller)
{
	if (caller->claimed && caller->function)
		return caller->function;
	if (caller->known || op->tracked || always_blocking(op))
		return out_function(op);
	return NULL;
}

static const char *mode_text(enum mdl_send_mode mode)
{
	static const char *const texts[] = { "standard", "synchronous", "buffered", "ready" };

	return texts[mode];
}

static const char *kind_text(enum mdl_op_kind kind)
{
	static const char *const texts[] = { "send", "receive", "probe", "mprobe", "message", "collective" };

	return texts[kind];
}

static const char *protocol_text(enum mdl_protocol protocol)
{
	return protocol == MDL_EAGER ? "eager" : protocol == MDL_RENDEZVOUS ? "rendezvous" : NULL;
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static const char *why_no_function(const struct mdl_op *op, const struct out_caller *caller)
{
	if (op->internal)
		return "made by the library itself";
	if (op->kind == MDL_COLLECTIVE)
		return "the library does not record the call";
	if (op->kind == MDL_MPROBE)
		return "MPI_Mprobe or MPI_Improbe: they leave the same";
	if (released(op))
		return "MPI_Bsend, or MPI_Ibsend and MPI_Request_free: they leave the same";
	return caller->known ? "no thread is blocked in it, and the library does not record which function made it"
			     : "the debugger gave no threads";
}

static void json_function(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	const char *function = function_of(op, caller);

	if (op->kind == MDL_MESSAGE)
		return;
	if (function)
		out_json_string(o, "function", function);
	else
		out_json_unknown(o, "function", why_no_function(op, caller));
	if (op->kind == MDL_SEND && op->mode == MDL_MODE_UNKNOWN)
		out_json_unknown(o, "mode", "the library does not record it");
	else if (op->kind == MDL_SEND)
		out_json_string(o, "mode", mode_text(op->mode));
}

static void json_blocking(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	if (op->kind == MDL_MESSAGE)
		return;
	if (always_blocking(op))
		out_json_bool(o, "blocking", true);
	else if (op->kind == MDL_COLLECTIVE || op->persistent)
		out_json_bool(o, "blocking", false);
	else if (caller->known)
		out_json_bool(o, "blocking", caller->claimed && caller->function);
	else
		out_json_unknown(o, "blocking", "the debugger gave no threads");
}

/* An optional fact: omitted if it is not known. */
static bool given(struct mdl_num n)
{
	return n.known == MDL_KNOWN || n.known == MDL_ANY || (n.known == MDL_UNAVAILABLE && n.why);
}

static void json_datatype(struct out *o, const struct mdl_op *op)
{
	out_json_num(o, "count", op->count);
	if (op->datatype[0])
		out_json_string(o, "datatype", op->datatype);
	else if (op->datatype_handle.known == MDL_KNOWN)
		out_json_unknown(o, "datatype", "it has no name");
	if (given(op->datatype_handle))
		out_json_num_addr(o, "datatype_handle", op->datatype_handle);
}

/* The location of its creation, from the tracker. */
static void json_caller(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	out_json_num_addr(o, "caller", op->caller);
	if (caller->place)
		out_json_string(o, "caller_place", caller->place);
}

/* Which facts come from the tracker; all others have the operation's origin. */
static void json_tracked(struct out *o, const struct mdl_op *op)
{
	static const struct {
		unsigned fact;
		const char *key;
	} facts[] = {
		{ MDL_FACT_PEER, "peer" },         { MDL_FACT_TAG, "tag" },
		{ MDL_FACT_BYTES, "bytes" },       { MDL_FACT_COUNT, "count" },
		{ MDL_FACT_DATATYPE, "datatype" }, { MDL_FACT_DATATYPE_HANDLE, "datatype_handle" },
		{ MDL_FACT_BUFFER, "buffer" },     { MDL_FACT_MODE, "mode" },
	};

	if (op->datatype_call[0])
		out_json_string(o, "datatype_made_by", op->datatype_call);
	out_json_object(o, "origins");
	out_json_string(o, "function", "tracker");
	out_json_string(o, "caller", "tracker");
	if (op->datatype_call[0])
		out_json_string(o, "datatype_made_by", "tracker");
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (op->from_tracker & facts[i].fact)
			out_json_string(o, facts[i].key, "tracker");
	out_json_object_end(o);
}

/* A member "differences": facts for which the memory of the
 * library and the tracker differ. Not in text; NULL: nothing. */
static void out_differences(struct out *o, const struct mdl_differences *d)
{
	if (!o->json || !d || !d->n)
		return;
	out_json_array(o, "differences");
	for (unsigned i = 0; i < d->n; i++) {
		out_json_object(o, NULL);
		out_json_string(o, "fact", d->list[i].fact);
		out_json_num(o, "library", d->list[i].library);
		out_json_num(o, "tracker", d->list[i].tracker);
		out_json_object_end(o);
	}
	out_json_array_end(o);
}

static void json_operation(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	static const char *const statuses[] = { "pending", "matched", "complete" };

	out_json_object(o, NULL);
	out_json_addr(o, "id", op->addr);
	out_json_string(o, "kind", kind_text(op->kind));
	json_function(o, op, caller);
	out_json_string(o, "status", statuses[op->status]);
	json_blocking(o, op, caller);
	out_json_bool(o, "persistent", op->persistent);
	out_json_bool(o, "active", op->active);
	out_json_bool(o, "freed", op->freed);
	out_json_bool(o, "cancelled", op->cancelled);
	out_json_bool(o, "internal", op->internal);
	out_json_bool(o, "out_of_order", op->out_of_order);
	if (protocol_text(op->protocol))
		out_json_string(o, "protocol", protocol_text(op->protocol));
	out_json_num(o, "peer", op->peer);
	out_json_num(o, "peer_world", op->peer_world);
	out_json_num(o, "tag", op->tag);
	out_json_num(o, "bytes", op->bytes);
	json_datatype(o, op);
	out_json_num_addr(o, "buffer", op->buffer);
	out_json_bool(o, "system_buffer", op->system_buffer);
	out_json_num(o, "actual_peer", op->actual_peer);
	out_json_num(o, "actual_peer_world", op->actual_peer_world);
	out_json_num(o, "actual_tag", op->actual_tag);
	out_json_num(o, "actual_bytes", op->actual_bytes);
	if (op->request.known == MDL_KNOWN)
		out_json_num_addr(o, "request", op->request);
	if (op->fortran.known == MDL_KNOWN)
		out_json_num(o, "fortran", op->fortran);
	if (caller->claimed)
		out_json_int(o, "thread", caller->thread);
	if (given(op->sequence))
		out_json_num(o, "sequence", op->sequence);
	if (given(op->sender_request))
		out_json_num_addr(o, "sender_request", op->sender_request);
	if (op->origin)
		out_json_string(o, "origin", op->origin);
	if (op->tracked || op->caller.known == MDL_KNOWN)
		json_caller(o, op, caller);
	if (op->tracked)
		json_tracked(o, op);
	out_differences(o, op->differences);
	out_json_object_end(o);
}

/* ---- text ------------------------------------------------------------------------------------------- */

static void text_peer(struct out *o, const struct mdl_op *op)
{
	if (op->peer.known == MDL_NOT_APPLICABLE)
		return;
	out_column(o, COL_PEER);
	out_text(o, op->kind == MDL_SEND ? "to " : "from ");
	out_rank(o, op->peer);
	if (op->peer.known == MDL_KNOWN && op->peer_world.known == MDL_KNOWN && op->peer_world.value != op->peer.value)
		out_text(o, " (world rank %" PRId64 ")", op->peer_world.value);
}

static void text_size(struct out *o, const struct mdl_op *op)
{
	bool shows_why = op->bytes.known == MDL_UNAVAILABLE && op->bytes.why; /* in the notes */

	if (op->bytes.known == MDL_NOT_APPLICABLE || (shows_why && op->count.known != MDL_KNOWN))
		return;
	out_column(o, COL_BYTES);
	if (op->bytes.known == MDL_KNOWN)
		out_count(o, (uint64_t)op->bytes.value, "byte");
	else
		out_text(o, "length unavailable");
	if (op->count.known == MDL_KNOWN) {
		out_text(o, " (%" PRId64 " ", op->count.value);
		if (op->datatype[0])
			out_name(o, op->datatype, true);
		else
			out_text(o, op->datatype_handle.known == MDL_UNAVAILABLE ? "elements"
										 : "of a datatype without name");
		out_text(o, ")");
	}
}

/* Remarks at the end of the line, separated by commas. */
struct notes {
	struct out *o;
	bool any;
};

static void note(struct notes *n, const char *format, ...) __attribute__((format(__printf__, 2, 3)));

static void note(struct notes *n, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n->any)
		out_text(n->o, ", ");
	else
		out_column(n->o, COL_NOTES);
	n->any = true;
	out_text(n->o, "%s", text);
}

static void note_progress(struct notes *n, const struct mdl_op *op)
{
	if (op->kind == MDL_SEND && op->mode != MDL_STANDARD && op->mode != MDL_MODE_UNKNOWN)
		note(n, "%s", mode_text(op->mode));
	if (op->kind == MDL_SEND && op->status == MDL_PENDING && op->active && op->mode == MDL_SYNCHRONOUS)
		note(n, "waiting for the receiver");
	else if (protocol_text(op->protocol))
		note(n, "%s", protocol_text(op->protocol));
	if (op->kind == MDL_MPROBE && op->status != MDL_PENDING)
		note(n, "matched, not received yet");
	else if (op->kind != MDL_MESSAGE && op->status == MDL_MATCHED)
		note(n, "matched");
	if (op->kind != MDL_MESSAGE && op->status == MDL_COMPLETE)
		note(n, "complete");
}

static void note_matched(struct notes *n, const struct mdl_op *op)
{
	if (op->kind == MDL_MESSAGE || op->kind == MDL_SEND || op->status == MDL_PENDING)
		return;
	if (op->peer.known == MDL_ANY && op->actual_peer.known == MDL_KNOWN)
		note(n, "from %" PRId64, op->actual_peer.value);
	if (op->tag.known == MDL_ANY && op->actual_tag.known == MDL_KNOWN)
		note(n, "tag %" PRId64, op->actual_tag.value);
	if (op->actual_bytes.known == MDL_KNOWN && op->actual_bytes.value != op->bytes.value)
		note(n, "%" PRId64 " bytes arrive", op->actual_bytes.value);
}

static void note_why(struct notes *n, const char *what, struct mdl_num fact)
{
	if (fact.known == MDL_UNAVAILABLE && fact.why)
		note(n, "%s unavailable: %s", what, fact.why);
}

static void note_differences(struct notes *n, const struct mdl_differences *d)
{
	for (unsigned i = 0; d && i < d->n; i++) {
		note(n, "recorded otherwise: %s ", d->list[i].fact);
		out_num(n->o, d->list[i].tracker);
	}
}

static void text_notes(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	struct notes n = { o, false };

	if (caller->claimed)
		note(&n, caller->function ? "blocked: thread %" PRId64 : "awaited: thread %" PRId64, caller->thread);
	note_progress(&n, op);
	note_matched(&n, op);
	if (op->persistent)
		note(&n, op->active ? "persistent" : "persistent, inactive");
	if (op->freed)
		note(&n, released(op) ? "MPI_Bsend, or MPI_Ibsend and freed" : "freed by the program");
	if (op->cancelled)
		note(&n, "cancelled");
	if (op->out_of_order)
		note(&n, "arrived out of order");
	if (op->internal)
		note(&n, "internal");
	if (caller->place) {
		note(&n, "in ");
		out_name(o, caller->place, false);
	}
	note_why(&n, "rank", op->peer);
	note_why(&n, "tag", op->tag);
	note_why(&n, "length", op->bytes);
	note_differences(&n, op->differences);
	if (!o->all)
		return;
	if (op->request.known == MDL_KNOWN)
		note(&n, "request 0x%" PRIx64, (uint64_t)op->request.value);
	if (op->buffer.known == MDL_KNOWN)
		note(&n, "buffer 0x%" PRIx64, (uint64_t)op->buffer.value);
}

static void text_operation(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	const char *function = function_of(op, caller);

	out_line(o, 2);
	out_color(o, op->kind == MDL_SEND ? OUT_SEND : op->kind == MDL_MESSAGE ? OUT_UNEXPECTED : OUT_RECEIVE);
	out_text(o, "%s", op->kind == MDL_MESSAGE ? "unexpected" : kind_text(op->kind));
	out_color(o, OUT_PLAIN);
	if (function && op->kind != MDL_MESSAGE) {
		out_column(o, COL_FUNCTION);
		out_text(o, "%s", function);
	}
	text_peer(o, op);
	if (op->tag.known != MDL_NOT_APPLICABLE) {
		out_column(o, COL_TAG);
		out_text(o, "tag ");
		out_num(o, op->tag);
	}
	text_size(o, op);
	text_notes(o, op, caller);
	out_line_end(o);
}

void out_operation(struct out *o, const struct mdl_op *op, const struct out_caller *caller)
{
	if (o->json)
		json_operation(o, op, caller);
	else
		text_operation(o, op, caller);
}
