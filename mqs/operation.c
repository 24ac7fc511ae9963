/* SPDX-License-Identifier: BSD-3-Clause */
#include "operation.h"

#include "../access/quote.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { N_LINES = 5, LINE_BYTES = 64 };

/*
 * The lines being written; for the debugger the first empty one ends them. Written without snprintf(), which would
 * take longer than reading the operation.
 */
struct lines {
	mqs_pending_operation *op;
	unsigned i; /**< current line */
	size_t n;   /**< its length */
};

static void add_bytes(struct lines *l, const char *text, size_t bytes)
{
	if (l->i >= N_LINES)
		return;
	if (bytes > LINE_BYTES - 1 - l->n)
		bytes = LINE_BYTES - 1 - l->n;
	memcpy(l->op->extra_text[l->i] + l->n, text, bytes);
	l->n += bytes;
}

static void add_line(struct lines *l, const char *text)
{
	add_bytes(l, text, strlen(text));
}

static void add_digits(struct lines *l, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	add_bytes(l, digits + at, sizeof(digits) - at);
}

static void add_int(struct lines *l, int64_t value)
{
	if (value < 0)
		add_line(l, "-");
	add_digits(l, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

/* Append a name from the target: bytes unsafe for a terminal are replaced, and characters are not cut in two. */
static void add_name(struct lines *l, const char *name)
{
	if (l->i >= N_LINES)
		return;
	acc_clean(l->op->extra_text[l->i] + l->n, LINE_BYTES - l->n, name);
	l->n += strlen(l->op->extra_text[l->i] + l->n);
}

/* A line without content is omitted. */
static void line_end(struct lines *l)
{
	if (l->n)
		l->i++;
	l->n = 0;
}

/* Functions that may have created it: without a record of the call, both the blocking and the nonblocking one. */
static const char *calls_of(const struct mdl_op *op)
{
	static const char *const sends[][2] = {
		[MDL_STANDARD] = { "Send: MPI_Send or MPI_Isend", "Send: MPI_Send_init" },
		[MDL_SYNCHRONOUS] = { "Send: MPI_Ssend or MPI_Issend", "Send: MPI_Ssend_init" },
		[MDL_BUFFERED] = { "Send: MPI_Bsend or MPI_Ibsend", "Send: MPI_Bsend_init" },
		[MDL_READY] = { "Send: MPI_Rsend or MPI_Irsend", "Send: MPI_Rsend_init" },
		[MDL_MODE_UNKNOWN] = { "Send", "Send of a persistent request" },
	};

	switch (op->kind) {
	case MDL_SEND:
		return sends[op->mode][op->persistent];
	case MDL_RECEIVE:
		return op->persistent              ? "Receive: MPI_Recv_init"
		       : op->status == MDL_PENDING ? "Receive: MPI_Recv or MPI_Irecv"
						   : "Receive"; /* also MPI_Mrecv */
	case MDL_PROBE:
		return "Probe: MPI_Probe";
	case MDL_MPROBE:
		return op->status == MDL_PENDING ? "Probe: MPI_Mprobe"
						 : "Message of MPI_Mprobe or MPI_Improbe, not received yet";
	case MDL_COLLECTIVE:
		return "Collective, non-blocking";
	default:
		return "Unexpected message";
	}
}

static const char *kind_of(const struct mdl_op *op)
{
	switch (op->kind) {
	case MDL_SEND:
		return "Send: ";
	case MDL_RECEIVE:
		return "Receive: ";
	case MDL_PROBE:
	case MDL_MPROBE:
		return "Probe: ";
	case MDL_COLLECTIVE:
		return "Collective: ";
	default:
		return "";
	}
}

static mqs_tword_t rank_of(struct mdl_num n)
{
	return n.known == MDL_KNOWN ? (mqs_tword_t)n.value : MQS_INVALID_PROCESS;
}

static mqs_tword_t value_of(struct mdl_num n)
{
	return n.known == MDL_KNOWN ? (mqs_tword_t)n.value : 0;
}

/* The matched fact if there is one; for a message or a send, the fact itself. */
static struct mdl_num actual_or(struct mdl_num actual, struct mdl_num desired)
{
	return actual.known == MDL_NOT_APPLICABLE ? desired : actual;
}

static void first_line(struct lines *l, const struct mdl_op *op)
{
	if (op->call[0] && op->kind != MDL_MESSAGE) {
		add_line(l, kind_of(op));
		add_name(l, op->call);
	} else {
		add_line(l, calls_of(op));
	}
	if (op->persistent && !op->active)
		add_line(l, ", inactive");
	if (op->freed) /* MPI_Bsend frees its request itself */
		add_line(l, op->mode == MDL_BUFFERED && !op->persistent ? ", freed" : ", freed by the program");
	if (op->cancelled)
		add_line(l, ", cancelled");
	if (op->out_of_order)
		add_line(l, ", arrived out of order");
	line_end(l);
}

static void unavailable_line(struct lines *l, const char *what, struct mdl_num n)
{
	if (n.known != MDL_UNAVAILABLE)
		return;
	add_line(l, what);
	add_line(l, " unavailable: ");
	add_line(l, n.why ? n.why : "unknown");
	line_end(l);
}

static void datatype_line(struct lines *l, const struct mdl_op *op)
{
	if (op->count.known != MDL_KNOWN)
		return;
	add_int(l, op->count.value);
	add_line(l, " ");
	add_name(l, op->datatype[0] ? op->datatype : "of a datatype without name");
	if (op->datatype_call[0]) {
		add_line(l, ", made by ");
		add_name(l, op->datatype_call);
	}
	line_end(l);
}

static void request_line(struct lines *l, const struct mdl_op *op)
{
	if (op->request.known != MDL_KNOWN)
		return;
	add_line(l, "request 0x");
	add_digits(l, (uint64_t)op->request.value, 16);
	if (op->fortran.known == MDL_KNOWN) {
		add_line(l, ", Fortran ");
		add_int(l, op->fortran.value);
	}
	line_end(l);
}

/* The caller, if recorded: the thread that is in the call, or the callsite. */
static void caller_line(struct lines *l, const struct mdl_op *op)
{
	if (op->blocking && op->thread) {
		add_line(l, "thread ");
		add_int(l, (int64_t)op->thread);
		add_line(l, " is in it");
	}
	if (op->caller.known == MDL_KNOWN) {
		add_line(l, l->n ? ", called from 0x" : "called from 0x");
		add_digits(l, (uint64_t)op->caller.value, 16);
	}
	line_end(l);
}

static void matched_line(struct lines *l, const struct mdl_op *op)
{
	if (op->protocol != MDL_PROTOCOL_UNKNOWN)
		add_line(l, op->protocol == MDL_EAGER ? "eager" : "rendezvous");
	if (op->kind != MDL_MESSAGE && op->status >= MDL_MATCHED && op->actual_tag.known == MDL_KNOWN) {
		add_line(l, l->n ? ", matched tag " : "matched tag ");
		add_int(l, op->actual_tag.value);
		add_line(l, op->status == MDL_COMPLETE ? ", complete" : ", data under way");
	}
	line_end(l);
}

void mqs_operation(const struct mdl_op *op, mqs_pending_operation *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->status = op->status == MDL_COMPLETE  ? mqs_st_complete
		      : op->status == MDL_MATCHED ? mqs_st_matched
						  : mqs_st_pending;
	ret->desired_local_rank = rank_of(op->peer);
	ret->desired_global_rank = rank_of(op->peer_world);
	ret->tag_wild = op->tag.known == MDL_ANY;
	ret->desired_tag = value_of(op->tag);
	ret->desired_length = value_of(op->bytes);
	ret->system_buffer = op->system_buffer;
	ret->buffer = (mqs_taddr_t)value_of(op->buffer);
	ret->actual_local_rank = rank_of(actual_or(op->actual_peer, op->peer));
	ret->actual_global_rank = rank_of(actual_or(op->actual_peer_world, op->peer_world));
	ret->actual_tag = value_of(actual_or(op->actual_tag, op->tag));
	ret->actual_length = value_of(actual_or(op->actual_bytes, op->bytes));

	struct lines l = { ret, 0, 0 };
	first_line(&l, op);
	/* unavailable facts first, so that a 0 above is not mistaken for a fact */
	unavailable_line(&l, "rank", op->peer);
	unavailable_line(&l, "tag", op->tag);
	unavailable_line(&l, "length", op->bytes);
	datatype_line(&l, op);
	request_line(&l, op);
	matched_line(&l, op);
	caller_line(&l, op);
}
